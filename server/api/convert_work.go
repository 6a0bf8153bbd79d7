package api

import (
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/order"
	"github.com/waybillhq/waybill/server/store"
)

func toWorkItem(item store.PendingItem, directory directory) *waybillv1.WorkItem {
	return &waybillv1.WorkItem{
		WorkId:        item.ID,
		Kind:          item.Kind,
		Account:       item.Account,
		Provider:      directory.shown(item.Account, item.Provider),
		State:         eventStates.to(item.State),
		Reason:        item.Reason,
		WhoActs:       toActor(item.State),
		ReceivedAt:    toTime(item.ReceivedAt),
		NextAttemptAt: toTime(item.DueAt),
		Attempts:      int32(item.Attempts),
		EventType:     item.Type,
		References:    each(item.References, toReference),
	}
}

// toActor says who must act for an item in a state to move on.
func toActor(state order.EventState) waybillv1.Actor {
	switch state {
	case order.StateReceived:
		return waybillv1.Actor_ACTOR_WAYBILL
	case order.StateWaiting:
		return waybillv1.Actor_ACTOR_PROVIDER
	case order.StateParked, order.StateFailed:
		return waybillv1.Actor_ACTOR_OPERATOR
	case order.StateCompleted:
	}
	return waybillv1.Actor_ACTOR_UNSPECIFIED
}

func toSummary(summary store.Summary) *waybillv1.WorkSummary {
	wire := &waybillv1.WorkSummary{
		OldestDueAt:     toTime(summary.OldestDueAt),
		OldestWaitingAt: toTime(summary.OldestWaitingAt),
	}
	for _, count := range summary.Counts {
		wire.Counts = append(wire.Counts, &waybillv1.WorkCount{
			Kind: count.Kind, State: eventStates.to(count.State), Count: count.Count,
		})
	}
	return wire
}

func toAuditEntry(entry store.AuditEntry) *waybillv1.AuditEntry {
	return &waybillv1.AuditEntry{
		Id:        entry.ID,
		Operator:  entry.Operator,
		Action:    entry.Action,
		Reason:    entry.Reason,
		At:        toTime(entry.At),
		WorkId:    entry.WorkID,
		RequestId: entry.RequestID,
		Before:    entry.Before,
		After:     entry.After,
	}
}

// fromPendingFilter reads which unfinished work is asked for.
func fromPendingFilter(req *waybillv1.ListPendingWorkRequest) (store.PendingFilter, error) {
	after, err := fromPageToken(pendingList, req.GetPageToken())
	if err != nil {
		return store.PendingFilter{}, err
	}
	filter := store.PendingFilter{
		Account: req.GetAccount(), Kinds: req.GetKinds(), Limit: int(req.GetPageSize()), After: after,
	}
	for _, state := range req.GetStates() {
		filter.States = append(filter.States, eventStates.from(state))
	}
	return filter, nil
}

// fromEventFilter reads which events are asked for. A provider that isn't configured any more is asked for by the name
// it had.
func fromEventFilter(req *waybillv1.ListEventsRequest, directory directory) (store.EventFilter, error) {
	after, err := fromPageToken(eventList, req.GetPageToken())
	if err != nil {
		return store.EventFilter{}, err
	}
	provider := req.GetProvider()
	if recorded, ok := directory.identity(req.GetAccount(), provider); ok {
		provider = recorded
	}
	return store.EventFilter{
		Account:        req.GetAccount(),
		Outcome:        outcomes.from(req.GetOutcome()),
		OrderNumber:    fromText(req.GetOrderNumber()),
		Provider:       provider,
		ReceivedFrom:   fromTime(req.GetReceivedAfter()),
		ReceivedBefore: fromTime(req.GetReceivedBefore()),
		Limit:          int(req.GetPageSize()),
		After:          after,
	}, nil
}

// resolutions are those that an event can take. Not said is a retry.
var resolutions = map[waybillv1.Resolution]store.Resolution{
	waybillv1.Resolution_RESOLUTION_UNSPECIFIED: store.Retry,
	waybillv1.Resolution_RESOLUTION_RETRY:       store.Retry,
	waybillv1.Resolution_RESOLUTION_ABANDON:     store.Abandon,
}

// fromReprocess reads what to reprocess. The item of an event has the event's id. No resolution: one that events don't
// take.
func fromReprocess(req *waybillv1.ReprocessRequest) store.ReprocessRequest {
	asked := store.ReprocessRequest{
		Account:    req.GetAccount(),
		EventID:    fromText(req.GetEventId()),
		Reason:     fromText(req.GetReason()),
		RequestID:  req.GetRequestId(),
		DryRun:     req.GetDryRun(),
		Resolution: resolutions[req.GetResolution()],
	}
	if asked.EventID == "" {
		asked.EventID = fromText(req.GetWorkId())
	}
	return asked
}

func toReprocessed(done store.Reprocessed, payload bool, directory directory) *waybillv1.ReprocessResponse {
	res := &waybillv1.ReprocessResponse{
		Before: toEvent(done.Before, payload, directory),
		After:  toEvent(done.After, payload, directory),
	}
	if done.Audit.ID != "" {
		res.Audit = toAuditEntry(done.Audit)
	}
	return res
}
