package order_test

import (
	"slices"
	"testing"

	"github.com/waybillhq/waybill/server/order"
)

// The table as the design has it, written again: row by row, founding steps and ours.
var designTable = []struct {
	from           order.Status
	founding, ours []order.Status
}{
	{order.Pending, []order.Status{order.Confirmed, order.Cancelled}, nil},
	{order.Confirmed, []order.Status{order.Processing, order.Cancelled}, nil},
	{order.Processing, []order.Status{order.Shipped, order.Cancelled}, nil},
	{
		order.Shipped,
		[]order.Status{order.InTransit, order.FailedDelivery},
		[]order.Status{order.OutForDelivery, order.Returning, order.Returned},
	},
	{
		order.InTransit,
		[]order.Status{order.Delivered, order.Returned, order.FailedDelivery},
		[]order.Status{order.OutForDelivery, order.Returning},
	},
	{
		order.OutForDelivery, nil,
		[]order.Status{order.Delivered, order.FailedDelivery, order.Returned, order.Returning, order.InTransit},
	},
	{
		order.FailedDelivery, nil,
		[]order.Status{order.InTransit, order.OutForDelivery, order.Delivered, order.Returning, order.Returned},
	},
	{order.Returning, nil, []order.Status{order.Returned, order.InTransit}},
	{order.Delivered, nil, nil},
	{order.Cancelled, nil, nil},
	{order.Returned, nil, nil},
}

func TestTheTableIsTheOneOfTheDesign(t *testing.T) {
	t.Parallel()
	if len(designTable) != len(order.Statuses()) {
		t.Fatalf("the design has %d rows, there are %d statuses", len(designTable), len(order.Statuses()))
	}
	for _, row := range designTable {
		t.Run(string(row.from), func(t *testing.T) {
			t.Parallel()
			allowed := slices.Concat(row.founding, row.ours)
			for _, to := range order.Statuses() {
				if want := slices.Contains(allowed, to); order.Allowed(row.from, to) != want {
					t.Errorf("Allowed(%s, %s) is %v", row.from, to, !want)
				}
			}
			if next := order.Next(row.from); len(next) != len(allowed) {
				t.Errorf("Next(%s) is %v", row.from, next)
			}
		})
	}
}

func TestOnlyDeliveredReturnedAndCancelledAreEnds(t *testing.T) {
	t.Parallel()
	for _, status := range order.Statuses() {
		ended := status == order.Delivered || status == order.Returned || status == order.Cancelled
		if order.Terminal(status) != ended {
			t.Errorf("Terminal(%s) is %v", status, !ended)
		}
		if ended != (len(order.Next(status)) == 0) {
			t.Errorf("%s ends %v and has the steps %v", status, ended, order.Next(status))
		}
	}
}

func TestRanksGrowAlongTheWay(t *testing.T) {
	t.Parallel()
	ranks := map[order.Status]int{
		order.Pending: 0, order.Confirmed: 1, order.Processing: 2, order.Shipped: 3,
		order.InTransit: 4, order.OutForDelivery: 4, order.FailedDelivery: 4, order.Returning: 4,
		order.Delivered: 5, order.Returned: 5, order.Cancelled: -1, "lost": -1,
	}
	for status, rank := range ranks {
		if got := order.Rank(status); got != rank {
			t.Errorf("Rank(%s) is %d, not %d", status, got, rank)
		}
	}
}

func TestPathNamesWhatACourierSkipped(t *testing.T) {
	t.Parallel()
	tests := []struct {
		from, to order.Status
		skipped  []order.Status
		reached  bool
	}{
		{order.Confirmed, order.Delivered, []order.Status{order.Processing, order.Shipped, order.InTransit}, true},
		{order.Pending, order.Shipped, []order.Status{order.Confirmed, order.Processing}, true},
		{order.Processing, order.Delivered, []order.Status{order.Shipped, order.InTransit}, true},
		{order.Shipped, order.Delivered, []order.Status{order.InTransit}, true},
		{order.Processing, order.OutForDelivery, []order.Status{order.Shipped}, true},
		{order.Returning, order.Delivered, []order.Status{order.InTransit}, true},
		{order.Processing, order.Shipped, nil, true},
		{order.InTransit, order.InTransit, nil, true},
		{order.InTransit, order.Cancelled, nil, false},
		{order.Delivered, order.InTransit, nil, false},
		{order.Shipped, order.Processing, nil, false},
	}
	for _, test := range tests {
		skipped, reached := order.Path(test.from, test.to)
		if !slices.Equal(skipped, test.skipped) || reached != test.reached {
			t.Errorf("Path(%s, %s) is %v, %v", test.from, test.to, skipped, reached)
		}
	}
}

func TestEveryStepOfAPathIsAllowed(t *testing.T) {
	t.Parallel()
	for _, from := range order.Statuses() {
		for _, to := range order.Statuses() {
			skipped, reached := order.Path(from, to)
			if !reached || from == to {
				continue
			}
			at := from
			for _, next := range append(skipped, to) {
				if !order.Allowed(at, next) {
					t.Errorf("Path(%s, %s) goes from %s to %s", from, to, at, next)
				}
				at = next
			}
		}
	}
}
