package api

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/order"
	"github.com/waybillhq/waybill/server/store"
)

// fakeStore answers as it is told; the tests of what is stored use the real one.
type fakeStore struct {
	calls  atomic.Int64
	accept func(order.Event) (store.Receipt, error)
	last   func() (map[string]time.Time, error)
}

func (f *fakeStore) Accept(_ context.Context, e order.Event) (store.Receipt, error) {
	f.calls.Add(1)
	if f.accept != nil {
		return f.accept(e)
	}
	e.ID = "evt_1"
	return store.Receipt{Event: e, Verdict: store.Accepted, State: order.StateReceived}, nil
}

func (f *fakeStore) LastReceived(context.Context, string) (map[string]time.Time, error) {
	f.calls.Add(1)
	if f.last != nil {
		return f.last()
	}
	return map[string]time.Time{}, nil
}

func (f *fakeStore) OrderByNumber(context.Context, string, string) (store.OrderView, error) {
	f.calls.Add(1)
	return store.OrderView{}, store.ErrNotFound
}

func (f *fakeStore) OrderByConsignment(context.Context, string, string) (store.OrderView, error) {
	f.calls.Add(1)
	return store.OrderView{}, store.ErrNotFound
}

func (f *fakeStore) PendingWork(context.Context, store.PendingFilter) (store.PendingPage, error) {
	f.calls.Add(1)
	return store.PendingPage{}, nil
}

func (f *fakeStore) PendingSummary(context.Context, string) (store.Summary, error) {
	f.calls.Add(1)
	return store.Summary{}, nil
}

func (f *fakeStore) Events(context.Context, store.EventFilter) (store.EventPage, error) {
	f.calls.Add(1)
	return store.EventPage{}, nil
}

func (f *fakeStore) Event(context.Context, string, string, bool) (store.EventView, error) {
	f.calls.Add(1)
	return store.EventView{}, store.ErrNotFound
}

func (f *fakeStore) Reprocess(context.Context, store.ReprocessRequest, store.PolicyFunc) (store.Reprocessed, error) {
	f.calls.Add(1)
	return store.Reprocessed{}, store.ErrNotFound
}

// noRetranslator reads nothing.
type noRetranslator struct{}

func (noRetranslator) Retranslate(
	string, string, *waybillv1.RawMessage, time.Time,
) ([]*waybillv1.IngestEventRequest, string, error) {
	return nil, "", errors.New("the provider is not configured any more")
}

func noPolicy(string) order.Policy { return order.Policy{} }
