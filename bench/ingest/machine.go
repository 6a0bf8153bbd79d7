package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/waybillhq/waybill/bench/database"
	"github.com/waybillhq/waybill/bench/process"
)

// machine says what everything runs on.
func machine() []string {
	about := []string{time.Now().UTC().Format("2 January 2006")}
	processor := "unknown processor"
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				processor = strings.TrimSpace(value)
				break
			}
		}
	}
	about = append(about, fmt.Sprintf("%d cores of an %s, shared by load, server and database", runtime.NumCPU(), processor))
	kernel := runtime.GOOS
	if text, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		release := strings.SplitN(strings.TrimSpace(string(text)), ".", 3)
		kernel = "Linux " + strings.Join(release[:min(2, len(release))], ".")
	}
	return append(about, kernel+", "+runtime.Version())
}

// strangers is how much of the machine's processor time others spent, who share in every figure.
type strangers struct {
	began time.Time
	busy  process.Busy
	meter database.Meter
}

func (b *bench) watchStrangers(ctx context.Context) (s strangers, err error) {
	s.began = time.Now()
	if s.busy, err = process.BusySoFar(); err != nil {
		return s, err
	}
	for _, server := range b.servers {
		meter, err := meterOf(ctx, server)
		if err != nil {
			return s, err
		}
		s.meter.CPU += meter.CPU
	}
	return s, nil
}

// share is the percentage that they spent between two looks.
func (s strangers) share(until strangers) float64 {
	theirs := (until.busy.Machine - s.busy.Machine) - (until.busy.Ours - s.busy.Ours) - (until.meter.CPU - s.meter.CPU)
	whole := until.began.Sub(s.began) * time.Duration(runtime.NumCPU())
	return 100 * float64(max(0, theirs)) / float64(max(1, whole))
}

// syncTime is how long a small write takes to be safe, which every commit waits for.
func syncTime(folder string) (time.Duration, error) {
	const rounds = 50
	path := filepath.Join(folder, "sync")
	file, err := os.Create(path)
	if err != nil {
		return 0, fmt.Errorf("disk: %w", err)
	}
	defer func() { _ = file.Close() }() // its folder goes with the run
	times := make([]time.Duration, 0, rounds)
	page := make([]byte, 4096)
	for range rounds {
		began := time.Now()
		if _, err := file.Write(page); err != nil {
			return 0, fmt.Errorf("disk: %w", err)
		}
		if err := file.Sync(); err != nil {
			return 0, fmt.Errorf("disk: %w", err)
		}
		times = append(times, time.Since(began))
	}
	slices.Sort(times)
	return times[rounds/2].Round(time.Microsecond), nil
}
