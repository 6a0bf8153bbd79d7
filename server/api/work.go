package api

import (
	"context"

	"buf.build/go/protovalidate"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/store"
)

// Work shows what is unfinished and what was recorded.
type Work interface {
	PendingWork(ctx context.Context, filter store.PendingFilter) (store.PendingPage, error)
	PendingSummary(ctx context.Context, account string) (store.Summary, error)
	Events(ctx context.Context, filter store.EventFilter) (store.EventPage, error)
	// Event is one event, with its body where that is asked for and still kept.
	Event(ctx context.Context, account, id string, withRaw bool) (store.EventView, error)
}

type workService struct {
	work         Work
	reprocessor  Reprocessor
	directory    directory
	retranslator Retranslator
	validator    protovalidate.Validator
	policy       store.PolicyFunc
}

// ListPendingWork implements waybillv1connect.WorkServiceHandler.
func (s *workService) ListPendingWork(
	ctx context.Context, req *waybillv1.ListPendingWorkRequest,
) (*waybillv1.ListPendingWorkResponse, error) {
	filter, err := fromPendingFilter(req)
	if err != nil {
		return nil, err
	}
	page, err := s.work.PendingWork(ctx, filter)
	if err != nil {
		return nil, err
	}
	summary, err := s.work.PendingSummary(ctx, req.GetAccount())
	if err != nil {
		return nil, err
	}

	res := &waybillv1.ListPendingWorkResponse{
		Summary: toSummary(summary), NextPageToken: toPageToken(pendingList, page.Next),
	}
	for _, item := range page.Items {
		res.Items = append(res.Items, toWorkItem(item, s.directory))
	}
	return res, nil
}

// ListEvents implements waybillv1connect.WorkServiceHandler.
func (s *workService) ListEvents(
	ctx context.Context, req *waybillv1.ListEventsRequest,
) (*waybillv1.ListEventsResponse, error) {
	filter, err := fromEventFilter(req, s.directory)
	if err != nil {
		return nil, err
	}
	page, err := s.work.Events(ctx, filter)
	if err != nil {
		return nil, err
	}

	res := &waybillv1.ListEventsResponse{NextPageToken: toPageToken(eventList, page.Next)}
	for _, view := range page.Events {
		res.Events = append(res.Events, toEventSummary(view, s.directory))
	}
	return res, nil
}

// GetEvent implements waybillv1connect.WorkServiceHandler.
func (s *workService) GetEvent(
	ctx context.Context, req *waybillv1.GetEventRequest,
) (*waybillv1.GetEventResponse, error) {
	payload := caller(ctx).May(ScopePayload)
	if req.GetIncludeRaw() && !payload {
		return nil, errForbidden
	}
	view, err := s.work.Event(ctx, req.GetAccount(), req.GetEventId(), req.GetIncludeRaw())
	if err != nil {
		return nil, err
	}
	return &waybillv1.GetEventResponse{Event: toEvent(view, payload, s.directory)}, nil
}
