package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
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
		kernel = "Linux " + strings.TrimSpace(string(text))
	}
	return append(about, kernel+", "+runtime.Version())
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
