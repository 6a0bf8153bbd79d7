package waybill_test

import (
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"

	waybill "github.com/waybillhq/waybill/clients/go"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/gen/go/waybill/v1/waybillv1connect"
)

// service answers the calls that a test gives it a function for; all others are Unimplemented.
type service struct {
	waybillv1connect.UnimplementedTrackingServiceHandler
	waybillv1connect.UnimplementedIngestServiceHandler
	waybillv1connect.UnimplementedWorkServiceHandler
	waybillv1connect.UnimplementedProviderServiceHandler

	getOrder    func(context.Context, *waybillv1.GetOrderStatusRequest) (*waybillv1.Order, error)
	ingest      func(context.Context, *waybillv1.IngestEventRequest) (*waybillv1.IngestEventResponse, error)
	listPending func(*waybillv1.ListPendingWorkRequest) (*waybillv1.ListPendingWorkResponse, error)
	listEvents  func(*waybillv1.ListEventsRequest) (*waybillv1.ListEventsResponse, error)
	getEvent    func(*waybillv1.GetEventRequest) (*waybillv1.Event, error)
	reprocess   func(*waybillv1.ReprocessRequest) (*waybillv1.ReprocessResponse, error)
	providers   func(account string) []*waybillv1.Provider
}

func (s *service) GetOrderStatus(ctx context.Context, req *waybillv1.GetOrderStatusRequest) (*waybillv1.GetOrderStatusResponse, error) {
	order, err := s.getOrder(ctx, req)
	return &waybillv1.GetOrderStatusResponse{Order: order}, err
}

func (s *service) IngestEvent(ctx context.Context, req *waybillv1.IngestEventRequest) (*waybillv1.IngestEventResponse, error) {
	return s.ingest(ctx, req)
}

func (s *service) ListPendingWork(_ context.Context, req *waybillv1.ListPendingWorkRequest) (*waybillv1.ListPendingWorkResponse, error) {
	return s.listPending(req)
}

func (s *service) ListEvents(_ context.Context, req *waybillv1.ListEventsRequest) (*waybillv1.ListEventsResponse, error) {
	return s.listEvents(req)
}

func (s *service) GetEvent(_ context.Context, req *waybillv1.GetEventRequest) (*waybillv1.GetEventResponse, error) {
	event, err := s.getEvent(req)
	return &waybillv1.GetEventResponse{Event: event}, err
}

func (s *service) Reprocess(_ context.Context, req *waybillv1.ReprocessRequest) (*waybillv1.ReprocessResponse, error) {
	return s.reprocess(req)
}

func (s *service) ListProviders(_ context.Context, req *waybillv1.ListProvidersRequest) (*waybillv1.ListProvidersResponse, error) {
	return &waybillv1.ListProvidersResponse{Providers: s.providers(req.GetAccount())}, nil
}

// handler mounts the generated handlers of a service.
func handler(s *service, interceptors ...connect.ServerInterceptor) http.Handler {
	server := connect.NewServer(interceptors...)
	waybillv1connect.RegisterTrackingServiceHandler(server, s)
	waybillv1connect.RegisterIngestServiceHandler(server, s)
	waybillv1connect.RegisterWorkServiceHandler(server, s)
	waybillv1connect.RegisterProviderServiceHandler(server, s)
	mux := http.NewServeMux()
	connecthttp.Mount(mux, server)
	return mux
}

func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

func newClient(t *testing.T, baseURL string, options ...waybill.Option) *waybill.Client {
	t.Helper()
	client, err := waybill.New(baseURL, options...)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// wire hands requests to a handler without a network, so that a test can let time pass by itself (testing/synctest).
type wire struct {
	handler http.Handler
	sent    atomic.Int64
}

func (w *wire) Do(r *http.Request) (*http.Response, error) {
	w.sent.Add(1)
	recorder := httptest.NewRecorder()
	w.handler.ServeHTTP(recorder, r)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return recorder.Result(), nil
}

// rawStatus answers every request with a status and headers, as a proxy would.
func rawStatus(status int, header http.Header) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		maps.Copy(w.Header(), header)
		w.WriteHeader(status)
	})
}
