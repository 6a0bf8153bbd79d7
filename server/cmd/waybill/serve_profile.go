package main

import (
	"fmt"
	"log/slog"
	"os"
	"runtime/pprof"
)

// profile writes what the process spends its time on into a file, until the function that it gives is called. It is a
// file and no address: nobody can ask a running server for it. Without a path it does nothing.
func profile(path string) (stop func(), err error) {
	if path == "" {
		return func() {}, nil
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	return func() {
		pprof.StopCPUProfile()
		if err := file.Close(); err != nil {
			slog.Error("profile: write", "error", err)
		}
	}, nil
}
