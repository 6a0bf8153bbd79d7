// Package fetch asks providers' own sides what a proof needs: a certificate, a confirmation.
//
// What it asks may have been suggested by a stranger's request, so it is careful: https only, public addresses only
// (unless the settings name the host), no proxy, no redirect, a bound on size, time and number, and errors that tell no
// more of an address than its host.
package fetch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
	"golang.org/x/time/rate"

	"github.com/waybillhq/waybill/server/provider"
)

const (
	defaultAtOnce = 16
	// Certificates are fetched for requests that nothing has proven yet. A provider changes its certificate a few times
	// a year, so more than this is somebody who plays with us.
	keptPerSecond, keptBurst = 2, 20
	maxWithin                = 30 * time.Second
	maxBytes                 = 1 << 20
)

// Config sets a client up. The zero value will do.
type Config struct {
	// AtOnce is how many calls may be under way. One more is refused, not queued. 0: 16.
	AtOnce int
	// Now is the clock. Nil: the machine's.
	Now func() time.Time
}

// Client makes calls. It is safe for concurrent use.
type Client struct {
	now     func() time.Time
	slots   chan struct{}
	limit   *rate.Limiter
	flights singleflight.Group
	kept    kept

	mu      sync.Mutex
	clients map[route]*http.Client
}

// route is what calls must share to share connections.
type route struct {
	named bool
	roots [sha256.Size]byte
}

// New makes a client.
func New(cfg Config) *Client {
	if cfg.AtOnce == 0 {
		cfg.AtOnce = defaultAtOnce
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Client{
		now:     cfg.Now,
		slots:   make(chan struct{}, cfg.AtOnce),
		limit:   rate.NewLimiter(keptPerSecond, keptBurst),
		kept:    kept{replies: make(map[string]entry)},
		clients: make(map[route]*http.Client),
	}
}

// Fetch makes a call, or gives the reply that an earlier one has left. Equal calls that may be kept are made once,
// however many wait for the reply.
func (c *Client) Fetch(ctx context.Context, call provider.Call) (provider.Reply, error) {
	address, err := checked(call.URL, call.Named)
	if err != nil {
		return provider.Reply{}, fmt.Errorf("fetch: %w", err)
	}
	reply, err := c.fetch(ctx, call, address)
	if err != nil {
		return provider.Reply{}, fmt.Errorf("fetch from %s: %w", address.Host, bare(err))
	}
	return reply, nil
}

func (c *Client) fetch(ctx context.Context, call provider.Call, address *url.URL) (provider.Reply, error) {
	if call.Keep <= 0 {
		return c.ask(ctx, call, address)
	}
	question := fmt.Sprintf("%s %t %x", call.URL, call.Named, sha256.Sum256([]byte(call.Roots)))
	if reply, ok := c.kept.get(question, c.now()); ok {
		return reply, nil
	}

	flight := c.flights.DoChan(question, func() (any, error) {
		if !c.limit.AllowN(c.now(), 1) {
			return provider.Reply{}, errors.New("too many questions")
		}
		// Whoever asked first may go away; the others still wait for the reply.
		reply, err := c.ask(context.WithoutCancel(ctx), call, address)
		if err == nil && reply.Status == http.StatusOK {
			c.kept.put(question, reply, c.now().Add(call.Keep))
		}
		return reply, err
	})
	select {
	case <-ctx.Done():
		return provider.Reply{}, ctx.Err()
	case landed := <-flight:
		reply, _ := landed.Val.(provider.Reply)
		return reply, landed.Err
	}
}

// ask makes the call.
func (c *Client) ask(ctx context.Context, call provider.Call, address *url.URL) (provider.Reply, error) {
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	default:
		return provider.Reply{}, errors.New("too many calls under way")
	}
	client, err := c.client(call)
	if err != nil {
		return provider.Reply{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, within(call))
	defer cancel()

	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return provider.Reply{}, errors.New("address is none")
	}
	request.Header.Set("User-Agent", "waybill")
	response, err := client.Do(request)
	if err != nil {
		return provider.Reply{}, err
	}
	defer response.Body.Close()
	body, err := read(response.Body, call.MaxBytes)
	if err != nil {
		return provider.Reply{}, err
	}
	return provider.Reply{Status: response.StatusCode, Body: body}, nil
}

func within(call provider.Call) time.Duration {
	if call.Within <= 0 || call.Within > maxWithin {
		return maxWithin
	}
	return call.Within
}

func read(body io.Reader, limit int64) ([]byte, error) {
	if limit <= 0 || limit > maxBytes {
		limit = maxBytes
	}
	var text bytes.Buffer
	if _, err := io.Copy(&text, io.LimitReader(body, limit+1)); err != nil {
		return nil, err
	}
	if int64(text.Len()) > limit {
		return nil, errors.New("the reply is too long")
	}
	return text.Bytes(), nil
}

// client is the one for the call's route.
func (c *Client) client(call provider.Call) (*http.Client, error) {
	way := route{named: call.Named, roots: sha256.Sum256([]byte(call.Roots))}
	c.mu.Lock()
	defer c.mu.Unlock()
	if found, ok := c.clients[way]; ok {
		return found, nil
	}
	made, err := newClient(call)
	if err != nil {
		return nil, err
	}
	c.clients[way] = made
	return made, nil
}

func newClient(call provider.Call) (*http.Client, error) {
	trust := &tls.Config{MinVersion: tls.VersionTLS12}
	if call.Roots != "" {
		trust.RootCAs = x509.NewCertPool()
		if !trust.RootCAs.AppendCertsFromPEM([]byte(call.Roots)) {
			return nil, errors.New("the certificates to trust can't be read")
		}
	}
	dialer := &net.Dialer{Timeout: maxWithin}
	if !call.Named {
		dialer.Control = publicOnly
	}
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy:                  nil, // a proxy would resolve and reach addresses that nobody has looked at
			DialContext:            dialer.DialContext,
			TLSClientConfig:        trust,
			ForceAttemptHTTP2:      true,
			DisableCompression:     true,
			MaxIdleConnsPerHost:    4,
			IdleConnTimeout:        time.Minute,
			MaxResponseHeaderBytes: 64 << 10,
		},
	}, nil
}

// bare is an error without the address that net/http writes around it: the query may hold a secret.
func bare(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return wrapped.Err
	}
	return err
}
