package provider_test

import (
	"testing"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/provider"
)

func TestWhoShouldComeAgainIsToldWhenInWholeSeconds(t *testing.T) {
	t.Parallel()
	for verdict, status := range map[provider.Verdict]int{provider.Unavailable: 503, provider.Limited: 429} {
		for wait, want := range map[time.Duration]string{
			0: "1", time.Millisecond: "1", time.Second: "1", 1001 * time.Millisecond: "2", 20 * time.Second: "20",
		} {
			answer := provider.DefaultAnswer(provider.Result{Verdict: verdict, RetryAfter: wait})
			if answer.Status != status || answer.Header.Get("Retry-After") != want {
				t.Errorf("%s after %s: %d, Retry-After %q, want %d, %q: earlier would be in vain",
					verdict, wait, answer.Status, answer.Header.Get("Retry-After"), status, want)
			}
		}
	}
}

func TestAConfirmationIsNoError(t *testing.T) {
	t.Parallel()
	answer := provider.DefaultAnswer(provider.Result{Verdict: provider.Handshaken, Message: "confirmed"})
	if answer.Status != 200 || string(answer.Body) != `{"message":"confirmed"}`+"\n" {
		t.Errorf("answer %d %s", answer.Status, answer.Body)
	}
}

func TestExampleSettingsAreTheKindsOwn(t *testing.T) {
	t.Parallel()
	plain := provider.Kind{Name: "plain"}.ExampleSettings("one", "seed")
	if plain.GetName() != "one" || plain.GetKind() != "plain" || plain.GetSecrets()[0].GetValue() != "seed" || plain.GetCurrency() == "" {
		t.Errorf("settings %v", plain)
	}
	own := provider.Kind{
		Name:    "own",
		Secret:  func(seed string) string { return "shaped-" + seed },
		Example: func() *configv1.Provider { return &configv1.Provider{TimeZone: "Asia/Dhaka"} },
	}.ExampleSettings("two", "seed")
	if own.GetTimeZone() != "Asia/Dhaka" || own.GetCurrency() != "" || own.GetSecrets()[0].GetValue() != "shaped-seed" {
		t.Errorf("settings %v", own)
	}
}
