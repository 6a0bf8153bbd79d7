package api

import (
	"context"
	"time"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/order"
	"github.com/waybillhq/waybill/server/store"
)

// Receipts records events.
type Receipts interface {
	// Accept records a delivery for ever and says what it found. It returns after the commit.
	Accept(ctx context.Context, e order.Event) (store.Receipt, error)
}

type ingestService struct {
	receipts  Receipts
	directory directory
	now       func() time.Time
}

// IngestEvent implements waybillv1connect.IngestServiceHandler.
func (s *ingestService) IngestEvent(
	ctx context.Context, req *waybillv1.IngestEventRequest,
) (*waybillv1.IngestEventResponse, error) {
	recorded, ok := s.directory.identity(req.GetAccount(), req.GetProvider())
	if !ok {
		return nil, errNoProvider
	}
	event := fromIngest(req, s.now().UTC().Truncate(time.Microsecond))
	event.Provider = recorded

	receipt, err := s.receipts.Accept(ctx, event)
	if err != nil {
		return nil, err
	}
	return toReceipt(receipt, s.directory), nil
}
