package api

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"connectrpc.com/connect/v2"

	healthv1 "github.com/waybillhq/waybill/gen/go/grpc/health/v1"
	"github.com/waybillhq/waybill/gen/go/grpc/health/v1/healthv1connect"
)

// Storage says whether storage is there and has the tables that this version needs.
type Storage interface {
	// Ping says whether the database answers.
	Ping(ctx context.Context) error
	// CheckSchema says whether its tables are those that this program was built for.
	CheckSchema(ctx context.Context) error
}

const (
	// readyTimeout is how long storage may take to say that it is there.
	readyTimeout = 2 * time.Second
	// watchInterval is how often a watcher of the health looks again.
	watchInterval = 5 * time.Second
)

// Health says whether the server takes calls. It is ready from the start until ShutDown, while its storage is there.
type Health struct {
	storage Storage
	// tick makes the ticks at which watchers look again. Tests put in their own.
	tick func() (<-chan time.Time, func())

	once sync.Once
	down chan struct{}
}

// NewHealth watches over a storage.
func NewHealth(storage Storage) *Health {
	return &Health{
		storage: storage,
		down:    make(chan struct{}),
		tick: func() (<-chan time.Time, func()) {
			ticker := time.NewTicker(watchInterval)
			return ticker.C, ticker.Stop
		},
	}
}

// ShutDown makes the server unready and ends the health watches, so that a graceful stop doesn't wait for them.
func (h *Health) ShutDown() {
	h.once.Do(func() { close(h.down) })
}

func (h *Health) isDown() bool {
	select {
	case <-h.down:
		return true
	default:
		return false
	}
}

// Unready says why the server takes no calls, in words for outsiders. Empty: it takes them.
func (h *Health) Unready(ctx context.Context) string {
	if h.isDown() {
		return "shutting down"
	}
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	if h.storage.Ping(ctx) != nil {
		return "storage does not answer"
	}
	if h.storage.CheckSchema(ctx) != nil {
		return "storage has the schema of another version"
	}
	return ""
}

// Live answers that the process runs.
func (h *Health) Live(w http.ResponseWriter, _ *http.Request) {
	answerProbe(w, http.StatusOK, "live")
}

// Ready answers whether the server takes calls.
func (h *Health) Ready(w http.ResponseWriter, r *http.Request) {
	if reason := h.Unready(r.Context()); reason != "" {
		answerProbe(w, http.StatusServiceUnavailable, reason)
		return
	}
	answerProbe(w, http.StatusOK, "ready")
}

func answerProbe(w http.ResponseWriter, status int, word string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, word+"\n")
}

// healthService speaks grpc.health.v1.
type healthService struct {
	health *Health
	// services are the names that may be asked for.
	services map[string]bool
}

// servicesOf are the services of a server, by their full names, and the empty name, which means all of it.
func servicesOf(server *connect.Server) map[string]bool {
	services := map[string]bool{"": true}
	for spec := range server.Specs() {
		service, _, _ := strings.Cut(strings.TrimPrefix(spec.Procedure, "/"), "/")
		services[service] = true
	}
	return services
}

// Check implements healthv1connect.HealthHandler.
func (s *healthService) Check(ctx context.Context, req *healthv1.HealthCheckRequest) (*healthv1.HealthCheckResponse, error) {
	if !s.services[req.GetService()] {
		return nil, errNotFound
	}
	return &healthv1.HealthCheckResponse{Status: s.status(ctx)}, nil
}

// Watch implements healthv1connect.HealthHandler.
func (s *healthService) Watch(
	ctx context.Context, req *healthv1.HealthCheckRequest, stream healthv1connect.HealthWatchServerStream,
) error {
	ticks, stop := s.health.tick()
	defer stop()
	last := healthv1.HealthCheckResponse_UNKNOWN
	for {
		status := healthv1.HealthCheckResponse_SERVICE_UNKNOWN
		if s.services[req.GetService()] {
			status = s.status(ctx)
		}
		if status != last {
			if err := stream.Send(&healthv1.HealthCheckResponse{Status: status}); err != nil {
				return err
			}
			last = status
		}
		if s.health.isDown() {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.health.down:
		case <-ticks:
		}
	}
}

func (s *healthService) status(ctx context.Context) healthv1.HealthCheckResponse_ServingStatus {
	if s.health.Unready(ctx) != "" {
		return healthv1.HealthCheckResponse_NOT_SERVING
	}
	return healthv1.HealthCheckResponse_SERVING
}
