package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/waybillhq/waybill/bench/database"
	"github.com/waybillhq/waybill/bench/floor"
)

// repeat measures everything once.
func (b *bench) repeat(ctx context.Context, n int) error {
	if err := b.measureBare(ctx); err != nil {
		return err
	}
	for _, server := range b.servers {
		for _, part := range []func(context.Context, database.Server, int) error{b.measureReceipts, b.measureWork} {
			if err := part(ctx, server, n); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *bench) measureBare(ctx context.Context) error {
	c, err := b.startBare(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = c.stop(ctx) }() // it has no database that could be left
	for _, connections := range b.Connections {
		measured, err := b.closed(ctx, c, firsts, connections)
		if err != nil {
			return err
		}
		b.book.add(key{who: bare, load: firsts, connections: connections}, measured)
	}
	return nil
}

// measureReceipts measures Waybill without its worker, the naive writer and the inserts, in turns.
func (b *bench) measureReceipts(ctx context.Context, server database.Server, n int) (err error) {
	ours, err := b.startWaybill(ctx, waybill, server, "--without-worker")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ours.stop(ctx)) }()
	if err := b.fill(ctx, ours); err != nil {
		return err
	}
	theirs, err := b.startNaive(ctx, server, ours.data.URL)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, theirs.stop(ctx)) }()
	if err := b.fill(ctx, theirs); err != nil {
		return err
	}

	turns := []*contender{theirs, ours}
	if n%2 == 1 {
		slices.Reverse(turns) // nobody always comes first
	}
	for _, connections := range b.Connections {
		for _, kind := range []string{firsts, duplicates} {
			if err := b.takeTurns(ctx, turns, kind, connections); err != nil {
				return err
			}
		}
	}
	if err := b.openTurns(ctx, turns); err != nil {
		return err
	}
	return b.measureInserts(ctx, server, ours.data.URL)
}

func (b *bench) takeTurns(ctx context.Context, turns []*contender, kind string, connections int) error {
	for _, c := range turns {
		measured, err := b.closed(ctx, c, kind, connections)
		if err != nil {
			return err
		}
		b.book.add(key{nameOf(c.server), c.name, kind, connections}, measured)
	}
	return nil
}

// ofNaive is how much of the naive writer's maximum an open loop offers.
const ofNaive = 0.75

func (b *bench) openTurns(ctx context.Context, turns []*contender) error {
	most := b.most(key{database: nameOf(turns[0].server), who: naive, load: firsts}, perSecond)
	for _, c := range turns {
		measured, err := b.open(ctx, c, ofNaive*most, nil)
		if err != nil {
			return err
		}
		b.book.add(key{nameOf(c.server), c.name, openLoop, openConnections}, measured)
	}
	return nil
}

// measureInserts inserts rows like the model's into a fresh database.
func (b *bench) measureInserts(ctx context.Context, server database.Server, model string) (err error) {
	rows, err := floor.ReadRows(ctx, model)
	if err != nil {
		return err
	}
	data, err := server.Fresh(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, data.Drop(context.WithoutCancel(ctx))) }()

	_, manyWriters := server.(database.Metered)
	runs := []floor.Direct{{Writers: 1, Batch: 1}, {Writers: 1, Batch: 100}}
	if manyWriters {
		runs = []floor.Direct{{Writers: 1, Batch: 1}, {Writers: 8, Batch: 1}, {Writers: 64, Batch: 1}, {Writers: 4, Batch: 100}}
	}
	for _, run := range runs {
		run.WarmUp, run.Measure, run.Next = b.WarmUp, b.Measure, b.next
		if err := b.insert(ctx, server, run, floor.Place{URL: data.URL, Rows: rows}); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) insert(ctx context.Context, server database.Server, run floor.Direct, into floor.Place) error {
	before, err := meterOf(ctx, server)
	if err != nil {
		return err
	}
	from := b.numbers.Load()
	rate, err := run.Run(ctx, into)
	if err != nil {
		return err
	}
	after, err := meterOf(ctx, server)
	if err != nil {
		return err
	}
	written := max(1, b.numbers.Load()-from)
	measured := figures{
		perSecond: rate, databaseCPU: (after.CPU - before.CPU) / time.Duration(written),
		logged: float64(after.Log-before.Log) / float64(written),
	}
	kind := oneByOne
	if run.Batch > 1 {
		kind = hundreds
	}
	b.say("%-10s %-18s %-16s %3d writers     %7.0f/s  CPU %d µs", server.Name(), direct, kind, run.Writers, rate,
		measured.databaseCPU.Microseconds())
	b.book.add(key{server.Name(), direct, kind, run.Writers}, measured)
	return nil
}

// measureWork measures Waybill with its worker. Each cell has a server and a database of its own, so that no cell pays
// for what the one before left undecided.
func (b *bench) measureWork(ctx context.Context, server database.Server, _ int) error {
	for _, connections := range b.Connections {
		for _, kind := range []string{duplicates, firsts} {
			if err := b.withWorker(ctx, server, func(c *contender) error {
				return b.measureBusy(ctx, c, kind, connections)
			}); err != nil {
				return err
			}
		}
	}
	for kind, figure := range map[string]func(figures) float64{decisions: perSecond, sustained: decided} {
		rate := b.most(key{database: server.Name(), who: waybillWorker, load: firsts}, figure) / 2
		if err := b.withWorker(ctx, server, func(c *contender) error {
			return b.measureDecisions(ctx, c, kind, rate)
		}); err != nil {
			return err
		}
	}
	return nil
}

// most is the most of a figure that this repetition measured with any number of connections.
func (b *bench) most(k key, figure func(figures) float64) float64 {
	most := 0.0
	for _, k.connections = range b.Connections {
		most = max(most, figure(b.book.last(k)))
	}
	return most
}

func (b *bench) withWorker(ctx context.Context, server database.Server, measure func(*contender) error) (err error) {
	c, err := b.startWaybill(ctx, waybillWorker, server)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.stop(ctx)) }()
	return measure(c)
}

// measureBusy measures a closed loop, and how much is decided meanwhile.
func (b *bench) measureBusy(ctx context.Context, c *contender, kind string, connections int) error {
	pending, err := openPending(c.data.URL)
	if err != nil {
		return err
	}
	defer pending.close()
	if kind == duplicates {
		if err := b.fill(ctx, c); err != nil {
			return err
		}
		if err := pending.none(ctx); err != nil {
			return err
		}
	}
	from, began := b.numbers.Load(), time.Now()
	measured, err := b.closed(ctx, c, kind, connections)
	if err != nil {
		return err
	}
	left, err := pending.count(ctx)
	if err != nil {
		return err
	}
	if kind == firsts {
		measured.decided = float64(b.numbers.Load()-from-left) / time.Since(began).Seconds()
	}
	b.book.add(key{nameOf(c.server), waybillWorker, kind, connections}, measured)
	return nil
}
