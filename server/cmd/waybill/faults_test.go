package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/waybillhq/waybill/server/store"
	"github.com/waybillhq/waybill/server/store/storefault"
)

// faultsVariable holds the faults of a server that a test starts, for example "accept 1 after kill": the process dies
// after its first receipt is committed and before anybody is told.
const faultsVariable = "WAYBILL_TEST_FAULTS"

// faultyStorage fails as its script says in what writes, and is the store in all the rest.
type faultyStorage struct {
	*storefault.Faulty
	rest
}

// rest stands one step deeper, so that the faulty methods come first.
type rest struct{ storage }

// mainWithFaults is main, with scripted faults between the store and everything that uses it.
func mainWithFaults() {
	script, err := faultScript(os.Getenv(faultsVariable))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(exitUsage)
	}
	if len(script) > 0 {
		decorate = func(s storage) storage {
			return faultyStorage{Faulty: storefault.New(s, script...), rest: rest{s}}
		}
	}
	if os.Getenv(stopVariable) != "" {
		decorate = func(s storage) storage { return &stoppingStorage{storage: s} }
	}
	// Race-built servers beside each other on few cores may need longer than a sender should wait. That the door keeps
	// its promise of 300 ms is tested at the door.
	doorLimits.Answer = 9 * time.Second
	main()
}

// stopVariable has a server stop before its first decision, with its claims in hand, until somebody sends SIGCONT. Then
// it goes on as if nothing had been.
const stopVariable = "WAYBILL_TEST_STOP"

type stoppingStorage struct {
	storage
	once sync.Once
}

func (s *stoppingStorage) Decide(ctx context.Context, claims []store.Claim, policy store.PolicyFunc) ([]store.Decided, error) {
	s.once.Do(func() { _ = syscall.Kill(os.Getpid(), syscall.SIGSTOP) })
	return s.storage.Decide(ctx, claims, policy)
}

func faultScript(text string) ([]storefault.Fault, error) {
	var script []storefault.Fault
	for line := range strings.SplitSeq(text, ";") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		var op, when, how string
		var call int
		if _, err := fmt.Sscan(line, &op, &call, &when, &how); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", faultsVariable, line, err)
		}
		fault := storefault.Fault{Op: storefault.Op(op), Call: call, When: storefault.Before}
		if when == "after" {
			fault.When = storefault.After
		}
		if how == "kill" {
			fault.Hook = func() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL) }
		}
		script = append(script, fault)
	}
	return script, nil
}
