package store

import (
	"context"
	"errors"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"

	"github.com/waybillhq/waybill/ent"
	"github.com/waybillhq/waybill/server/order"
)

// network is a proxy in front of a database's server, whose connections a test cuts or swallows.
type network struct {
	*toxiproxy.Proxy
	t *testing.T
	// url leads to the database through the proxy.
	url string
}

func newNetwork(t *testing.T, where string) *network {
	t.Helper()
	to, err := url.Parse(where)
	if err != nil {
		t.Fatal(err)
	}
	logger := zerolog.Nop()
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), logger)
	proxy := toxiproxy.NewProxy(server, t.Name(), "127.0.0.1:0", to.Host)
	if err := proxy.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Stop)
	if _, _, err := net.SplitHostPort(proxy.Listen); err != nil {
		t.Fatal(err)
	}
	to.Host = proxy.Listen
	return &network{Proxy: proxy, t: t, url: to.String()}
}

// swallow has nothing come through any more in a direction, upstream or downstream, while connections stay open.
func (n *network) swallow(direction string) {
	n.t.Helper()
	_, err := n.Toxics.AddToxicJson(strings.NewReader(
		`{"name": "` + direction + `", "type": "timeout", "stream": "` + direction + `", "attributes": {"timeout": 0}}`))
	if err != nil {
		n.t.Fatal(err)
	}
}

// cut ends all connections; new ones are served.
func (n *network) cut() {
	n.t.Helper()
	address := n.Listen
	n.Stop()
	// Not before: what was swallowed would come through.
	n.Toxics.ResetToxics(context.Background())
	n.Listen = address
	if err := n.Start(); err != nil {
		n.t.Fatal(err)
	}
}

func TestWhatWasCommittedWhenTheConnectionWasCutIsFoundByTheRetry(t *testing.T) {
	t.Parallel()
	direct, where := openPostgresTest(t)
	network := newNetwork(t, where)
	s := openURL(t, network.url, quiet())
	if _, err := s.Accept(t.Context(), anEvent(0)); err != nil {
		t.Fatal(err)
	}

	network.swallow("downstream")
	type answer struct {
		receipt Receipt
		err     error
	}
	cut := make(chan answer, 1)
	go func() {
		receipt, err := s.Accept(context.Background(), anEvent(1))
		cut <- answer{receipt, err}
	}()
	waitFor(t, func() bool {
		events, err := direct.Events(t.Context(), EventFilter{Account: "shop"})
		return err == nil && len(events.Events) == 2
	})
	select {
	case got := <-cut:
		t.Fatalf("answered before it could know: %+v", got)
	default:
	}
	network.cut()

	// The driver repeats a statement whose connection is lost, if there is a new connection already: then the delivery
	// finds itself, and is no duplicate of itself. Otherwise its sender comes again.
	if got := <-cut; got.err == nil && got.receipt.Verdict != Accepted || got.err != nil && !errors.Is(got.err, ErrUnavailable) {
		t.Errorf("the cut delivery: %s, %v", got.receipt.Verdict, got.err)
	}
	var receipt Receipt
	waitFor(t, func() bool {
		var err error
		receipt, err = s.Accept(t.Context(), anEvent(1))
		return err == nil
	})
	if receipt.Verdict != Duplicate {
		t.Errorf("the retry is %s", receipt.Verdict)
	}
	if events, err := direct.Events(t.Context(), EventFilter{Account: "shop"}); err != nil || len(events.Events) != 2 {
		t.Errorf("%d events, %v", len(events.Events), err)
	}
}

func TestADecisionThatWasCutDuringItsCommitIsTakenOnce(t *testing.T) {
	t.Parallel()
	direct, where := openPostgresTest(t)
	network := newNetwork(t, where)
	s := openURL(t, network.url, quiet())
	if _, err := s.Accept(t.Context(), anEvent(1)); err != nil {
		t.Fatal(err)
	}
	claims, err := s.Claim(t.Context(), 1, time.Minute)
	if err != nil || len(claims) != 1 {
		t.Fatalf("%d, %v", len(claims), err)
	}
	policy := func(string) order.Policy {
		// All is read; what is left is to write and to commit.
		network.swallow("downstream")
		return order.Policy{}
	}
	answer := make(chan error, 1)
	go func() {
		_, err := s.Decide(context.Background(), claims, policy)
		answer <- err
	}()
	if err := <-answer; !errors.Is(err, ErrUnavailable) {
		t.Errorf("the cut decision: %v", err)
	}
	network.cut()

	var decided []Decided
	waitFor(t, func() bool {
		decided, err = direct.Decide(t.Context(), claims, func(string) order.Policy { return order.Policy{} })
		return err == nil
	})
	if len(decided) != 1 {
		t.Errorf("decided %d", len(decided))
	}
	var orders, outcomes int
	err = direct.db.reader.QueryRowContext(t.Context(),
		"SELECT (SELECT count(*) FROM orders), (SELECT count(*) FROM outcomes)").Scan(&orders, &outcomes)
	if err != nil || orders != 1 || outcomes != 1 {
		t.Errorf("%d orders and %d outcomes, %v", orders, outcomes, err)
	}
}

func TestANetworkThatSwallowsEverythingIsNoticed(t *testing.T) {
	t.Parallel()
	_, where := openPostgresTest(t)
	network := newNetwork(t, where)
	s := openURL(t, network.url, quiet())
	if _, err := s.Accept(t.Context(), anEvent(1)); err != nil {
		t.Fatal(err)
	}
	network.swallow("upstream")
	network.swallow("downstream")

	began := time.Now()
	if _, err := s.Accept(context.Background(), anEvent(2)); !errors.Is(err, ErrUnavailable) {
		t.Errorf("into a black hole: %v", err)
	}
	if took := time.Since(began); took > 2*(writeStatement+silence) {
		t.Errorf("it took %s to be noticed", took)
	}
	network.cut()

	waitFor(t, func() bool {
		_, err := s.Accept(t.Context(), anEvent(2))
		return err == nil
	})
}

func TestAListenerInABlackHoleIsSavedByThePoll(t *testing.T) {
	t.Parallel()
	one, where := openPostgresTest(t)
	network := newNetwork(t, where)
	two := openURL(t, where, quiet())
	two.db.listen = network.url
	due := two.Due()
	waitFor(t, func() bool { return listening(t, two) == 1 })
	// So that it knows of an account, and looks at the whole queue only now and then.
	if _, err := two.Accept(t.Context(), accountEvent("known", 1)); err != nil {
		t.Fatal(err)
	}
	if claims, err := two.Claim(t.Context(), 10, time.Hour); err != nil || len(claims) != 1 {
		t.Fatalf("%d, %v", len(claims), err)
	}
	for len(due) > 0 {
		<-due
	}
	network.swallow("upstream")
	network.swallow("downstream")

	one.Due()
	if _, err := one.Accept(t.Context(), accountEvent("unknown", 2)); err != nil {
		t.Fatal(err)
	}

	waitFor(t, func() bool {
		claims, err := two.Claim(t.Context(), 10, time.Hour)
		return err == nil && len(claims) == 1 && claims[0].Account == "unknown"
	})
	select {
	case <-due:
		t.Error("it was told through a black hole")
	default:
	}
}

func TestATransactionOfAStoppedProcessHoldsNobodyAndCommitsNothing(t *testing.T) {
	t.Parallel()
	stopped, where := openPostgresTest(t)
	other := openURL(t, where, quiet())
	for n := range 2 {
		if _, err := stopped.Accept(t.Context(), anEvent(n)); err != nil {
			t.Fatal(err)
		}
	}
	claims, err := other.Claim(t.Context(), 10, time.Minute)
	if err != nil || len(claims) != 2 {
		t.Fatalf("%d, %v", len(claims), err)
	}
	held, release, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- stopped.writeOnce(context.Background(), func(tx *ent.Tx) error {
			keys := []subjectKey{{"shop", order.Key{Kind: order.KeyNumber, Value: "N0"}}}
			if _, err := stopped.lockSubjects(context.Background(), tx, keys); err != nil {
				return err
			}
			close(held)
			<-release
			return nil
		})
	}()
	<-held

	decided, err := other.Decide(t.Context(), claims, func(string) order.Policy { return order.Policy{} })

	close(release)
	if err != nil || len(decided) != 2 || decided[0].Err != nil || decided[1].Err != nil {
		t.Errorf("decided %+v, %v", decided, err)
	}
	if err := <-ended; !errors.Is(err, ErrUnavailable) {
		t.Errorf("the stopped transaction: %v", err)
	}
}
