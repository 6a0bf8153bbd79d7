package webhook_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestTheMethodComesFirst(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	var first http.Header
	for _, path := range []string{"/webhooks/shop/stripe", "/webhooks/shop/nobody", "/webhooks/x/y/z", "/webhooks/", "/webhooks", "//webhooks//x/"} {
		for _, method := range []string{http.MethodHead, http.MethodGet, http.MethodOptions} {
			w := d.serve(httptest.NewRequestWithContext(t.Context(), method, path, nil))
			if w.Code != 200 || w.Body.Len() != 0 {
				t.Errorf("%s %s: %d %s", method, path, w.Code, w.Body)
			}
			if first == nil {
				first = w.Header()
			}
			if len(w.Header()) != len(first) {
				t.Errorf("%s %s: headers %v tell it from another path's %v", method, path, w.Header(), first)
			}
		}
		for _, method := range []string{http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodTrace, "PROPFIND"} {
			w := d.serve(httptest.NewRequestWithContext(t.Context(), method, path, nil))
			if w.Code != 405 || !strings.Contains(w.Header().Get("Allow"), "POST") {
				t.Errorf("%s %s: %d, Allow %q", method, path, w.Code, w.Header().Get("Allow"))
			}
		}
	}
}

func TestAddressesAreReadAsTheyComeAndNeverRedirected(t *testing.T) {
	t.Parallel()
	for path, status := range map[string]int{
		"/webhooks/shop/stripe":               200,
		"/webhooks/shop/stripe/":              200,
		"//webhooks/shop/stripe":              200,
		"/webhooks//shop/stripe":              200,
		"/webhooks/shop//stripe//":            200,
		"/webhooks/shop/stripe?token=x&a=%zz": 200,
		"/webhooks/shop/nobody":               404,
		"/webhooks/nobody/stripe":             404,
		"/webhooks/shop":                      404,
		"/webhooks/":                          404,
		"/webhooks/shop/stripe/more":          404,
		"/webhooks/shop/../shop/stripe":       404,
		"/webhooks/./shop/stripe":             404,
		"/webhooks/shop%2Fstripe":             404,
		"/webhooks/%73hop/stripe":             404,
		"/webhooks/SHOP/stripe":               404,
		"/webhooks/shop/stripe%00":            404,
	} {
		d := newDoor(t, nil)
		mux := http.NewServeMux()
		mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
		signed := sample(t, "stripe", "payment_intent.succeeded")
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://waybill.example.test"+path, signed.Body)
		r.Header = signed.Header
		w := httptest.NewRecorder()
		d.Before(mux).ServeHTTP(w, r)
		if w.Code != status || len(d.client.seen()) != map[int]int{200: 1}[status] {
			t.Errorf("%s: %d with %d events, want %d", path, w.Code, len(d.client.seen()), status)
		}
	}
	for _, path := range []string{"/", "/webhooksx/shop/stripe", "/api/webhooks/shop/stripe"} {
		w := httptest.NewRecorder()
		newDoor(t, nil).Before(http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		if w.Code != http.StatusNotFound {
			t.Errorf("%s is not the door's and was answered %d by it", path, w.Code)
		}
	}
}

func TestARenamedProviderIsReachedUnderBothNames(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	r := sample(t, "pathao", "order.picked")
	r.URL.Path = "/webhooks/shop/courier-before"
	if w := d.serve(r); w.Code != 202 || d.client.seen()[0].GetProvider() != "pathao" {
		t.Errorf("answer %d, events %v", w.Code, d.client.seen())
	}
}
