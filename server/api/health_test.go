package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"connectrpc.com/connect/v2"
	"connectrpc.com/grpcreflect/v2"
	"google.golang.org/protobuf/reflect/protoreflect"

	healthv1 "github.com/waybillhq/waybill/gen/go/grpc/health/v1"
	"github.com/waybillhq/waybill/gen/go/grpc/health/v1/healthv1connect"
)

// moodyStorage is there, or isn't, or has another schema.
type moodyStorage struct{ away, foreign atomic.Bool }

func (m *moodyStorage) Ping(context.Context) error        { return failing(m.away.Load()) }
func (m *moodyStorage) CheckSchema(context.Context) error { return failing(m.foreign.Load()) }

func failing(yes bool) error {
	if yes {
		return errors.New("SEEDED: no such host")
	}
	return nil
}

// newMoodyHouse is a house whose health is looked at when the test says so.
func newMoodyHouse(t *testing.T) (*house, *moodyStorage, chan time.Time) {
	t.Helper()
	storage, ticks := &moodyStorage{}, make(chan time.Time)
	house := newHouse(t, &fakeStore{}, func(deps *Deps) {
		deps.Health = NewHealth(storage)
		deps.Health.tick = func() (<-chan time.Time, func()) { return ticks, func() {} }
	})
	return house, storage, ticks
}

func (h *house) probe(t *testing.T, path string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, strings.TrimSpace(string(body))
}

func TestProbesSayWhetherTheServerLivesAndIsReady(t *testing.T) {
	t.Parallel()
	house, storage, _ := newMoodyHouse(t)
	ready := func(wantStatus int, wantBody string) {
		t.Helper()
		status, body := house.probe(t, "/readyz")
		if status != wantStatus || body != wantBody {
			t.Errorf("ready: %d %q, want %d %q", status, body, wantStatus, wantBody)
		}
		if status, body := house.probe(t, "/livez"); status != http.StatusOK || body != "live" {
			t.Errorf("live: %d %q", status, body)
		}
	}

	ready(http.StatusOK, "ready")
	storage.away.Store(true)
	ready(http.StatusServiceUnavailable, "storage does not answer")
	storage.away.Store(false)
	storage.foreign.Store(true)
	ready(http.StatusServiceUnavailable, "storage has the schema of another version")
	storage.foreign.Store(false)
	ready(http.StatusOK, "ready")
	house.health.ShutDown()
	house.health.ShutDown()
	ready(http.StatusServiceUnavailable, "shutting down")
}

func TestHealthIsAskedWithoutAKey(t *testing.T) {
	t.Parallel()
	for door := range doors {
		house, storage, _ := newMoodyHouse(t)
		client := healthv1connect.NewHealthClient(house.over(door, ""))
		check := func(service string) (healthv1.HealthCheckResponse_ServingStatus, error) {
			res, err := client.Check(t.Context(), &healthv1.HealthCheckRequest{Service: service})
			return res.GetStatus(), err
		}

		for _, service := range []string{"", "waybill.v1.IngestService", "waybill.v1.TrackingService", "grpc.health.v1.Health"} {
			if status, err := check(service); err != nil || status != healthv1.HealthCheckResponse_SERVING {
				t.Errorf("%q over %s: %s, %v", service, door, status, err)
			}
		}
		if _, err := check("waybill.v1.NoService"); connect.CodeOf(err) != connect.CodeNotFound {
			t.Errorf("an unknown service over %s: %v", door, err)
		}
		storage.away.Store(true)
		if status, err := check(""); err != nil || status != healthv1.HealthCheckResponse_NOT_SERVING {
			t.Errorf("without storage over %s: %s, %v", door, status, err)
		}
	}
}

func TestAHealthWatchFollowsTheServerAndEndsWithIt(t *testing.T) {
	t.Parallel()
	for _, door := range []string{"connect", "grpc", "grpc-web"} {
		t.Run(door, func(t *testing.T) {
			t.Parallel()
			house, storage, ticks := newMoodyHouse(t)
			stream, err := healthv1connect.NewHealthClient(house.over(door, "")).Watch(t.Context(), &healthv1.HealthCheckRequest{})
			if err != nil {
				t.Fatal(err)
			}
			next := func(want healthv1.HealthCheckResponse_ServingStatus) {
				t.Helper()
				res, err := stream.Receive()
				if err != nil || res.GetStatus() != want {
					t.Fatalf("%s, %v; want %s", res.GetStatus(), err, want)
				}
			}

			next(healthv1.HealthCheckResponse_SERVING)
			ticks <- time.Time{} // nothing has changed: nothing is sent
			storage.away.Store(true)
			ticks <- time.Time{}
			next(healthv1.HealthCheckResponse_NOT_SERVING)
			storage.away.Store(false)
			ticks <- time.Time{}
			next(healthv1.HealthCheckResponse_SERVING)
			house.health.ShutDown()
			next(healthv1.HealthCheckResponse_NOT_SERVING)
			if _, err := stream.Receive(); !errors.Is(err, io.EOF) {
				t.Fatalf("the watch goes on: %v", err)
			}
		})
	}
}

func TestAHealthWatchOfAnUnknownServiceSaysSo(t *testing.T) {
	t.Parallel()
	house, _, _ := newMoodyHouse(t)
	stream, err := healthv1connect.NewHealthClient(house.over("grpc", "")).
		Watch(t.Context(), &healthv1.HealthCheckRequest{Service: "none"})
	if err != nil {
		t.Fatal(err)
	}

	res, err := stream.Receive()

	if err != nil || res.GetStatus() != healthv1.HealthCheckResponse_SERVICE_UNKNOWN {
		t.Fatalf("%s, %v", res.GetStatus(), err)
	}
}

func TestReflectionListsEveryServiceAndItsFile(t *testing.T) {
	t.Parallel()
	house := newHouse(t, &fakeStore{})
	client := grpcreflect.NewClient(house.over("grpc", ""))
	stream := client.NewStream(t.Context())
	defer stream.Close()

	names, err := stream.ListServices()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"waybill.v1.IngestService", "waybill.v1.TrackingService", "waybill.v1.WorkService", "waybill.v1.ProviderService",
		"grpc.health.v1.Health",
	} {
		if !slices.ContainsFunc(names, func(name protoreflect.FullName) bool { return string(name) == want }) {
			t.Errorf("%s is missing in %v", want, names)
			continue
		}
		if files, err := stream.FileContainingSymbol(protoreflect.FullName(want)); err != nil || len(files) == 0 {
			t.Errorf("%s: %d files, %v", want, len(files), err)
		}
	}
}
