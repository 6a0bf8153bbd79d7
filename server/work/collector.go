package work

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/waybillhq/waybill/server/store"
)

// Summaries counts what is unfinished.
type Summaries interface {
	// PendingSummary is all of an account's unfinished work in numbers.
	PendingSummary(ctx context.Context, account string) (store.Summary, error)
}

// Collector shows what is unfinished to Prometheus. It asks the database when it is asked.
type Collector struct {
	summaries Summaries
	accounts  []string
	logger    *slog.Logger
	now       func() time.Time

	items, oldestDue, oldestWaiting, failures *prometheus.Desc
}

// NewCollector makes a collector for some accounts.
func NewCollector(summaries Summaries, accounts []string, logger *slog.Logger) *Collector {
	return &Collector{
		summaries: summaries,
		accounts:  accounts,
		logger:    logger,
		now:       time.Now,
		items: prometheus.NewDesc("waybill_pending_items",
			"Unfinished items by kind and state.", []string{"account", "kind", "state"}, nil),
		oldestDue: prometheus.NewDesc("waybill_pending_oldest_due_seconds",
			"For how long the oldest due item has been due. 0: nothing is due.", []string{"account"}, nil),
		oldestWaiting: prometheus.NewDesc("waybill_pending_oldest_waiting_seconds",
			"Since when the oldest unfinished item was first received; retries don't reset it. 0: all is finished.",
			[]string{"account"}, nil),
		failures: prometheus.NewDesc("waybill_pending_scrape_failed",
			"1 where the numbers of the account could not be read.", []string{"account"}, nil),
	}
}

// Describe implements prometheus.Collector.
func (c *Collector) Describe(out chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{c.items, c.oldestDue, c.oldestWaiting, c.failures} {
		out <- desc
	}
}

// Collect implements prometheus.Collector.
func (c *Collector) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	for _, account := range c.accounts {
		summary, err := c.summaries.PendingSummary(ctx, account)
		failed := 0.0
		if err != nil {
			c.logger.Warn("work: pending summary for metrics", "account", account, "error", err)
			failed = 1
		}
		out <- prometheus.MustNewConstMetric(c.failures, prometheus.GaugeValue, failed, account)
		if err == nil {
			c.collect(out, account, summary)
		}
	}
}

func (c *Collector) collect(out chan<- prometheus.Metric, account string, summary store.Summary) {
	for _, count := range summary.Counts {
		out <- prometheus.MustNewConstMetric(c.items, prometheus.GaugeValue,
			float64(count.Count), account, count.Kind, string(count.State))
	}
	out <- prometheus.MustNewConstMetric(c.oldestDue, prometheus.GaugeValue, c.age(summary.OldestDueAt), account)
	out <- prometheus.MustNewConstMetric(c.oldestWaiting, prometheus.GaugeValue, c.age(summary.OldestWaitingAt), account)
}

func (c *Collector) age(since time.Time) float64 {
	if since.IsZero() {
		return 0
	}
	return max(0, c.now().Sub(since).Seconds())
}
