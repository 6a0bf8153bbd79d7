package waybill

import (
	"strings"
	"unicode"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// The nouns of the API, so that most callers need no second import. They are the generated messages themselves.
type (
	// Order is an order as everything recorded about it says.
	Order = waybillv1.Order
	// Event is a recorded event.
	Event = waybillv1.Event
	// WorkItem is something unfinished.
	WorkItem = waybillv1.WorkItem
	// Provider is a configured provider.
	Provider = waybillv1.Provider

	// IngestEventRequest is an event as its adapter read it.
	IngestEventRequest = waybillv1.IngestEventRequest
	// IngestEventResponse says what the receipt found.
	IngestEventResponse = waybillv1.IngestEventResponse
	// ListPendingWorkRequest says which unfinished work to show.
	ListPendingWorkRequest = waybillv1.ListPendingWorkRequest
	// ListPendingWorkResponse is a page of unfinished work.
	ListPendingWorkResponse = waybillv1.ListPendingWorkResponse
	// ListEventsRequest says which events to list.
	ListEventsRequest = waybillv1.ListEventsRequest
	// ListEventsResponse is a page of events.
	ListEventsResponse = waybillv1.ListEventsResponse
	// GetEventRequest names an event.
	GetEventRequest = waybillv1.GetEventRequest
	// ReprocessRequest says what to reprocess, and why.
	ReprocessRequest = waybillv1.ReprocessRequest
	// ReprocessResponse says what a reprocess did, or would do.
	ReprocessResponse = waybillv1.ReprocessResponse
)

// OrderRef names an order.
type OrderRef struct {
	request *waybillv1.GetOrderStatusRequest
}

// OrderNumber names an order by its number. A leading # is ignored.
func OrderNumber(account, number string) OrderRef {
	return OrderRef{&waybillv1.GetOrderStatusRequest{
		Account: account,
		Order:   &waybillv1.GetOrderStatusRequest_OrderNumber{OrderNumber: number},
	}}
}

// Consignment names an order by one of its parcels.
func Consignment(account, id string) OrderRef {
	return OrderRef{&waybillv1.GetOrderStatusRequest{
		Account: account,
		Order:   &waybillv1.GetOrderStatusRequest_ConsignmentId{ConsignmentId: id},
	}}
}

// Word is the plain word of a value of one of the API's enums: in_transit for ORDER_STATUS_IN_TRANSIT. It is empty for
// a value that is not said, and for one that this version of the client does not know.
func Word(value protoreflect.Enum) string {
	described := value.Descriptor().Values().ByNumber(value.Number())
	if described == nil || described.Number() == 0 {
		return ""
	}
	prefix := screamingSnake(string(value.Descriptor().Name())) + "_"
	return strings.ToLower(strings.TrimPrefix(string(described.Name()), prefix))
}

// screamingSnake turns an enum's name into the prefix that its values carry: EventState is EVENT_STATE.
func screamingSnake(name string) string {
	var out strings.Builder
	for i, letter := range name {
		if i > 0 && unicode.IsUpper(letter) {
			out.WriteByte('_')
		}
		out.WriteRune(unicode.ToUpper(letter))
	}
	return out.String()
}
