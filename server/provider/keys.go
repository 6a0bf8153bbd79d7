package provider

import (
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
)

// Where leaves out the keys that a kind can't use: written in another shape than the provider's, they would refuse
// everything without a hint. The kind's Check reports them; here they are as if they were not there.
func (k Keys) Where(usable func(secret string) bool) Keys {
	var left []*configv1.Secret
	for _, secret := range k.secrets {
		if usable(secret.GetValue()) {
			left = append(left, secret)
		}
	}
	return Keys{secrets: left}
}

// InForce gives the keys in force at a time, or ErrNoSecret where there is none.
func (k Keys) InForce(r *Request) ([]string, error) {
	var values []string
	err := k.Prove(r.ReceivedAt, func(secret string) bool {
		values = append(values, secret)
		return true
	}, nil)
	return values, err
}

// refuse fails a request whose proof can't even be read, and says first that there is no secret where there is none.
func (k Keys) refuse(at time.Time, err error) error {
	return k.Prove(at, func(string) bool { return false }, err)
}
