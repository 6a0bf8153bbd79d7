package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	waybill "github.com/waybillhq/waybill/clients/go"
	"github.com/waybillhq/waybill/server/config"
)

// demoCommand plays a story through a real server and checks every promise in it.
type demoCommand struct {
	Exit bool `help:"End after the story; exit code 0 only if every promise held."`
}

var errPromiseBroken = errors.New("a promise did not hold")

// Run plays the story, then keeps serving until ctx ends.
func (c *demoCommand) Run(ctx context.Context, g *globals, out *output) (err error) {
	p, err := newPlayer(ctx, g)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.server.stop(), p.server.log.Close()) }()

	story := &storyTeller{out: out}
	if err := story.tell(ctx, p); err != nil {
		return err
	}
	if err := story.unfinished(ctx, p); err != nil {
		return err
	}
	broken := story.promises(ctx, p)
	if broken {
		return errPromiseBroken
	}
	if c.Exit {
		return nil
	}
	story.epilogue(p)
	<-ctx.Done()
	return nil
}

// newPlayer makes the demo's shop anew and starts its server.
func newPlayer(ctx context.Context, g *globals) (*player, error) {
	dir := filepath.Join(g.dataDir(), "demo")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	if err := forgetLastRun(dir); err != nil {
		return nil, err
	}
	secret, key := randomText(), randomText()
	digest := sha256.Sum256([]byte(key))
	files := map[string][]byte{demoConfigFile: demoConfig, demoKeyFile: []byte(key + "\n")}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return nil, fmt.Errorf("demo: %w", err)
		}
	}
	server, err := newDemoServer(dir, g.Listen, []string{
		"WAYBILL_DEMO_SECRET=" + secret,
		"WAYBILL_DEMO_KEY_SHA256=" + hex.EncodeToString(digest[:]),
	})
	if err != nil {
		return nil, err
	}
	if err := server.start(ctx); err != nil {
		return nil, err
	}
	server.pin()
	client, err := waybill.New(server.url, waybill.Key(key))
	if err != nil {
		return nil, errors.Join(err, server.stop())
	}
	return &player{server: server, client: client, secret: secret, now: time.Now()}, nil
}

const (
	demoConfigFile = "waybill.yaml"
	demoKeyFile    = "key"
	demoLogFile    = "server.log"
)

// forgetLastRun removes the files that an earlier demo has made, and nothing else.
func forgetLastRun(dir string) error {
	database := config.DefaultDatabaseFile
	for _, name := range []string{database, database + "-wal", database + "-shm", demoLogFile} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("demo: %w", err)
		}
	}
	return nil
}

func newDemoServer(dir, listen string, env []string) (*demoServer, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	log, err := os.OpenFile(filepath.Join(dir, demoLogFile), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	if listen == "" {
		listen = config.DefaultListen
	}
	return &demoServer{
		program: program,
		args:    []string{"serve", "--with-parent", "--config", filepath.Join(dir, demoConfigFile), "--data-dir", dir, "--listen", listen},
		env:     env,
		log:     log,
	}, nil
}

func randomText() string {
	var text [24]byte
	_, _ = rand.Read(text[:]) // never fails: see crypto/rand
	return hex.EncodeToString(text[:])
}

// storyTeller prints the story as it happens.
type storyTeller struct {
	out *output
}

// storyLine is number, who, what arrived, HTTP status and outcome; the reason stands behind it, or below it where the
// terminal is too narrow.
const storyLine = "%2s  %-7s  %-38s  %4s  %-11s"

func (s *storyTeller) tell(ctx context.Context, p *player) error {
	steps, err := readStory()
	if err != nil {
		return err
	}
	s.out.line("waybill demo: one shop, its courier and its money, signed calls, local SQLite")
	s.out.line("")
	s.row("Why", "", "Who", "What arrived", "HTTP", "Outcome")
	for _, step := range steps {
		done, err := p.play(ctx, step)
		if err != nil {
			return err
		}
		s.step(len(p.played), done)
		if done.outcome != step.Outcome || (step.HTTP != 0 && done.status != step.HTTP) {
			return fmt.Errorf("step %d (%s) should have been answered %d and end as %s: %w",
				len(p.played), step.Say, step.HTTP, step.Outcome, errPromiseBroken)
		}
	}
	return nil
}

func (s *storyTeller) step(number int, done playedStep) {
	who, status := done.Provider, "-"
	if done.status != 0 {
		status = fmt.Sprint(done.status)
	}
	if done.Kill > 0 {
		who = "waybill"
	}
	s.row(done.why, fmt.Sprint(number), who, done.Say, status, done.outcome)
}

func (s *storyTeller) row(why string, cells ...any) {
	line := fmt.Sprintf(storyLine, cells...)
	if s.out.terminal && len(line)+2+len(why) > s.out.width {
		s.out.line("%s", strings.TrimRight(line, " "))
		s.out.line("             %s", why)
		return
	}
	s.out.line("%s", strings.TrimRight(line+"  "+why, " "))
}

// unfinished tells what a person must see: what stands still, and what drew attention to an order.
func (s *storyTeller) unfinished(ctx context.Context, p *player) error {
	page, err := p.client.ListPendingWork(ctx, &waybill.ListPendingWorkRequest{Account: demoAccount})
	if err != nil {
		return err
	}
	var lines []string
	for _, item := range page.GetItems() {
		lines = append(lines, fmt.Sprintf("  ! %s  %-12s %s", item.GetWorkId(), waybill.Word(item.GetState()), item.GetReason()))
	}
	for _, number := range p.orders() {
		order, err := p.order(ctx, number)
		if err != nil {
			return err
		}
		for _, mark := range order.GetAttention() {
			lines = append(lines, fmt.Sprintf("  ! %s  %-12s order %s: %s", mark.GetEventId(), mark.GetReason(), number, mark.GetDetail()))
		}
	}
	s.out.line("")
	s.out.line("%d need a person now", len(lines))
	for _, line := range lines {
		s.out.line("%s", line)
	}
	return nil
}

// promises checks every promise. A broken one is told first, in full.
func (s *storyTeller) promises(ctx context.Context, p *player) (broken bool) {
	held := 0
	for _, promise := range promises {
		if err := promise.check(p, ctx); err != nil {
			s.out.line("")
			s.out.line("BROKEN  %s\n        %v\n        see: %s", promise.text, err, promise.show)
			continue
		}
		held++
	}
	s.out.line("")
	s.out.line("Promises held: %d of %d", held, len(promises))
	if held == len(promises) {
		for _, promise := range promises {
			s.out.line("  %s", promise.text)
		}
	}
	return held < len(promises)
}

// epilogue says where to look next.
func (s *storyTeller) epilogue(p *player) {
	parked := p.parked()
	s.out.line("")
	s.out.line("  Look around  export WAYBILL_API=%s WAYBILL_ACCOUNT=%s", p.server.url, demoAccount)
	s.out.line("               export WAYBILL_API_KEY_FILE=%s", filepath.Join(filepath.Dir(p.server.configPath()), demoKeyFile))
	s.out.line("  An order     waybill status 1002")
	s.out.line("  Unfinished   waybill pending")
	s.out.line("  An event     waybill events %s", parked)
	s.out.line("  Mend it      waybill reprocess %s --reason \"new word\" --dry-run", parked)
	s.out.line("(waybill is `go run ./server/cmd/waybill` until you build it.)")
	s.out.line("Serving on %s, Ctrl-C stops.", p.server.url)
}

// orders are the numbers that the story's webhooks name, each once.
func (p *player) orders() []string {
	var numbers []string
	for _, step := range p.played {
		if step.Order != "" && !slices.Contains(numbers, step.Order) {
			numbers = append(numbers, step.Order)
		}
	}
	return numbers
}

// parked is the event of the story that waits for a person.
func (p *player) parked() string {
	for _, step := range p.played {
		if step.outcome == "parked" {
			return step.eventID
		}
	}
	return ""
}
