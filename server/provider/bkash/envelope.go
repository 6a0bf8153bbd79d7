package bkash

import (
	"errors"
	"net/url"
	"regexp"
	"strings"

	"github.com/waybillhq/waybill/server/provider"
)

// The types of messages.
const (
	notification = "Notification"
	subscription = "SubscriptionConfirmation"
	unsubscribed = "UnsubscribeConfirmation"
)

// envelope is a message of SNS. Its texts are read as they stand: they are signed so.
type envelope struct {
	Type             provider.Word  `json:"Type"`
	MessageID        provider.Word  `json:"MessageId"`
	TopicARN         provider.Word  `json:"TopicArn"`
	Subject          *provider.Word `json:"Subject"`
	Message          provider.Word  `json:"Message"`
	Timestamp        provider.Word  `json:"Timestamp"`
	Token            provider.Word  `json:"Token"`
	SubscribeURL     provider.Word  `json:"SubscribeURL"`
	SignatureVersion provider.Word  `json:"SignatureVersion"`
	Signature        provider.Word  `json:"Signature"`
	SigningCertURL   provider.Word  `json:"SigningCertURL"`
}

func parse(body []byte) (envelope, error) {
	var e envelope
	if err := provider.Decode(body, &e); err != nil {
		return envelope{}, err
	}
	switch e.Type {
	case notification, subscription, unsubscribed:
	case "":
		return envelope{}, errors.New("member Type is missing: raw message delivery must be off, or nothing is signed")
	default:
		return envelope{}, errors.New("member Type is none of the three that SNS knows")
	}
	return e, nil
}

// pairs are what is signed, in their order.
func (e envelope) pairs() [][2]string {
	pairs := [][2]string{{"Message", string(e.Message)}, {"MessageId", string(e.MessageID)}}
	if e.Type == notification {
		if e.Subject != nil {
			pairs = append(pairs, [2]string{"Subject", string(*e.Subject)})
		}
		pairs = append(pairs, [2]string{"Timestamp", string(e.Timestamp)})
	} else {
		pairs = append(pairs, [][2]string{
			{"SubscribeURL", string(e.SubscribeURL)}, {"Timestamp", string(e.Timestamp)}, {"Token", string(e.Token)},
		}...)
	}
	return append(pairs, [][2]string{{"TopicArn", string(e.TopicARN)}, {"Type", string(e.Type)}}...)
}

// signed is the text that is signed: names and values in turns, a line each. Only the message itself may have several
// lines, so that one text can't be read as two different messages.
func (e envelope) signed() (string, error) {
	var text strings.Builder
	for _, pair := range e.pairs() {
		if pair[0] != "Message" && strings.Contains(pair[1], "\n") {
			return "", errors.New(pair[0] + " holds a line break, so that nobody can say what was signed")
		}
		text.WriteString(pair[0] + "\n" + pair[1] + "\n")
	}
	return text.String(), nil
}

// host is where SNS lives. A bucket or a gateway of somebody else below amazonaws.com has another shape.
var host = regexp.MustCompile(`^sns\.[a-z0-9-]{3,32}\.amazonaws\.com(\.cn)?$`)

// certificatePath is where it keeps its certificates.
var certificatePath = regexp.MustCompile(`^/SimpleNotificationService-[A-Za-z0-9]{1,64}\.pem$`)

// amazons is an address of SNS. nil: it is none.
func amazons(text provider.Word) *url.URL {
	address, err := url.Parse(string(text))
	if err != nil || address.Scheme != "https" || address.User != nil || address.Port() != "" || address.Fragment != "" ||
		address.RawPath != "" || !host.MatchString(address.Hostname()) {
		return nil
	}
	return address
}
