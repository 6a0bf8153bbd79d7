package order

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Money is an amount in the currency's smallest unit: 10.50 EUR is 1050, 1050 JPY is 1050, 1.050 KWD is 1050.
type Money struct {
	// Currency is the ISO 4217 code in capitals.
	Currency   string
	MinorUnits int64
}

// codes are the ISO 4217 currencies by the number of their decimals. Codes that were withdrawn in the last years stay:
// late refunds still carry them. Codes without a minor unit (metals, test codes) are left out.
var codes = map[int]string{
	0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
	2: "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF " +
		"CHE CHF CHW CNY COP COU CRC CUC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ " +
		"GYD HKD HNL HRK HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD " +
		"MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD " +
		"RUB SAR SBD SCR SDG SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH " +
		"USD USN UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG ZWL",
	3: "BHD IQD JOD KWD LYD OMR TND",
	4: "CLF UYW",
}

var exponents = exponentsOf(codes)

func exponentsOf(codes map[int]string) map[string]int {
	byCode := make(map[string]int)
	for exponent, list := range codes {
		for code := range strings.FieldsSeq(list) {
			byCode[code] = exponent
		}
	}
	return byCode
}

// Exponent is the number of decimals of an ISO 4217 currency, in any case of letters. False: no such currency.
func Exponent(currency string) (int, bool) {
	exponent, ok := exponents[capitals(currency)]
	return exponent, ok
}

// ParseMoney reads a decimal amount in major units, exactly: "10.5" EUR is 1050 minor units. It takes an optional minus,
// digits and a point with digits. It refuses what it can't keep: more decimals than the currency has, unless they are
// zeros, exponents, amounts beyond int64, and currencies whose decimals nobody knows.
func ParseMoney(decimal, currency string) (Money, error) {
	code := capitals(currency)
	exponent, ok := exponents[code]
	if !ok {
		return Money{}, errors.New("money: currency is not a known ISO 4217 code")
	}
	digits, negative := strings.CutPrefix(decimal, "-")
	whole, fraction, pointed := strings.Cut(digits, ".")
	if !allDigits(whole) || (pointed && !allDigits(fraction)) {
		return Money{}, errors.New("money: amount is not a plain decimal")
	}
	if len(fraction) > exponent {
		if strings.Trim(fraction[exponent:], "0") != "" {
			return Money{}, fmt.Errorf("money: amount has more than the %d decimals of %s", exponent, code)
		}
		fraction = fraction[:exponent]
	}
	fraction += strings.Repeat("0", exponent-len(fraction))
	units, err := minorUnits(whole+fraction, negative)
	if err != nil {
		return Money{}, err
	}
	return Money{Currency: code, MinorUnits: units}, nil
}

// String is the amount in major units and its currency: 10.50 EUR.
func (m Money) String() string {
	exponent, ok := exponents[m.Currency]
	if !ok {
		return strconv.FormatInt(m.MinorUnits, 10) + " minor units of " + m.Currency
	}
	return m.decimal(exponent) + " " + m.Currency
}

func (m Money) decimal(exponent int) string {
	text := strconv.FormatInt(m.MinorUnits, 10)
	digits, negative := strings.CutPrefix(text, "-")
	if short := exponent + 1 - len(digits); short > 0 {
		digits = strings.Repeat("0", short) + digits
	}
	if exponent > 0 {
		point := len(digits) - exponent
		digits = digits[:point] + "." + digits[point:]
	}
	if negative {
		return "-" + digits
	}
	return digits
}

func minorUnits(digits string, negative bool) (int64, error) {
	if negative {
		digits = "-" + digits
	}
	units, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, errors.New("money: amount is too large")
	}
	return units, nil
}

func allDigits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != ""
}

// capitals is an ASCII code in capitals. Anything but three ASCII letters stays as it is, and is then no known code.
func capitals(currency string) string {
	if len(currency) != 3 {
		return currency
	}
	for i := range len(currency) {
		if currency[i]|0x20 < 'a' || currency[i]|0x20 > 'z' {
			return currency
		}
	}
	return strings.ToUpper(currency)
}
