package webhook

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/waybillhq/waybill/server/provider"
)

// metrics count answers. Labels are configured names and our own verdicts only: what a stranger writes into a path
// never becomes a series.
type metrics struct {
	requests *prometheus.CounterVec
	limited  *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
}

func newMetrics(registerer prometheus.Registerer) *metrics {
	factory := promauto.With(registerer)
	return &metrics{
		requests: factory.NewCounterVec(prometheus.CounterOpts{
			Name: "waybill_webhook_requests_total",
			Help: "Webhook requests answered, by account, provider and verdict.",
		}, []string{"account", "provider", "verdict"}),
		limited: factory.NewCounterVec(prometheus.CounterOpts{
			Name: "waybill_webhook_limited_total",
			Help: "Webhook requests over a limit, by account, provider and limit.",
		}, []string{"account", "provider", "limit"}),
		seconds: factory.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "waybill_webhook_answer_seconds",
			Help:    "Time from a webhook body's last byte to its answer, by account and provider.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .2, .3, .5, 1},
		}, []string{"account", "provider"}),
	}
}

func (m *metrics) observe(account, name string, verdict provider.Verdict, took time.Duration) {
	m.requests.WithLabelValues(account, name, verdict.String()).Inc()
	m.seconds.WithLabelValues(account, name).Observe(took.Seconds())
}
