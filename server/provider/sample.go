package provider

import (
	"bufio"
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"net/textproto"
	"path"
	"strings"
	"text/template"
	"time"

	"github.com/waybillhq/waybill/server/order"
)

// Sample is a request as the provider would send it, with the proof left out.
//
// Its text is a file of testdata: header lines, an empty line, the body. The names of SampleValues stand in it as
// {{.OrderNumber}} and so on.
type Sample struct {
	Name string
	Text string
}

// SampleValues fill a sample.
type SampleValues struct {
	// ID tells one event from another: it ends up in the provider's event, delivery or payment id.
	ID string
	// OrderID is the order's identity at its platform; digits only.
	OrderID string
	// OrderNumber is the order's number.
	OrderNumber string
	// Consignment is the parcel's id at its courier.
	Consignment string
	// PaymentID is the payment's reference.
	PaymentID string
	// Currency and MinorUnits are the money in it.
	Currency   string
	MinorUnits int64
	// At is when it happened.
	At time.Time
}

// Major is the amount in the currency's major unit, with the decimals that the currency has.
func (v SampleValues) Major() string {
	text, _, _ := strings.Cut(order.Money{Currency: v.Currency, MinorUnits: v.MinorUnits}.String(), " ")
	return text
}

// RFC3339 is At in UTC.
func (v SampleValues) RFC3339() string { return v.At.UTC().Format(time.RFC3339) }

// Unix is At in seconds.
func (v SampleValues) Unix() int64 { return v.At.Unix() }

// CurrencyLower is the currency in lower case.
func (v SampleValues) CurrencyLower() string { return strings.ToLower(v.Currency) }

// Request makes the request, without its proof.
func (s Sample) Request(values SampleValues) (*Request, error) {
	tmpl, err := template.New(s.Name).Option("missingkey=error").Parse(s.Text)
	if err != nil {
		return nil, fmt.Errorf("sample %s: %w", s.Name, err)
	}
	var text bytes.Buffer
	if err := tmpl.Execute(&text, values); err != nil {
		return nil, fmt.Errorf("sample %s: %w", s.Name, err)
	}
	reader := bufio.NewReader(&text)
	header, err := textproto.NewReader(reader).ReadMIMEHeader()
	if err != nil {
		return nil, fmt.Errorf("sample %s: headers: %w", s.Name, err)
	}
	var body bytes.Buffer
	if _, err := body.ReadFrom(reader); err != nil {
		return nil, fmt.Errorf("sample %s: body: %w", s.Name, err)
	}
	return &Request{
		Header:     map[string][]string(header),
		Body:       bytes.TrimSuffix(body.Bytes(), []byte("\n")),
		ReceivedAt: values.At,
	}, nil
}

// SamplesIn reads a folder's testdata/*.http. It panics on a fault in the embedded files: they are part of the code.
func SamplesIn(files embed.FS) []Sample {
	names, err := fs.Glob(files, "testdata/*.http")
	if err != nil {
		panic(err)
	}
	samples := make([]Sample, 0, len(names))
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			panic(err)
		}
		samples = append(samples, Sample{Name: strings.TrimSuffix(path.Base(name), ".http"), Text: string(text)})
	}
	return samples
}
