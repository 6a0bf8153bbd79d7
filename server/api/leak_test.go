package api

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/gen/go/waybill/v1/waybillv1connect"
)

// TestNeitherKeysNorPayloadsReachALogAnErrorOrAMetric plays good and bad calls whose messages hold seeded texts through
// every door, and then searches everything that was written down.
func TestNeitherKeysNorPayloadsReachALogAnErrorOrAMetric(t *testing.T) {
	t.Parallel()
	shop := newJourney(t)
	seeds := []string{"SEEDED", keyText(senderKey), keyText("nobody"), keyText(operatorKey)}
	calm := func(where, text string) {
		t.Helper()
		for _, seed := range seeds {
			if strings.Contains(text, seed) {
				t.Errorf("%q stands in %s: %s", seed, where, text)
			}
		}
	}

	bad := scanEvent("SEEDED identity", "SEEDED number", shipped, start)
	bad.GetChanges()[0].GetStatusChanged().Shipment = &waybillv1.ShipmentReference{}
	invalid := scanEvent("SEEDED \xff", "1001", shipped, start)
	for door := range doors {
		for _, key := range []string{"", "nobody", senderKey, operatorKey} {
			client := waybillv1connect.NewIngestServiceClient(shop.over(door, key))
			for _, event := range []*waybillv1.IngestEventRequest{
				bad, scanEvent("scan over "+door, "SEEDED", shipped, start),
			} {
				if _, err := client.IngestEvent(t.Context(), event); err != nil {
					calm("an error", err.Error())
				}
			}
			for procedure, req := range requests {
				spec, _ := specOf(shop.server, procedure)
				if err := invoke(t.Context(), shop.over(door, key), spec, req); err != nil {
					calm("an error", err.Error())
				}
			}
		}
	}
	local := waybillv1connect.NewIngestServiceClient(InProcess(shop.server, Adapter()))
	if _, err := local.IngestEvent(t.Context(), invalid); err != nil {
		calm("an error", err.Error())
	}
	shop.undecodable(t, `{"account":"shop","eventId":SEEDED}`)
	shop.getWithMessage(t, &waybillv1.ListEventsRequest{Account: "shop", OrderNumber: "SEEDED"})
	shop.decide(t)
	if _, err := shop.reprocess(t, "SEEDED", func(m *waybillv1.ReprocessRequest) { m.Reason = "SEEDED reason" }); err != nil {
		calm("an error", err.Error())
	}

	if log := shop.log.String(); strings.Count(log, "\n") < 100 {
		t.Fatalf("the log has %d lines", strings.Count(log, "\n"))
	}
	calm("the log", shop.log.String())
	calm("the metrics", shop.get(t, "/metrics"))
}

// undecodable sends text that is JSON but not the message.
func (s *shop) undecodable(t *testing.T, text string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
		s.url+waybillv1connect.IngestServiceIngestEventProcedure, bytes.NewReader([]byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", bearer(senderKey))
	s.do(t, req, http.StatusBadRequest)
}

// getWithMessage calls a read whose message stands in the URL.
func (s *shop) getWithMessage(t *testing.T, message proto.Message) {
	t.Helper()
	text, err := protojson.Marshal(message)
	if err != nil {
		t.Fatal(err)
	}
	query := url.Values{"connect": {"v1"}, "encoding": {"json"}, "message": {string(text)}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
		s.url+waybillv1connect.WorkServiceListEventsProcedure+"?"+query.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", bearer(operatorKey))
	s.do(t, req, http.StatusOK)
}

func (s *shop) do(t *testing.T, req *http.Request, want int) {
	t.Helper()
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != want {
		t.Fatalf("%d, want %d: %s, %v", res.StatusCode, want, body, err)
	}
}

func TestTrackingIsNeverAskedInAURL(t *testing.T) {
	t.Parallel()
	shop := newShop(t)
	query := url.Values{"connect": {"v1"}, "encoding": {"json"}, "message": {`{"account":"shop","orderNumber":"1001"}`}}
	for _, procedure := range []string{
		waybillv1connect.TrackingServiceGetOrderStatusProcedure, waybillv1connect.IngestServiceIngestEventProcedure,
		waybillv1connect.WorkServiceReprocessProcedure,
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, shop.url+procedure+"?"+query.Encode(), nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", bearer(trackerKey))
		shop.do(t, req, http.StatusMethodNotAllowed)
	}
}
