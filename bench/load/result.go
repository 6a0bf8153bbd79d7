package load

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Result is what a run saw between the end of its warm-up and its own end.
type Result struct {
	// Latency is in microseconds.
	Latency *hdrhistogram.Histogram
	// Answers counts by answer.
	Answers [Refused + 1]int64
	// Unanswered deliveries were due and got no answer in time.
	Unanswered int64
	Elapsed    time.Duration
}

const longest = time.Minute

func newResult() *Result {
	return &Result{Latency: hdrhistogram.New(1, longest.Microseconds(), 3)}
}

func (r *Result) record(answer Answer, took time.Duration) {
	r.Answers[answer]++
	r.observe(took)
}

func (r *Result) observe(took time.Duration) {
	// Beyond the longest there is nothing to tell apart: connections end before.
	_ = r.Latency.RecordValue(min(max(took, time.Microsecond), longest).Microseconds())
}

func merge(parts []*Result) *Result {
	all := newResult()
	for _, part := range parts {
		all.Latency.Merge(part.Latency)
		all.Unanswered += part.Unanswered
		for answer, count := range part.Answers {
			all.Answers[answer] += count
		}
	}
	return all
}

// Taken is how many deliveries were acknowledged.
func (r *Result) Taken() int64 { return r.Answers[First] + r.Answers[Repeated] }

// PerSecond is how many were acknowledged in a second.
func (r *Result) PerSecond() float64 { return float64(r.Taken()) / r.Elapsed.Seconds() }

// Quantile is the latency that so many percent had at most.
func (r *Result) Quantile(percent float64) time.Duration {
	return time.Duration(r.Latency.ValueAtQuantile(percent)) * time.Microsecond
}
