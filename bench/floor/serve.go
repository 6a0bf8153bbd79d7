package floor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/waybillhq/waybill/bench/load"
	"github.com/waybillhq/waybill/server/provider"
)

// keep stores a proven body and says whether it was the first of its event.
type keep func(ctx context.Context, body []byte) (first bool, err error)

// Serve answers deliveries until its stdin ends. It says where it listens as Waybill does.
func Serve(ctx context.Context, sender load.Sender, keep keep) error {
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("floor: %w", err)
	}
	server := &http.Server{Handler: handler(sender, keep), ReadHeaderTimeout: 10 * time.Second}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // however it ends, it has ended
		_ = server.Close()
	}()
	fmt.Printf("floor: listening on http://%s\n", listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("floor: %w", err)
	}
	return nil
}

const largest = 2 << 20

func handler(sender load.Sender, keep keep) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, largest))
		if err != nil {
			http.Error(w, "the body did not arrive", http.StatusBadRequest)
			return
		}
		request := &provider.Request{Header: r.Header, Query: r.URL.Query(), Body: body, ReceivedAt: time.Now()}
		if err := sender.Opened.Provider.Verify(request); err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		first, err := keep(r.Context(), body)
		if err != nil {
			fmt.Fprintln(os.Stderr, "floor:", err)
			http.Error(w, "not recorded", http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"event":{"state":"received"},"first_delivery":%t}`, first) // nobody else to tell
	}
}

// Bare keeps nothing.
func Bare(context.Context, []byte) (bool, error) { return true, nil }
