package waybill_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"

	"connectrpc.com/connect/v2"

	waybill "github.com/waybillhq/waybill/clients/go"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
)

func Example() {
	server := exampleServer() // in real life: https://waybill.internal
	defer server.Close()

	client, err := waybill.New(server.URL, waybill.Key("wbk_from-a-secret-store"))
	if err != nil {
		fmt.Println(err)
		return
	}
	order, err := client.GetOrder(context.Background(), waybill.OrderNumber("dhaka-shop", "1001"))
	if errors.Is(err, waybill.ErrNotFound) {
		fmt.Println("no such order, or not for this key")
		return
	}
	if err != nil {
		fmt.Println(err) // passing faults were already retried; this one will not pass
		return
	}
	fmt.Println(order.GetOrderNumber(), waybill.Word(order.GetStatus()), waybill.Word(order.GetPaymentStatus()))
	// Output: 1001 out_for_delivery paid
}

func ExampleClient_PendingWork() {
	server := exampleServer()
	defer server.Close()
	client, err := waybill.New(server.URL)
	if err != nil {
		fmt.Println(err)
		return
	}

	for item, err := range client.PendingWork(context.Background(), &waybill.ListPendingWorkRequest{Account: "dhaka-shop"}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(item.GetWorkId(), waybill.Word(item.GetState()), item.GetReason())
	}
	// Output:
	// evt_1 waiting order 1002 unknown
	// evt_2 parked pathao's "drone_lost" has no meaning here yet
}

func ExampleClient_Reprocess() {
	server := exampleServer()
	defer server.Close()
	client, err := waybill.New(server.URL)
	if err != nil {
		fmt.Println(err)
		return
	}

	request := &waybill.ReprocessRequest{
		Account: "dhaka-shop",
		Target:  &waybillv1.ReprocessRequest_EventId{EventId: "evt_2"},
		Reason:  "the new translator knows the word",
	}
	preview, err := client.PreviewReprocess(context.Background(), request)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("would become", waybill.Word(preview.GetAfter().GetState()))

	done, err := client.Reprocess(context.Background(), request)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("became", waybill.Word(done.GetAfter().GetState()), "as", done.GetAudit().GetId())
	// Output:
	// would become completed
	// became completed as aud_1
}

func ExampleError() {
	server := exampleServer()
	defer server.Close()
	client, err := waybill.New(server.URL)
	if err != nil {
		fmt.Println(err)
		return
	}

	_, err = client.GetOrder(context.Background(), waybill.OrderNumber("dhaka-shop", "404"))
	if failure, ok := errors.AsType[*waybill.Error](err); ok {
		fmt.Println(failure.Kind, failure.Retryable, failure.RequestID)
	}
	// Output: not_found false req-5KQ
}

func exampleServer() *httptest.Server {
	return httptest.NewServer(handler(&service{
		getOrder: func(ctx context.Context, req *waybillv1.GetOrderStatusRequest) (*waybillv1.Order, error) {
			if req.GetOrderNumber() != "1001" {
				info, _ := connect.CallInfoForServerContext(ctx)
				info.ResponseHeader().Set("X-Request-Id", "req-5KQ")
				return nil, connect.NewError(connect.CodeNotFound, "no such order")
			}
			return &waybillv1.Order{
				OrderNumber:   req.GetOrderNumber(),
				Status:        waybillv1.OrderStatus_ORDER_STATUS_OUT_FOR_DELIVERY,
				PaymentStatus: waybillv1.PaymentStatus_PAYMENT_STATUS_PAID,
			}, nil
		},
		listPending: func(*waybillv1.ListPendingWorkRequest) (*waybillv1.ListPendingWorkResponse, error) {
			return &waybillv1.ListPendingWorkResponse{Items: []*waybillv1.WorkItem{
				{WorkId: "evt_1", State: waybillv1.EventState_EVENT_STATE_WAITING, Reason: "order 1002 unknown"},
				{WorkId: "evt_2", State: waybillv1.EventState_EVENT_STATE_PARKED, Reason: `pathao's "drone_lost" has no meaning here yet`},
			}}, nil
		},
		reprocess: func(req *waybillv1.ReprocessRequest) (*waybillv1.ReprocessResponse, error) {
			response := &waybillv1.ReprocessResponse{After: &waybillv1.Event{State: waybillv1.EventState_EVENT_STATE_COMPLETED}}
			if !req.GetDryRun() {
				response.Audit = &waybillv1.AuditEntry{Id: "aud_1"}
			}
			return response, nil
		},
	}))
}
