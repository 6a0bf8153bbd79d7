package order_test

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/waybillhq/waybill/server/order"
)

func TestMajorUnitsAreReadExactly(t *testing.T) {
	t.Parallel()
	tests := []struct {
		decimal, currency string
		want              order.Money
	}{
		{"10.50", "EUR", order.Money{Currency: "EUR", MinorUnits: 1050}},
		{"10.5", "EUR", order.Money{Currency: "EUR", MinorUnits: 1050}},
		{"10", "eur", order.Money{Currency: "EUR", MinorUnits: 1000}},
		{"0.29", "USD", order.Money{Currency: "USD", MinorUnits: 29}},
		{"1050.0", "BDT", order.Money{Currency: "BDT", MinorUnits: 105000}},
		{"500", "JPY", order.Money{Currency: "JPY", MinorUnits: 500}},
		{"500.00", "JPY", order.Money{Currency: "JPY", MinorUnits: 500}},
		{"1.050", "KWD", order.Money{Currency: "KWD", MinorUnits: 1050}},
		{"1.0500", "KWD", order.Money{Currency: "KWD", MinorUnits: 1050}},
		{"1.2345", "CLF", order.Money{Currency: "CLF", MinorUnits: 12345}},
		{"1.2345", "UYW", order.Money{Currency: "UYW", MinorUnits: 12345}},
		{"-3.07", "EUR", order.Money{Currency: "EUR", MinorUnits: -307}},
		{"-0", "EUR", order.Money{Currency: "EUR"}},
		{"007", "EUR", order.Money{Currency: "EUR", MinorUnits: 700}},
		{"92233720368547758.07", "EUR", order.Money{Currency: "EUR", MinorUnits: math.MaxInt64}},
		{"-92233720368547758.08", "EUR", order.Money{Currency: "EUR", MinorUnits: math.MinInt64}},
	}
	for _, test := range tests {
		got, err := order.ParseMoney(test.decimal, test.currency)
		if err != nil || got != test.want {
			t.Errorf("ParseMoney(%q, %q) is %+v, %v", test.decimal, test.currency, got, err)
		}
	}
}

func TestAmountsThatCannotBeKeptAreRefused(t *testing.T) {
	t.Parallel()
	tests := []struct{ why, decimal, currency string }{
		{"more decimals than cents", "10.505", "EUR"},
		{"a fraction of a yen", "500.5", "JPY"},
		{"more decimals than fils", "1.0505", "KWD"},
		{"an exponent", "1e3", "EUR"},
		{"a number that is none", "NaN", "EUR"},
		{"infinity", "Inf", "EUR"},
		{"nothing", "", "EUR"},
		{"a lone minus", "-", "EUR"},
		{"a lone point", ".", "EUR"},
		{"no whole part", ".50", "EUR"},
		{"no decimals after the point", "5.", "EUR"},
		{"a plus", "+5", "EUR"},
		{"two points", "1.2.3", "EUR"},
		{"two minuses", "--1", "EUR"},
		{"a comma", "1,50", "EUR"},
		{"a space", " 1", "EUR"},
		{"digits of another script", "১০", "BDT"},
		{"hexadecimal", "0x10", "EUR"},
		{"an underscore", "1_000", "EUR"},
		{"one more than fits", "92233720368547758.08", "EUR"},
		{"far more than fits", strings.Repeat("9", 400), "JPY"},
		{"no currency", "1", ""},
		{"an unknown currency", "1", "ZZZ"},
		{"a currency without minor units", "1", "XAU"},
		{"four letters", "1", "EURO"},
		{"a letter that is no ASCII", "1", "EÜ"},
	}
	for _, test := range tests {
		if got, err := order.ParseMoney(test.decimal, test.currency); err == nil {
			t.Errorf("%s: ParseMoney(%q, %q) is %+v", test.why, test.decimal, test.currency, got)
		}
	}
}

func TestErrorsAboutMoneyDoNotQuoteIt(t *testing.T) {
	t.Parallel()
	for _, test := range [][2]string{{"12345.678", "EUR"}, {"secret", "EUR"}, {"1", "secret"}} {
		_, err := order.ParseMoney(test[0], test[1])
		if err == nil || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "12345") {
			t.Errorf("ParseMoney(%q, %q): %v", test[0], test[1], err)
		}
	}
}

func TestCurrenciesHaveTheirOwnDecimals(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]int{
		"EUR": 2, "BDT": 2, "VND": 0, "KRW": 0, "CLP": 0, "UGX": 0, "BHD": 3, "TND": 3, "CLF": 4, "UYW": 4, "mga": 2,
	} {
		if got, known := order.Exponent(code); !known || got != want {
			t.Errorf("Exponent(%s) is %d, %v", code, got, known)
		}
	}
	if _, known := order.Exponent("XXX"); known {
		t.Error("XXX is known as a currency")
	}
}

func TestMoneyIsWrittenInMajorUnits(t *testing.T) {
	t.Parallel()
	for want, money := range map[string]order.Money{
		"10.50 EUR":                 {Currency: "EUR", MinorUnits: 1050},
		"0.05 EUR":                  {Currency: "EUR", MinorUnits: 5},
		"-0.05 EUR":                 {Currency: "EUR", MinorUnits: -5},
		"500 JPY":                   {Currency: "JPY", MinorUnits: 500},
		"1.050 KWD":                 {Currency: "KWD", MinorUnits: 1050},
		"7 minor units of ZZZ":      {Currency: "ZZZ", MinorUnits: 7},
		"-92233720368547758.08 EUR": {Currency: "EUR", MinorUnits: math.MinInt64},
		"-9223372036854775808 JPY":  {Currency: "JPY", MinorUnits: math.MinInt64},
		"922337203685477.5807 UYW":  {Currency: "UYW", MinorUnits: math.MaxInt64},
		"0 JPY":                     {Currency: "JPY"},
		"0.0000 CLF":                {Currency: "CLF"},
	} {
		if got := money.String(); got != want {
			t.Errorf("%+v is written %q, not %q", money, got, want)
		}
	}
}

// FuzzParseMoney compares with exact fractions: what is accepted is exact, and reads back the same.
func FuzzParseMoney(f *testing.F) {
	for _, decimal := range []string{"10.50", "-0.05", "1e3", "500.00", "NaN", "92233720368547758.08", "5.", "0x1p4"} {
		for _, currency := range []string{"EUR", "JPY", "KWD", "CLF", "zzz"} {
			f.Add(decimal, currency)
		}
	}
	f.Fuzz(func(t *testing.T, decimal, currency string) {
		money, err := order.ParseMoney(decimal, currency)
		if err != nil {
			return
		}
		exact, ok := new(big.Rat).SetString(decimal)
		if !ok {
			t.Fatalf("%q was read as %+v and is no number", decimal, money)
		}
		exponent, known := order.Exponent(money.Currency)
		if !known {
			t.Fatalf("%q was read as the unknown currency %q", currency, money.Currency)
		}
		scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(exponent)), nil)
		exact.Mul(exact, new(big.Rat).SetInt(scale))
		if exact.Cmp(new(big.Rat).SetInt64(money.MinorUnits)) != 0 {
			t.Fatalf("%q %q was read as %d minor units", decimal, currency, money.MinorUnits)
		}
		text := strings.TrimSuffix(money.String(), " "+money.Currency)
		if again, err := order.ParseMoney(text, money.Currency); err != nil || again != money {
			t.Fatalf("%+v is written %q and read back as %+v, %v", money, text, again, err)
		}
	})
}
