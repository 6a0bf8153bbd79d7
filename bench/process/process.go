// Package process runs the servers that are measured, each in a process of its own, and says what they cost.
package process

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Spec is how a server is started. It must say "listening on URL" on its stdout and stop when its stdin ends.
type Spec struct {
	Path string
	Args []string
	Env  []string
	// Log is the file that takes its stderr.
	Log string
}

// Process is a running server.
type Process struct {
	// Address is HOST:PORT.
	Address string
	command *exec.Cmd
	life    io.Closer
	log     *os.File
	stopped sync.Once
}

const (
	readyWithin = 30 * time.Second
	stopWithin  = 20 * time.Second
)

// Start starts a server and waits until it listens.
func Start(ctx context.Context, spec Spec) (*Process, error) {
	log, err := os.Create(spec.Log)
	if err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	command := exec.CommandContext(context.WithoutCancel(ctx), spec.Path, spec.Args...)
	command.Env = append(os.Environ(), spec.Env...)
	command.Stderr = log
	life, err := command.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	p := &Process{command: command, life: life, log: log}
	if err := p.await(ctx, stdout); err != nil {
		p.Stop()
		return nil, err
	}
	return p, nil
}

// await reads the line that says where the server listens.
func (p *Process) await(ctx context.Context, stdout io.Reader) error {
	found := make(chan string, 1)
	go func() {
		defer close(found)
		lines := bufio.NewScanner(stdout)
		for lines.Scan() {
			if _, url, ok := strings.Cut(lines.Text(), "listening on http://"); ok {
				found <- url
				break
			}
		}
		_, _ = io.Copy(io.Discard, stdout) // so that it never blocks on a full pipe
	}()
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	select {
	case address, ok := <-found:
		if !ok {
			return fmt.Errorf("server %s: ended before it listened: %s", p.command.Path, p.lastWords())
		}
		p.Address = address
		return nil
	case <-ctx.Done():
		return fmt.Errorf("server %s: did not listen: %w", p.command.Path, ctx.Err())
	}
}

func (p *Process) lastWords() string {
	text, err := os.ReadFile(p.log.Name())
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[len(lines)-1]
}

// Stop ends the server: politely, and when that takes too long, not.
func (p *Process) Stop() {
	p.stopped.Do(func() {
		impatient := time.AfterFunc(stopWithin, func() { _ = p.command.Process.Kill() })
		defer impatient.Stop()
		_ = p.command.Process.Signal(syscall.SIGTERM)
		_ = p.life.Close()
		_ = p.command.Wait() // how it ended is of no interest: what is measured was measured before
		_ = p.log.Close()
	})
}

// Usage is what the server has cost so far. What it wrote into its log is left out.
func (p *Process) Usage() (Usage, error) {
	usage, err := usageOf(p.command.Process.Pid)
	if err != nil {
		return usage, err
	}
	log, err := p.log.Stat()
	if err != nil {
		return usage, fmt.Errorf("server: log: %w", err)
	}
	usage.Written -= log.Size()
	return usage, nil
}
