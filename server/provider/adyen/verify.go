package adyen

import (
	"crypto/hmac"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/waybillhq/waybill/server/provider"
)

var errSignature = errors.New("additionalData.hmacSignature is not the signature of its item")

// Verify checks the signature of every item: one that is not proven makes the whole body unproven.
func (p *payments) Verify(r *provider.Request) error {
	items, err := signedItems(r.Body)
	if err != nil {
		return p.keys.Prove(r.ReceivedAt, func(string) bool { return false }, err)
	}
	for _, one := range items {
		if err := p.prove(r.ReceivedAt, one); err != nil {
			return err
		}
	}
	return nil
}

func (p *payments) prove(at time.Time, one signedItem) error {
	text, err := one.signed()
	if err != nil {
		return p.keys.Prove(at, func(string) bool { return false }, err)
	}
	given := []byte(one.AdditionalData.Signature)
	return p.keys.Prove(at, func(secret string) bool {
		return hmac.Equal(given, []byte(signature(secret, text)))
	}, errSignature)
}

// signedItems are all of a body's items, as far as they are signed; at least one.
func signedItems(body []byte) ([]signedItem, error) {
	var n notification
	if err := provider.Decode(body, &n); err != nil {
		return nil, err
	}
	if len(n.Items) == 0 {
		return nil, errors.New("notificationItems is missing or empty")
	}
	items := make([]signedItem, 0, len(n.Items))
	for _, raw := range n.Items {
		one, err := unwrap[signedItem](raw)
		if err != nil {
			return nil, errors.New("notificationItems: " + err.Error())
		}
		items = append(items, one)
	}
	return items, nil
}

// signature keys with the bytes that the hexadecimal digits of the secret stand for.
func signature(secret, text string) string {
	key, err := hex.DecodeString(secret)
	if err != nil {
		return ""
	}
	return base64.StdEncoding.EncodeToString(provider.MAC(string(key), []byte(text)))
}

// sign puts a signature into every item. A body that is no notification stays as it is.
func sign(r *provider.Request, secret string, _ time.Time) {
	var body map[string]jsontext.Value
	var items []map[string]map[string]jsontext.Value
	if json.Unmarshal(r.Body, &body) != nil || json.Unmarshal(body["notificationItems"], &items) != nil {
		return
	}
	signed, err := signedItems(r.Body)
	if err != nil {
		return
	}
	for at, one := range signed {
		text, err := one.signed()
		if err != nil {
			return
		}
		additional := make(map[string]jsontext.Value)
		inner := items[at]["NotificationRequestItem"]
		if given := inner["additionalData"]; len(given) > 0 && json.Unmarshal(given, &additional) != nil {
			return
		}
		additional["hmacSignature"] = encoded(signature(secret, text))
		inner["additionalData"] = encoded(additional)
	}
	body["notificationItems"] = encoded(items)
	r.Body = encoded(body)
}

// encoded is a value as JSON. What was decoded from JSON can be written as JSON.
func encoded(value any) jsontext.Value {
	text, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		return jsontext.Value("null")
	}
	return text
}
