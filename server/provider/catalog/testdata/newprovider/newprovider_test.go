package newprovider_test

import (
	"testing"

	"github.com/waybillhq/waybill/server/provider/catalog/testdata/newprovider"
	"github.com/waybillhq/waybill/server/provider/providertest"
)

func options() providertest.Options {
	return providertest.Options{
		Sample:      "landed",
		ProofHeader: "X-Pigeon-Seal",
		SignsBody:   true,
		Words: []providertest.Word{
			word("aloft", "status_changed in_transit"),
			word("landed", "status_changed delivered"),
		},
		UnknownWord: word("lost at sea", "unrecognised word"),
	}
}

func word(word, says string) providertest.Word {
	return providertest.Word{
		Name: word, Body: `{"flight":"F-1","pigeon":"P-1","order":"1001","word":"` + word + `"}`, Says: []string{says},
	}
}

func TestTheNewProviderKeepsTheContract(t *testing.T) {
	t.Parallel()
	providertest.Run(t, newprovider.Kind(), options())
}

func TestTheReadmeHasTheMapping(t *testing.T) {
	t.Parallel()
	providertest.InReadme(t, options().Words)
}

func FuzzVerify(f *testing.F)    { providertest.FuzzVerify(f, newprovider.Kind(), options()) }
func FuzzTranslate(f *testing.F) { providertest.FuzzTranslate(f, newprovider.Kind(), options()) }
