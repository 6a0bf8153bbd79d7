package webhook

import (
	"errors"
	"fmt"
	"time"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// Retranslator reads kept bytes again, with the translators of today.
type Retranslator struct {
	routes map[address]provider.Opened
}

// NewRetranslator makes a Retranslator for all configured providers.
func NewRetranslator(providers []provider.Opened) *Retranslator {
	return &Retranslator{routes: byAddress(providers, func(opened provider.Opened) provider.Opened {
		return opened
	})}
}

// Retranslate gives the events that a provider's bytes hold, and its translator's version. The error says what is
// wrong without quoting the bytes.
func (r *Retranslator) Retranslate(
	account, name string, raw *waybillv1.RawMessage, receivedAt time.Time,
) (events []*waybillv1.IngestEventRequest, version string, err error) {
	opened, ok := r.routes[address{account, name}]
	if !ok {
		return nil, "", fmt.Errorf("provider %s/%s is not configured any more", account, name)
	}
	version = opened.Kind.Version
	defer func() {
		if recover() != nil { // the panic's text may quote the body
			events, err = nil, errors.New("the translator failed on this body")
		}
	}()

	events, err = opened.Provider.Translate(&provider.Request{
		Header: storedHeader(raw), Body: readable(raw), ReceivedAt: receivedAt,
	})
	if refusal, refused := errors.AsType[*provider.Refusal](err); refused {
		return nil, version, errors.New(refusal.Message)
	}
	if err != nil || len(events) == 0 {
		return nil, version, errors.New("the translator gave no events")
	}
	return events, version, nil
}
