package providertest

import (
	"testing"

	"github.com/waybillhq/waybill/server/provider"
)

// Run runs the whole suite.
func Run(t *testing.T, kind provider.Kind, opts Options) {
	t.Helper()
	kind = ready(kind)

	for _, part := range []struct {
		name string
		test func(*testing.T, provider.Kind, Options)
	}{
		{"the kind describes itself", describesItself},
		{"published vectors hold", vectorsHold},
		{"a proof holds for its own bytes only", proofHoldsForItsBytes},
		{"a missing or malformed proof is refused", malformedProofIsRefused},
		{"without a secret nothing is proven", noSecretFailsClosed},
		{"a secret with white space around it is a fault of the settings", paddedSecretIsAFault},
		{"several secrets are in force until they are retired", secretsRotate},
		{"the clock is checked on the sides that the scheme checks", clockIsChecked},
		{"the same bytes make the same events", sameBytesSameEvents},
		{"every documented word is read", wordsAreRead},
		{"an unknown word is kept as unrecognised", unknownWordIsKept},
		{"an unknown member changes nothing", unknownMemberChangesNothing},
		{"a truncated body is never half read", truncatedBodyIsNotRead},
		{"bytes that are no sound JSON have a defined result", unsoundBodiesAreDefined},
		{"a body of the full size is read", fullSizeIsRead},
		{"the kept headers are enough to translate again", keptHeadersSuffice},
		{"samples read as their golden files", samplesMatchGoldens},
		{"every verdict has an answer", verdictsAreAnswered},
	} {
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			part.test(t, kind, opts)
		})
	}
}
