package work

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// OpenSnapshots knows of transactions that stay open.
type OpenSnapshots interface {
	// OldestSnapshot is how long the oldest open transaction has been open. False: the database knows no such thing.
	OldestSnapshot(ctx context.Context) (time.Duration, bool, error)
}

// Snapshots shows the oldest open transaction to Prometheus: while it lasts, the database can't remove what was deleted
// since, and everything grows.
type Snapshots struct {
	snapshots OpenSnapshots
	logger    *slog.Logger
	age       *prometheus.Desc
}

// NewSnapshots makes a collector.
func NewSnapshots(snapshots OpenSnapshots, logger *slog.Logger) *Snapshots {
	return &Snapshots{
		snapshots: snapshots,
		logger:    logger,
		age: prometheus.NewDesc("waybill_database_oldest_snapshot_seconds",
			"For how long the oldest open transaction of the database has been open.", nil, nil),
	}
}

// Describe implements prometheus.Collector.
func (s *Snapshots) Describe(out chan<- *prometheus.Desc) { out <- s.age }

// Collect implements prometheus.Collector.
func (s *Snapshots) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	age, known, err := s.snapshots.OldestSnapshot(ctx)
	if err != nil {
		s.logger.Warn("work: oldest snapshot for metrics", "error", err)
		return
	}
	if known {
		out <- prometheus.MustNewConstMetric(s.age, prometheus.GaugeValue, age.Seconds())
	}
}
