package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/waybillhq/waybill/bench/database"
	"github.com/waybillhq/waybill/bench/load"
	"github.com/waybillhq/waybill/bench/process"
)

// reading is what the meters show at one moment.
type reading struct {
	server   process.Usage
	database database.Meter
}

func (c *contender) read(ctx context.Context) (r reading, err error) {
	if r.server, err = c.process.Usage(); err != nil {
		return r, err
	}
	r.database, err = meterOf(ctx, c.server)
	return r, err
}

// meterOf reads a database server's meter, if it has one.
func meterOf(ctx context.Context, server database.Server) (database.Meter, error) {
	if metered, ok := server.(database.Metered); ok {
		return metered.Meter(ctx)
	}
	return database.Meter{}, nil
}

// run sends a load and puts what it cost beside what it achieved.
func (c *contender) run(ctx context.Context, send func(load.Edges) (*load.Result, error)) (figures, *load.Result, error) {
	var before, after reading
	var failures [2]error
	result, err := send(load.Edges{
		Begin: func() { before, failures[0] = c.read(ctx) },
		End:   func() { after, failures[1] = c.read(ctx) },
	})
	if err := errors.Join(err, failures[0], failures[1]); err != nil {
		return figures{}, nil, fmt.Errorf("%s: %w", c.name, err)
	}
	return c.figures(before, after, result), result, nil
}

func (c *contender) figures(before, after reading, result *load.Result) figures {
	taken := max(1, result.Taken())
	logged := after.database.Log - before.database.Log
	if _, ok := c.server.(database.Metered); !ok {
		logged = after.server.Written - before.server.Written
	}
	return figures{
		perSecond:   result.PerSecond(),
		p50:         result.Quantile(50),
		p99:         result.Quantile(99),
		p999:        result.Quantile(99.9),
		refused:     float64(result.Answers[load.Refused] + result.Unanswered),
		serverCPU:   (after.server.CPU - before.server.CPU) / time.Duration(taken),
		databaseCPU: (after.database.CPU - before.database.CPU) / time.Duration(taken),
		logged:      float64(logged) / float64(taken),
		idle:        float64(c.idle),
		peak:        float64(after.server.Peak),
	}
}

// closed measures a closed loop of first deliveries or of duplicates.
func (b *bench) closed(ctx context.Context, c *contender, kind string, connections int) (figures, error) {
	next, want := b.next, load.First
	if kind == duplicates {
		next, want = func() int64 { return c.pool + rand.Int64N(poolSize) }, load.Repeated
	}
	loop := load.Closed{
		Connections: connections, Next: next, Span: load.Span{WarmUp: b.WarmUp, Measure: b.Measure},
	}
	measured, result, err := c.run(ctx, func(edges load.Edges) (*load.Result, error) {
		return loop.Run(ctx, b.target(c), edges)
	})
	if err != nil {
		return figures{}, err
	}
	if c.name != bare && result.Answers[want] != result.Taken() {
		return figures{}, fmt.Errorf("%s: %s: %d of %d were answered as something else",
			c.name, kind, result.Taken()-result.Answers[want], result.Taken())
	}
	b.say("%-10s %-18s %-16s %3d connections %7.0f/s  p50 %s  p99 %s  CPU %d + %d µs", nameOf(c.server), c.name, kind,
		connections, measured.perSecond, measured.p50, measured.p99, measured.serverCPU.Microseconds(),
		measured.databaseCPU.Microseconds())
	return measured, nil
}

// open measures an open loop of first deliveries.
func (b *bench) open(ctx context.Context, c *contender, rate float64, answered func(body []byte)) (figures, error) {
	loop := load.Open{
		Connections: openConnections, PerSecond: rate, Next: b.next, Answered: answered,
		Span: load.Span{WarmUp: b.WarmUp, Measure: 3 * b.Measure},
	}
	measured, _, err := c.run(ctx, func(edges load.Edges) (*load.Result, error) {
		return loop.Run(ctx, b.target(c), edges)
	})
	measured.offered = rate
	b.say("%-10s %-18s %-16s %7.0f/s offered %7.0f/s  p50 %s  p99 %s", nameOf(c.server), c.name, openLoop, rate,
		measured.perSecond, measured.p50, measured.p99)
	return measured, err
}

// openConnections bounds what an open loop has under way.
const openConnections = 256

func nameOf(server database.Server) string {
	if server == nil {
		return ""
	}
	return server.Name()
}
