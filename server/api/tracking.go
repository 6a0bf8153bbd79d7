package api

import (
	"context"
	"errors"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/gen/go/waybill/v1/waybillv1connect"
	"github.com/waybillhq/waybill/server/store"
)

// Orders finds orders. One that doesn't exist, and a name that several have, is a store.ErrNotFound.
type Orders interface {
	OrderByNumber(ctx context.Context, account, number string) (store.OrderView, error)
	// OrderByConsignment finds an order by a parcel's consignment id or tracking number.
	OrderByConsignment(ctx context.Context, account, consignment string) (store.OrderView, error)
}

type trackingService struct {
	orders    Orders
	directory directory
}

// GetOrderStatus implements waybillv1connect.TrackingServiceHandler.
func (s *trackingService) GetOrderStatus(
	ctx context.Context, req *waybillv1.GetOrderStatusRequest,
) (*waybillv1.GetOrderStatusResponse, error) {
	found, err := s.find(ctx, req)
	if errors.Is(err, store.ErrAmbiguous) && caller(ctx).May(ScopeOperate) {
		return nil, errSharedNumber
	}
	if errors.Is(err, store.ErrNotFound) {
		return nil, errNoOrder
	}
	if err != nil {
		return nil, err
	}
	return &waybillv1.GetOrderStatusResponse{Order: toOrder(found, caller(ctx).May(ScopeOperate), s.directory)}, nil
}

func (s *trackingService) find(ctx context.Context, req *waybillv1.GetOrderStatusRequest) (store.OrderView, error) {
	switch named := req.GetOrder().(type) {
	case *waybillv1.GetOrderStatusRequest_OrderNumber:
		return s.orders.OrderByNumber(ctx, req.GetAccount(), fromText(named.OrderNumber))
	case *waybillv1.GetOrderStatusRequest_ConsignmentId:
		return s.orders.OrderByConsignment(ctx, req.GetAccount(), fromText(named.ConsignmentId))
	}
	// No tracking link has been given out yet, so no secret finds an order.
	return store.OrderView{}, store.ErrNotFound
}

// WatchOrderStatus implements waybillv1connect.TrackingServiceHandler.
func (s *trackingService) WatchOrderStatus(
	context.Context, *waybillv1.WatchOrderStatusRequest, waybillv1connect.TrackingServiceWatchOrderStatusServerStream,
) error {
	return errNoWatch
}
