package api

import (
	"context"
	"time"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
)

// LastReceipts says when each provider was last heard of.
type LastReceipts interface {
	// LastReceived is the last receipt of each of the account's providers, by the name that they are recorded under.
	LastReceived(ctx context.Context, account string) (map[string]time.Time, error)
}

type providerService struct {
	receipts  LastReceipts
	directory directory
	proof     func(kind string) string
}

// ListProviders implements waybillv1connect.ProviderServiceHandler.
func (s *providerService) ListProviders(
	ctx context.Context, req *waybillv1.ListProvidersRequest,
) (*waybillv1.ListProvidersResponse, error) {
	last, err := s.receipts.LastReceived(ctx, req.GetAccount())
	if err != nil {
		return nil, err
	}

	res := &waybillv1.ListProvidersResponse{}
	for _, provider := range s.directory.providers(req.GetAccount()) {
		identity, _ := s.directory.identity(req.GetAccount(), provider.GetName())
		res.Providers = append(res.Providers, &waybillv1.Provider{
			Name:           provider.GetName(),
			Kind:           provider.GetKind(),
			Proof:          s.proof(provider.GetKind()),
			WebhookPath:    "/webhooks/" + req.GetAccount() + "/" + provider.GetName(),
			LastReceivedAt: toTime(last[identity]),
		})
	}
	return res, nil
}
