package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// demoServer is a `waybill serve` in a process of its own, so that it can be killed like one.
type demoServer struct {
	program string
	args    []string
	env     []string
	log     *os.File

	process *exec.Cmd
	// life is the process's stdin: it stops when we die and our end is closed.
	life io.WriteCloser
	url  string
}

const readyWithin = 30 * time.Second

// start starts the process and waits for the line that says that it listens.
func (s *demoServer) start(ctx context.Context) error {
	// The process outlives ctx: who starts it stops or kills it.
	process := exec.CommandContext(context.WithoutCancel(ctx), s.program, s.args...)
	process.Args[0] = "waybill"
	process.Env = append(os.Environ(), s.env...)
	process.Stderr = s.log
	stdout, err := process.StdoutPipe()
	if err != nil {
		return fmt.Errorf("demo server: %w", err)
	}
	if s.life, err = process.StdinPipe(); err != nil {
		return fmt.Errorf("demo server: %w", err)
	}
	if err := process.Start(); err != nil {
		return fmt.Errorf("demo server: %w", err)
	}
	s.process = process

	ready := make(chan string, 1)
	go func() {
		defer close(ready)
		lines := bufio.NewScanner(stdout)
		for lines.Scan() {
			if _, url, found := strings.Cut(lines.Text(), "listening on "); found {
				ready <- url
				break
			}
		}
		// The rest is read so that the process never blocks on a full pipe.
		_, _ = io.Copy(io.Discard, stdout)
	}()
	return s.await(ctx, ready)
}

func (s *demoServer) await(ctx context.Context, ready <-chan string) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	select {
	case url, ok := <-ready:
		if !ok {
			_ = s.process.Wait()
			return fmt.Errorf("the demo's server did not start: %s", s.lastWords())
		}
		s.url = url
		return nil
	case <-ctx.Done():
		return errors.Join(fmt.Errorf("the demo's server was not ready: %w", ctx.Err()), s.kill())
	}
}

// lastWords is the end of what the server said before it died.
func (s *demoServer) lastWords() string {
	text, err := os.ReadFile(s.log.Name())
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[len(lines)-1]
}

// kill ends the process at once, as a power cut would.
func (s *demoServer) kill() error {
	if err := s.process.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("demo server: kill: %w", err)
	}
	_ = s.process.Wait() // it was killed: there is no more to learn from its exit
	return nil
}

// stop asks the process to end and waits for it.
func (s *demoServer) stop() error {
	if err := s.process.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("demo server: stop: %w", err)
	}
	return s.process.Wait()
}

// pin makes the next start listen where this one does.
func (s *demoServer) pin() {
	s.args[len(s.args)-1] = strings.TrimPrefix(s.url, "http://")
}

// configPath is the configuration that the process runs with.
func (s *demoServer) configPath() string { return s.args[3] }

// logText is all that the process has logged.
func (s *demoServer) logText() (string, error) {
	text, err := os.ReadFile(s.log.Name())
	if err != nil {
		return "", fmt.Errorf("demo server: log: %w", err)
	}
	return string(text), nil
}
