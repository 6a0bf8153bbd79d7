package custom

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// meaning is what a status word says.
type meaning struct {
	provider.Meaning

	// seen: the parcel was seen somewhere, and that is all.
	seen bool
}

// statuses are our own words for a parcel.
var statuses = map[string]meaning{
	"announced":        {Meaning: provider.Meaning{Announced: true}},
	"shipped":          moves(waybillv1.ShipmentStatus_SHIPMENT_STATUS_SHIPPED),
	"in_transit":       moves(waybillv1.ShipmentStatus_SHIPMENT_STATUS_IN_TRANSIT),
	"out_for_delivery": moves(waybillv1.ShipmentStatus_SHIPMENT_STATUS_OUT_FOR_DELIVERY),
	"failed_delivery":  moves(waybillv1.ShipmentStatus_SHIPMENT_STATUS_FAILED_DELIVERY),
	"delivered":        moves(waybillv1.ShipmentStatus_SHIPMENT_STATUS_DELIVERED),
	"returning":        moves(waybillv1.ShipmentStatus_SHIPMENT_STATUS_RETURNING),
	"returned":         moves(waybillv1.ShipmentStatus_SHIPMENT_STATUS_RETURNED),
	"cancelled":        moves(waybillv1.ShipmentStatus_SHIPMENT_STATUS_CANCELLED),
}

func moves(to waybillv1.ShipmentStatus) meaning {
	return meaning{Meaning: provider.Meaning{Status: to}}
}

// payments and disputes are our own words for money.
var (
	payments = map[string]waybillv1.PaymentState{
		"pending":    waybillv1.PaymentState_PAYMENT_STATE_PENDING,
		"authorized": waybillv1.PaymentState_PAYMENT_STATE_AUTHORIZED,
		"paid":       waybillv1.PaymentState_PAYMENT_STATE_PAID,
		"failed":     waybillv1.PaymentState_PAYMENT_STATE_FAILED,
		"voided":     waybillv1.PaymentState_PAYMENT_STATE_VOIDED,
	}
	disputes = map[string]waybillv1.DisputeState{
		"open": waybillv1.DisputeState_DISPUTE_STATE_OPEN,
		"won":  waybillv1.DisputeState_DISPUTE_STATE_WON,
		"lost": waybillv1.DisputeState_DISPUTE_STATE_LOST,
	}
)

// ourWords may stand in an expression as they are, without quotes.
var ourWords = func() []string {
	words := slices.Concat(
		slices.Collect(maps.Keys(statuses)), slices.Collect(maps.Keys(payments)), slices.Collect(maps.Keys(disputes)),
	)
	slices.Sort(words)
	return slices.Compact(words)
}()

// parseMeaning reads the right side of a status_map: words with commas between.
func parseMeaning(text string) (meaning, error) {
	var whole meaning
	for part := range strings.SplitSeq(text, ",") {
		if err := whole.take(strings.TrimSpace(part)); err != nil {
			return meaning{}, err
		}
	}
	return whole, nil
}

func (m *meaning) take(part string) error {
	if name, ok := strings.CutPrefix(part, "fact "); ok {
		return m.takeFact(strings.TrimSpace(name))
	}
	if known, ok := statuses[part]; ok {
		if m.stands() {
			return errors.New("a word has one of our statuses, and facts beside it")
		}
		m.Status, m.Announced = known.Status, known.Announced
		return nil
	}
	if m.stands() || m.Fact != "" {
		return errors.New("checkpoint and ignored stand alone; the others are " + statusWords())
	}
	switch part {
	case "checkpoint":
		m.seen = true
	case "ignored":
		m.Ignored = "the settings need nothing of this word"
	default:
		return errors.New("write one of " + statusWords() + ", checkpoint, ignored, or fact NAME")
	}
	return nil
}

func (m *meaning) takeFact(name string) error {
	bare, attention := strings.CutSuffix(name, "!")
	switch {
	case m.Fact != "":
		return errors.New("a word has one fact")
	case m.seen || m.Ignored != "":
		return errors.New("checkpoint and ignored stand alone")
	case !factName(bare):
		return errors.New("a fact's name is lower-case letters, digits and underscores, and begins with a letter")
	}
	m.Fact, m.Attention = bare, attention
	return nil
}

// stands says that there is a status already, or what excludes one.
func (m *meaning) stands() bool {
	return m.Status != 0 || m.Announced || m.seen || m.Ignored != ""
}

func factName(name string) bool {
	if name == "" || len(name) > 63 || name[0] < 'a' || name[0] > 'z' {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_'
	})
}

func statusWords() string { return listed(statuses) }

func listed[Meaning any](words map[string]Meaning) string {
	return strings.Join(slices.Sorted(maps.Keys(words)), ", ")
}

// table is a mapping table, its words folded.
type table[Meaning any] map[string]Meaning

// tableOf reads a map of the settings.
func tableOf[Meaning any](c *compiler, path string, words map[string]string, read func(string) (Meaning, error)) table[Meaning] {
	made := make(table[Meaning], len(words))
	for _, word := range slices.Sorted(maps.Keys(words)) {
		at := path + "[" + strconv.Quote(word) + "]"
		folded := provider.FoldWords(provider.Word(word))
		if _, twice := made[folded]; twice {
			c.report(at, "the word is there already, written a little otherwise: case, spaces and dashes don't count")
			continue
		}
		value, err := read(words[word])
		if err != nil {
			c.report(at, err.Error())
		}
		made[folded] = value
	}
	return made
}

// oneOf reads the right side of a state_map.
func oneOf[Meaning any](words map[string]Meaning) func(string) (Meaning, error) {
	return func(text string) (Meaning, error) {
		found, ok := words[text]
		if !ok {
			return found, fmt.Errorf("write one of %s", listed(words))
		}
		return found, nil
	}
}

func (t table[Meaning]) find(word provider.Word) (Meaning, bool) {
	found, ok := t[provider.FoldWords(word)]
	return found, ok
}
