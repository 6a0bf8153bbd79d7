package waybill

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Option sets up a Client.
type Option func(*settings) error

// settings hold the key only inside a function: no way of printing a client reaches it.
type settings struct {
	key       func() (string, error)
	http      Doer
	userAgent string
	attempts  uint
	timeout   time.Duration
	patience  time.Duration
}

// Doer sends HTTP requests. *http.Client is one.
type Doer interface {
	Do(request *http.Request) (*http.Response, error)
}

func defaults() settings {
	return settings{
		http:      &http.Client{CheckRedirect: refuseRedirect},
		userAgent: "waybill-go",
		attempts:  4,
		timeout:   10 * time.Second,
		patience:  20 * time.Second,
	}
}

// refuseRedirect keeps the key with the server that it was given for. Waybill itself never redirects.
func refuseRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Key sets the API key. A program that has its key in a file should prefer KeyFile.
func Key(key string) Option {
	return func(s *settings) error {
		if err := checkKey(key); err != nil {
			return err
		}
		s.key = func() (string, error) { return key, nil }
		return nil
	}
}

// KeyFile reads the API key from a file, again for every attempt, so that a key can be replaced while the program runs.
// White space around the key is not part of it. A file that can't be read when the client is made is an error of New.
func KeyFile(path string) Option {
	return func(s *settings) error {
		s.key = func() (string, error) { return readKey(path) }
		_, err := s.key()
		return err
	}
}

// HTTPClient sets what sends the requests, for example a client with its own certificates. It should not follow
// redirects: they would carry the key elsewhere.
func HTTPClient(client Doer) Option {
	return func(s *settings) error {
		if client == nil {
			return errors.New("HTTPClient: client is nil")
		}
		s.http = client
		return nil
	}
}

// UserAgent names the calling program in the server's logs.
func UserAgent(name string) Option {
	return func(s *settings) error {
		if name == "" || !visible(name) {
			return errors.New("UserAgent: name is empty or holds control characters")
		}
		s.userAgent = name
		return nil
	}
}

// Attempts bounds how often a call is sent; 1 turns retries off. Default 4.
func Attempts(n int) Option {
	return func(s *settings) error {
		if n < 1 {
			return fmt.Errorf("Attempts: %d is less than 1", n)
		}
		s.attempts = uint(n)
		return nil
	}
}

// Timeout bounds one attempt. Default 10 s.
func Timeout(d time.Duration) Option {
	return func(s *settings) error {
		if d <= 0 {
			return fmt.Errorf("Timeout: %s is not positive", d)
		}
		s.timeout = d
		return nil
	}
}

// Patience bounds the time until the last attempt begins. Default 20 s.
func Patience(d time.Duration) Option {
	return func(s *settings) error {
		if d <= 0 {
			return fmt.Errorf("Patience: %s is not positive", d)
		}
		s.patience = d
		return nil
	}
}

func readKey(path string) (string, error) {
	text, err := os.ReadFile(filepath.Clean(path))
	if err != nil {
		return "", fmt.Errorf("key file: %w", err)
	}
	key := strings.TrimSpace(string(text))
	if err := checkKey(key); err != nil {
		return "", fmt.Errorf("key file %s: %w", path, err)
	}
	return key, nil
}

func checkKey(key string) error {
	if key == "" {
		return errors.New("key is empty")
	}
	if strings.ContainsAny(key, " ") || !visible(key) {
		return errors.New("key holds white space or characters that no key has")
	}
	return nil
}

func visible(text string) bool {
	return !strings.ContainsFunc(text, func(letter rune) bool { return letter < ' ' || letter > '~' })
}
