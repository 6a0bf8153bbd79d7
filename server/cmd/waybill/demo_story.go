package main

import (
	_ "embed"
	"fmt"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/catalog"
)

//go:embed demo/story.yaml
var storyText []byte

//go:embed demo/waybill.yaml
var demoConfig []byte

// storyStep is a thing that happens in the demo, and what must come of it.
type storyStep struct {
	Say      string        `yaml:"say"`
	Provider string        `yaml:"provider"`
	Sample   string        `yaml:"sample"`
	Order    string        `yaml:"order"`
	Amount   int64         `yaml:"amount"`
	Ago      time.Duration `yaml:"ago"`
	// Repeat sends the very bytes of an earlier step again.
	Repeat int `yaml:"repeat"`
	// As takes the event id of an earlier step.
	As int `yaml:"as"`
	// Forge signs with a secret that is not the shop's.
	Forge   bool     `yaml:"forge"`
	Replace []string `yaml:"replace"`
	// Kill kills the server with that many events in hand, and starts it again.
	Kill int `yaml:"kill"`
	// Wakes is an earlier step whose event this one wakes.
	Wakes   int    `yaml:"wakes"`
	HTTP    int    `yaml:"http"`
	Outcome string `yaml:"outcome"`
}

// demoAmount is what an order of the story costs, in minor units of demoCurrency.
const (
	demoAmount   = 100000
	demoCurrency = "BDT"
	demoAccount  = "dhaka-shop"
)

func readStory() ([]storyStep, error) {
	var steps []storyStep
	if err := yaml.Unmarshal(storyText, &steps); err != nil {
		return nil, fmt.Errorf("demo story: %w", err)
	}
	return steps, nil
}

// values are what a step's sample is filled with. The run tells apart the ids of two runs.
func (s storyStep) values(number int, now time.Time) provider.SampleValues {
	id := number
	if s.As > 0 {
		id = s.As
	}
	amount := s.Amount
	if amount == 0 {
		amount = demoAmount
	}
	return provider.SampleValues{
		ID:          fmt.Sprintf("demo%02d", id),
		OrderID:     "82098291194615" + s.Order,
		OrderNumber: s.Order,
		Consignment: "DD" + s.Order,
		PaymentID:   "pi_demo" + s.Order,
		Currency:    demoCurrency,
		MinorUnits:  amount,
		At:          now.Add(-s.Ago).Truncate(time.Second),
	}
}

// findSample finds a kind's sample. The demo's providers are named like their kinds.
func findSample(kindName, sampleName string) (provider.Kind, provider.Sample, error) {
	for _, kind := range catalog.Kinds() {
		if kind.Name != kindName {
			continue
		}
		for _, sample := range kind.Samples {
			if sample.Name == sampleName {
				return kind, sample, nil
			}
		}
	}
	return provider.Kind{}, provider.Sample{}, fmt.Errorf("demo story: %s has no sample %q", kindName, sampleName)
}
