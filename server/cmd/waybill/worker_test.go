package main

import (
	"fmt"
	"slices"
	"testing"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
)

func TestAServerWithoutItsWorkerLeavesTheDecidingToAnother(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	again := slices.Clone(s.args)
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	s.args = append(s.args, "--without-worker")
	s.open()

	// A worker takes up each at once: by the last receipt it would have decided the first.
	const receipts = 50
	for n := range receipts {
		if err := s.tryPlace(fmt.Sprint(6100+n), 4200, "EUR"); err != nil {
			t.Fatal(err)
		}
	}
	events := s.events()
	if len(events) != receipts {
		t.Errorf("%d events are recorded, want %d", len(events), receipts)
	}
	for _, event := range events {
		if event.GetState() != waybillv1.EventState_EVENT_STATE_RECEIVED {
			t.Errorf("event %s is %s although nobody decides", event.GetId(), event.GetState())
		}
	}

	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	s.args = again
	s.open()
	for _, event := range events {
		s.awaitEvent(event.GetId())
	}
}
