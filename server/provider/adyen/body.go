package adyen

import (
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/waybillhq/waybill/server/provider"
)

// notification is a body. Only SOAP batches in practice; the shape allows several items everywhere.
type notification struct {
	Live  flag             `json:"live"`
	Items []jsontext.Value `json:"notificationItems"`
}

// wrapper is what stands around an item.
type wrapper[T any] struct {
	Item *T `json:"NotificationRequestItem"`
}

// signedItem is what the signature of an item covers, and the signature. Its texts are read as they stand: white space
// is signed too.
type signedItem struct {
	PSPReference        provider.Word `json:"pspReference"`
	OriginalReference   provider.Word `json:"originalReference"`
	MerchantAccountCode provider.Word `json:"merchantAccountCode"`
	MerchantReference   provider.Word `json:"merchantReference"`
	Amount              amountBody    `json:"amount"`
	EventCode           provider.Word `json:"eventCode"`
	Success             flag          `json:"success"`
	AdditionalData      struct {
		Signature provider.Word `json:"hmacSignature"`
	} `json:"additionalData"`
}

type amountBody struct {
	Value    provider.Number `json:"value"`
	Currency provider.Word   `json:"currency"`
}

// item is what is read of an item besides. Nothing of this is signed.
type item struct {
	signedItem

	EventDate  provider.Text `json:"eventDate"`
	Reason     provider.Text `json:"reason"`
	Additional struct {
		Action provider.Text `json:"modification.action"`
	} `json:"additionalData"`
}

// flag is a truth value, which Adyen writes as text.
type flag string

const (
	yes flag = "true"
	no  flag = "false"
)

// UnmarshalJSONFrom reads a flag.
func (f *flag) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	switch dec.PeekKind() {
	case 't', 'f':
		token, err := dec.ReadToken()
		if err != nil {
			return err
		}
		*f = no
		if token.Bool() {
			*f = yes
		}
		return nil
	default:
		var text provider.Word
		if err := text.UnmarshalJSONFrom(dec); err != nil {
			return err
		}
		*f = flag(text)
		return nil
	}
}

func (f flag) known() bool { return f == yes || f == no }

// unwrap reads what is in a wrapper.
func unwrap[T any](raw jsontext.Value) (T, error) {
	var none T
	var around wrapper[T]
	if err := provider.Decode(raw, &around); err != nil {
		return none, err
	}
	if around.Item == nil {
		return none, errors.New("NotificationRequestItem is missing")
	}
	return *around.Item, nil
}

// signed is the text that is signed: the eight fields with colons between them and nothing escaped. Only the merchant's
// own reference may hold a colon, so that one text can't be read as two different items.
func (i signedItem) signed() (string, error) {
	fields := []string{
		string(i.PSPReference), string(i.OriginalReference), string(i.MerchantAccountCode), string(i.MerchantReference),
		string(i.Amount.Value), string(i.Amount.Currency), string(i.EventCode), string(i.Success),
	}
	for at, field := range fields {
		if at != 3 && strings.Contains(field, ":") {
			return "", errors.New("a field of an item holds a colon, so that nobody can say what was signed")
		}
	}
	return strings.Join(fields, ":"), nil
}
