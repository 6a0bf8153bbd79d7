package order_test

import (
	"slices"
	"testing"

	"github.com/waybillhq/waybill/server/order"
)

func fact(identity string, status order.Status, at int) order.StatusFact {
	return order.StatusFact{
		FactID: order.FactID{EventID: "evt_" + identity, Identity: identity, Provider: "courier"},
		Status: status, At: minute(at), Certainty: order.Exact,
	}
}

func TestAParcelStandsWhereItsFactsSay(t *testing.T) {
	t.Parallel()
	tests := []struct {
		rule  string
		facts []order.StatusFact
		want  order.Status
		since int
	}{
		{"the highest rank wins, however old it is", []order.StatusFact{
			fact("a", order.Shipped, 9), fact("b", order.InTransit, 1),
		}, order.InTransit, 1},
		{"an end wins over newer movement", []order.StatusFact{
			fact("a", order.Delivered, 5), fact("b", order.InTransit, 9),
		}, order.Delivered, 5},
		{"among moving facts the newest wins", []order.StatusFact{
			fact("a", order.OutForDelivery, 3), fact("b", order.FailedDelivery, 4), fact("c", order.InTransit, 2),
		}, order.FailedDelivery, 4},
		{"a return can be called off", []order.StatusFact{
			fact("a", order.Returning, 3), fact("b", order.InTransit, 4),
		}, order.InTransit, 4},
		{"of the same moment the smaller identity wins", []order.StatusFact{
			fact("b", order.OutForDelivery, 3), fact("a", order.InTransit, 3),
		}, order.InTransit, 3},
		{"a status holds since the first fact of its last run", []order.StatusFact{
			fact("a", order.InTransit, 1), fact("b", order.OutForDelivery, 2),
			fact("c", order.InTransit, 3), fact("d", order.InTransit, 4),
		}, order.InTransit, 3},
		{"an end holds since its first fact", []order.StatusFact{
			fact("a", order.Delivered, 6), fact("b", order.Delivered, 5),
		}, order.Delivered, 5},
		{"cancelled counts while nothing has moved", []order.StatusFact{
			fact("a", order.Processing, 1), fact("b", order.Cancelled, 2),
		}, order.Cancelled, 2},
		{"cancelled does not count against movement, even older", []order.StatusFact{
			fact("a", order.Cancelled, 9), fact("b", order.Shipped, 1),
		}, order.Shipped, 1},
		{"delivered before a return began counts", []order.StatusFact{
			fact("a", order.Delivered, 1), fact("b", order.Returning, 2),
		}, order.Delivered, 1},
		{"delivered after a return began does not", []order.StatusFact{
			fact("a", order.Returning, 1), fact("b", order.Delivered, 2),
		}, order.Returning, 1},
		{"nor at the same moment: delivered to whom?", []order.StatusFact{
			fact("a", order.Delivered, 1), fact("b", order.Returning, 1),
		}, order.Returning, 1},
		{"of two ends the newest wins", []order.StatusFact{
			fact("a", order.Returned, 6), fact("b", order.Delivered, 5),
		}, order.Returned, 6},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			t.Parallel()
			for _, set := range permutations(test.facts) {
				derived := order.Derive(set, "", false)
				if derived.Status != test.want || !derived.At.Equal(minute(test.since)) || derived.Certainty != order.Exact {
					t.Errorf("%s since %s (%s)", derived.Status, derived.At, derived.Certainty)
				}
			}
		})
	}
}

func TestAParcelWithoutFactsIsProcessing(t *testing.T) {
	t.Parallel()
	derived := order.Derive(nil, "", true)
	if derived.Status != order.Processing || !derived.At.IsZero() || len(derived.Findings) != 0 {
		t.Errorf("%+v", derived)
	}
}

func TestAnEndThatWasShownStands(t *testing.T) {
	t.Parallel()
	tests := []struct {
		shown     order.Status
		fact      order.StatusFact
		standing  order.Standing
		attention string
	}{
		{order.Delivered, fact("x", order.Delivered, 7), order.Supports, ""},
		{order.Delivered, fact("x", order.Returned, 9), order.Against, order.AttentionTwoEndings},
		{order.Delivered, fact("x", order.Returned, 1), order.Against, order.AttentionTwoEndings},
		{order.Delivered, fact("x", order.InTransit, 9), order.Against, order.AttentionMovedAfterEnd},
		{order.Delivered, fact("x", order.Shipped, 9), order.Against, order.AttentionMovedAfterEnd},
		{order.Delivered, fact("x", order.InTransit, 5), order.Below, ""},
		{order.Delivered, fact("x", order.InTransit, 1), order.Below, ""},
		{order.Delivered, fact("x", order.Processing, 9), order.Below, ""},
		{order.Delivered, fact("x", order.Returning, 1), order.Against, order.AttentionDeliveredAfterReturn},
		{order.Delivered, fact("x", order.Returning, 9), order.Against, order.AttentionMovedAfterEnd},
		{order.Delivered, fact("x", order.Cancelled, 1), order.Against, order.AttentionCancelledAgainstMovement},
		{order.Returned, fact("x", order.Delivered, 9), order.Against, order.AttentionTwoEndings},
		{order.Returned, fact("x", order.Returning, 1), order.Below, ""},
		{order.Returned, fact("x", order.Returning, 9), order.Against, order.AttentionMovedAfterEnd},
		{order.Returned, fact("x", order.Cancelled, 9), order.Against, order.AttentionCancelledAgainstMovement},
		{order.Cancelled, fact("x", order.Shipped, 1), order.Against, order.AttentionCancelledAgainstMovement},
		{order.Cancelled, fact("x", order.Delivered, 9), order.Against, order.AttentionCancelledAgainstMovement},
		{order.Cancelled, fact("x", order.Processing, 9), order.Below, ""},
	}
	for _, test := range tests {
		for _, strict := range []bool{false, true} {
			set := []order.StatusFact{fact("end", test.shown, 5), test.fact}
			derived := order.Derive(set, test.shown, strict)
			found := derived.Findings[1]
			if derived.Status != test.shown || found.Standing != test.standing || found.Attention != test.attention {
				t.Errorf("%s shown, then %s at %s, strict %v: %s, %s %q",
					test.shown, test.fact.Status, test.fact.At.Format("15:04"), strict,
					derived.Status, found.Standing, found.Attention)
			}
			if found.Fact.Parked || (found.Standing != order.Supports && found.Reason == "") {
				t.Errorf("%s beside %s is parked or without a reason: %+v", test.fact.Status, test.shown, found)
			}
		}
	}
}

func TestDeliveredToWhomIsParkedUntilThereIsAnEnd(t *testing.T) {
	t.Parallel()
	set := []order.StatusFact{fact("a", order.Returning, 1), fact("b", order.Delivered, 2)}

	found := order.Derive(set, "", false).Findings[1]
	if !found.Fact.Parked || found.Standing != order.Uncounted || found.Attention != order.AttentionDeliveredAfterReturn {
		t.Errorf("delivered after a return: %+v", found)
	}

	set = append(set, fact("c", order.Returned, 3))
	derived := order.Derive(set, "", false)
	if derived.Status != order.Returned {
		t.Errorf("it came back and is %s", derived.Status)
	}
	if found := derived.Findings[1]; found.Fact.Parked || found.Standing != order.Against {
		t.Errorf("delivered beside returned: %+v", found)
	}
}

func TestAStrictAccountCountsOnlyWhatTheTableReaches(t *testing.T) {
	t.Parallel()
	tests := []struct {
		facts  []order.Status
		want   order.Status
		parked []order.Status
	}{
		{[]order.Status{order.Shipped, order.InTransit, order.Delivered}, order.Delivered, nil},
		{[]order.Status{order.Delivered}, order.Processing, []order.Status{order.Delivered}},
		{[]order.Status{order.InTransit, order.Delivered}, order.Processing, []order.Status{order.InTransit, order.Delivered}},
		{[]order.Status{order.Shipped, order.Delivered}, order.Shipped, []order.Status{order.Delivered}},
		{[]order.Status{order.Shipped, order.FailedDelivery, order.Delivered}, order.Delivered, nil},
		{[]order.Status{order.Shipped, order.Returned}, order.Returned, nil},
		{[]order.Status{order.Cancelled}, order.Cancelled, nil},
		{[]order.Status{order.Processing}, order.Processing, nil},
	}
	for _, test := range tests {
		var set []order.StatusFact
		for i, status := range test.facts {
			set = append(set, fact(string(rune('a'+i)), status, i))
		}
		for _, set := range permutations(set) {
			derived := order.Derive(set, "", true)
			var parked []order.Status
			for _, found := range derived.Findings {
				if found.Fact.Parked {
					parked = append(parked, found.Fact.Status)
				}
			}
			slices.Sort(parked)
			slices.Sort(test.parked)
			if derived.Status != test.want || !slices.Equal(parked, test.parked) {
				t.Errorf("%v: %s, parked %v", test.facts, derived.Status, parked)
			}
		}
	}
}
