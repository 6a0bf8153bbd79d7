package provider_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/waybillhq/waybill/server/provider"
)

func TestItemsAreTakenApartByteForByte(t *testing.T) {
	t.Parallel()
	items, several, err := provider.Items([]byte("\ufeff"+`{"x":{"a":1,"a":2},"list":[ {"a":1, "a":2} ,7,"\ud800",[ ] ,null]}`), "list")
	if err != nil || !several {
		t.Fatalf("several %t, %v", several, err)
	}
	got := make([]string, 0, len(items))
	for _, item := range items {
		got = append(got, string(item))
	}
	if want := []string{`{"a":1, "a":2}`, "7", `"\ud800"`, "[ ]", "null"}; !slices.Equal(got, want) {
		t.Errorf("items %q, want %q", got, want)
	}
}

func TestABodyWithoutAListHoldsOneEvent(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{}`, `{"x":1}`, `{"list":null}`, `{"LIST":[1]}`} {
		if items, several, err := provider.Items([]byte(body), "list"); several || len(items) > 0 || err != nil {
			t.Errorf("%s: several %t, %v", body, several, err)
		}
	}
	if items, several, err := provider.Items([]byte(`{"list":[]}`), "list"); !several || len(items) > 0 || err != nil {
		t.Errorf("an empty list: several %t, %d items, %v", several, len(items), err)
	}
}

func TestABodyThatIsNoObjectIsAnError(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		"", " ", "[]", "7", `"x"`, "null", "{", `{"list"`, `{"list":`, `{"list":[`, `{"list":[1`, `{"list":[1]`, `{"list":[1]}x`,
		`{"list":[1]}{}`, `{"list":[1],"list":[2]}`, `{"a":1,"\u0061":2}`, `{"list":{}}`, `{"list":"x"}`, `{"list":7}`, `{1:2}`, `{"a":01}`, "\x00",
	} {
		if _, _, err := provider.Items([]byte(body), "list"); err == nil {
			t.Errorf("%q was taken", body)
		} else if strings.Contains(err.Error(), "\x00") {
			t.Errorf("%q: the error quotes the body: %v", body, err)
		}
	}
	if _, _, err := provider.Items([]byte(`{"list":`+strings.Repeat("[", 200_000)), "list"); err == nil {
		t.Error("endless nesting was taken")
	}
}
