package providertest

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

var update = flag.Bool("update", false, "write the golden files anew")

// samplesMatchGoldens compares what each sample of testdata becomes with the golden file beside it.
func samplesMatchGoldens(t *testing.T, kind provider.Kind, opts Options) {
	t.Helper()
	opened := Open(t, kind, opts)
	folder, err := os.OpenRoot("testdata")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = folder.Close() }()
	for _, s := range kind.Samples {
		events, err := Translate(t, opened, signed(kind, sampleRequest(t, s), currentSecret, Now()))
		if err != nil {
			t.Errorf("sample %s: %v", s.Name, err)
			continue
		}
		got := golden(t, events)
		file := s.Name + ".golden"
		if *update {
			if err := folder.WriteFile(file, got, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := folder.ReadFile(file)
		if err != nil {
			t.Errorf("sample %s: %v (run the test with -update to write it)", s.Name, err)
			continue
		}
		if !bytes.Equal(got, want) {
			t.Errorf("sample %s became\n%s\nwant\n%s", s.Name, got, want)
		}
	}
}

// golden writes events as JSON that is the same on every run: protojson varies its white space on purpose.
func golden(t *testing.T, events []*waybillv1.IngestEventRequest) []byte {
	t.Helper()
	list := make([]json.RawMessage, 0, len(events))
	for _, event := range events {
		text, err := protojson.MarshalOptions{UseProtoNames: true}.Marshal(event)
		if err != nil {
			t.Fatalf("event as JSON: %v", err)
		}
		list = append(list, text)
	}
	text, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		t.Fatalf("events as JSON: %v", err)
	}
	return append(text, '\n')
}
