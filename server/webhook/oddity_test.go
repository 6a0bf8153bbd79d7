package webhook_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
)

const plainMembers = `"consignment_id":"C-1","event_status":"in_transit","event_time":"2026-01-15T12:30:05Z"`

// TestOddBodiesLeaveADefinedRecord sends what a sender has proven and what no example shows, over a real connection.
// Whatever it is: it is kept to the last byte, and read or left undecoded as the table says.
func TestOddBodiesLeaveADefinedRecord(t *testing.T) {
	t.Parallel()
	const undecoded = "undecoded"
	for name, test := range map[string]struct {
		contentType, body string
		// reads is "undecoded", or the parcel and note that are read.
		reads string
	}{
		"nothing":                         {"application/json", "", undecoded},
		"null":                            {"application/json", "null", undecoded},
		"a form":                          {"application/x-www-form-urlencoded", "consignment_id=C-1&event_status=in_transit", undecoded},
		"JSON in a form":                  {"application/x-www-form-urlencoded", "payload=%7B%22consignment_id%22%3A%22C-1%22%7D", undecoded},
		"JSON that calls itself a form":   {"application/x-www-form-urlencoded", "{" + plainMembers + "}", "C-1 "},
		"JSON that calls itself text":     {"text/plain", "{" + plainMembers + "}", "C-1 "},
		"JSON in a text":                  {"application/json", `"{\"consignment_id\":\"C-1\",\"event_status\":\"in_transit\"}"`, undecoded},
		"JSON in a member":                {"application/json", `{"data":"{\"consignment_id\":\"C-1\",\"event_status\":\"in_transit\"}"}`, undecoded},
		"JSON in a note":                  {"application/json", `{"message":"{\"event_status\":\"delivered\"}",` + plainMembers + "}", `C-1 {"event_status":"delivered"}`},
		"XML":                             {"text/xml", "<scan>C-1</scan>", undecoded},
		"a member twice":                  {"application/json", `{"event_status":"delivered",` + plainMembers + "}", undecoded},
		"an unknown member twice":         {"application/json", `{"x":1,"x":2,` + plainMembers + "}", undecoded},
		"a member in another case":        {"application/json", `{"Event_Status":"delivered","CONSIGNMENT_ID":"C-2",` + plainMembers + "}", "C-1 "},
		"a member escaped":                {"application/json", `{"consignment\u005fid":"C-1",` + strings.Replace(plainMembers, `"consignment_id":"C-1",`, "", 1) + "}", "C-1 "},
		"a member twice, once escaped":    {"application/json", `{"consignment\u005fid":"C-2",` + plainMembers + "}", undecoded},
		"a mark before it":                {"application/json", "\ufeff{" + plainMembers + "}", "C-1 "},
		"two marks before it":             {"application/json", "\ufeff\ufeff{" + plainMembers + "}", undecoded},
		"blanks around it":                {"application/json", " \r\n\t{" + plainMembers + "}\r\n\r\n", "C-1 "},
		"a second value after it":         {"application/json", "{" + plainMembers + "}{}", undecoded},
		"a zero byte":                     {"application/json", "{" + plainMembers + "}\x00", undecoded},
		"an escaped zero in a note":       {"application/json", `{"message":"a\u0000b",` + plainMembers + "}", "C-1 a\uFFFDb"},
		"a backslash and u0000 in a note": {"application/json", `{"message":"a\\u0000b",` + plainMembers + "}", `C-1 a\u0000b`},
		"an escaped zero in an id":        {"application/json", strings.Replace("{"+plainMembers+"}", "C-1", `C\u0000`, 1), undecoded},
		"half a surrogate in a note":      {"application/json", `{"message":"a\ud83db",` + plainMembers + "}", "C-1 a\uFFFDb"},
		"half a surrogate in an id":       {"application/json", strings.Replace("{"+plainMembers+"}", "C-1", `C\ud83d`, 1), undecoded},
		"bytes that are no UTF-8":         {"application/json", "{\"message\":\"a\xffb\"," + plainMembers + "}", "C-1 a\uFFFDb"},
		"bytes that are no UTF-8, in id":  {"application/json", strings.Replace("{"+plainMembers+"}", "C-1", "C\xff", 1), undecoded},
		"letters of many kinds":           {"application/json", `{"message":"` + letters + `",` + plainMembers + "}", "C-1 " + letters},
		"a number beyond 2^53 as an id":   {"application/json", strings.Replace("{"+plainMembers+"}", `"C-1"`, "90071992547409931234", 1), "90071992547409931234 "},
		"a number with decimals as an id": {"application/json", strings.Replace("{"+plainMembers+"}", `"C-1"`, "12.0", 1), undecoded},
		"an id of blanks":                 {"application/json", strings.Replace("{"+plainMembers+"}", "C-1", "   ", 1), undecoded},
		"a list of nothing":               {"application/json", "[]", undecoded},
		"deep nesting":                    {"application/json", `{"x":` + strings.Repeat("[", 50_000) + strings.Repeat("]", 50_000) + "," + plainMembers + "}", undecoded},
		"not a number":                    {"application/json", `{"x":NaN,` + plainMembers + "}", undecoded},
	} {
		d := newDoor(t, nil)
		r := delivery(t, []byte(test.body), nil, "Content-Type", test.contentType)
		connection := dial(t, d)
		fmt.Fprintf(connection, "POST /webhooks/shop/courier HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n%s\r\n%s", len(test.body), headerLines(r, same), test.body)
		if got := statusOf(t, connection); got != 200 || len(d.client.seen()) != 1 {
			t.Errorf("%s: answer %d with %d events", name, got, len(d.client.seen()))
			continue
		}
		event := d.client.seen()[0]
		if got := reading(event); got != test.reads {
			t.Errorf("%s: reads %q, want %q", name, got, test.reads)
		}
		if string(event.GetRaw().GetBody()) != test.body {
			t.Errorf("%s: the bytes were not kept as they came", name)
		}
	}
}

// letters are an emoji of several parts, text that runs from right to left, a letter of two parts, and a mark that turns
// the reading direction.
const letters = "👩‍🚀 مرحبا e\u0301 \u202eabc 𝒳"

// reading is the parcel and note of an event that was read, and "undecoded" for one that was not.
func reading(event *waybillv1.IngestEventRequest) string {
	change := event.GetChanges()[0].GetStatusChanged()
	if change == nil {
		return summary(event)
	}
	return event.GetReferences()[0].GetValue() + " " + change.GetReason()
}

func TestWhereAContractRefusesBadBodiesNothingIsLeft(t *testing.T) {
	t.Parallel()
	good := sample(t, "payments", "payment.succeeded")
	body, _ := io.ReadAll(good.Body)
	for name, odd := range map[string]string{
		"a member twice":         `{"eventId":"e-2",` + string(body[1:]),
		"a mark twice":           "\ufeff\ufeff" + string(body),
		"half a surrogate":       strings.Replace(string(body), "synth0001", `\ud83d`, 1),
		"an escaped zero":        strings.Replace(string(body), "synth0001", `a\u0000`, 1),
		"a form":                 "eventId=e-1&amount=10",
		"JSON in a text":         `"` + strings.ReplaceAll(string(body), `"`, `\"`) + `"`,
		"bytes that are no text": strings.Replace(string(body), "synth0001", "a\xff", 1),
	} {
		d := newDoor(t, nil)
		r := sample(t, "payments", "payment.succeeded")
		if w := d.serve(withBody(r, odd)); w.Code != http.StatusBadRequest || len(d.client.seen()) != 0 {
			t.Errorf("%s: answer %d with %d events", name, w.Code, len(d.client.seen()))
		}
	}
}
