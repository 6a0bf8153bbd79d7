package api

import (
	"context"
	"errors"
	"time"

	"connectrpc.com/connect/v2"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/order"
	"github.com/waybillhq/waybill/server/store"
)

// Reprocessor deals again with events that are not finished.
type Reprocessor interface {
	Reprocess(ctx context.Context, req store.ReprocessRequest, policy store.PolicyFunc) (store.Reprocessed, error)
}

// Retranslator reads kept bytes again with the translator of today.
type Retranslator interface {
	// Retranslate gives the events that a provider's bytes hold, and the translator's version. The provider is the
	// configured one of this name. The error says what is wrong without quoting the bytes.
	Retranslate(
		account, provider string, raw *waybillv1.RawMessage, receivedAt time.Time,
	) (events []*waybillv1.IngestEventRequest, version string, err error)
}

// Reprocess implements waybillv1connect.WorkServiceHandler.
func (s *workService) Reprocess(
	ctx context.Context, req *waybillv1.ReprocessRequest,
) (*waybillv1.ReprocessResponse, error) {
	asked := fromReprocess(req)
	if asked.Resolution == "" {
		return nil, s.refuseResolution(ctx, asked)
	}
	asked.Operator = caller(ctx).Name
	asked.Translate = s.translateAgain

	done, err := s.reprocessor.Reprocess(ctx, asked, s.policy)
	if err != nil {
		return nil, err
	}
	return toReprocessed(done, caller(ctx).May(ScopePayload), s.directory), nil
}

// refuseResolution refuses what no event can take, which is all there is to reprocess so far.
func (s *workService) refuseResolution(ctx context.Context, asked store.ReprocessRequest) error {
	if _, err := s.work.Event(ctx, asked.Account, asked.EventID, false); err != nil {
		return err
	}
	return errPrecondition
}

// translateAgain implements store.TranslateFunc. What it reads must hold the rules that the adapter's events do.
func (s *workService) translateAgain(e order.Event) ([]order.Event, string, error) {
	provider := s.directory.shown(e.Account, e.Provider)
	requests, version, err := s.retranslator.Retranslate(e.Account, provider, toRaw(e.Raw), e.ReceivedAt)
	if err != nil {
		return nil, "", untranslatable(err)
	}

	events := make([]order.Event, 0, len(requests))
	for _, req := range requests {
		req.Account, req.Provider, req.TranslatorVersion = e.Account, provider, version
		if s.validator.Validate(req) != nil {
			return nil, "", untranslatable(errors.New("what the translator makes of them breaks a rule"))
		}
		event := fromIngest(req, e.ReceivedAt)
		event.Provider = e.Provider
		events = append(events, event)
	}
	return events, version, nil
}

func untranslatable(err error) error {
	return connect.NewError(connect.CodeFailedPrecondition, "the bytes can't be translated again: "+err.Error())
}
