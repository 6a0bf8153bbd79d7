package api

import (
	"connectrpc.com/connect/v2"

	"github.com/waybillhq/waybill/gen/go/grpc/health/v1/healthv1connect"
	"github.com/waybillhq/waybill/gen/go/waybill/v1/waybillv1connect"
)

// accessRule says who may call a procedure.
type accessRule struct {
	// public procedures need no key: they tell nothing about anybody.
	public bool
	// scopes: one of them is needed.
	scopes []Scope
	// hidden procedures answer for another account as for an order that doesn't exist.
	hidden bool
}

func (r accessRule) otherAccount() *connect.Error {
	if r.hidden {
		return errNoOrder
	}
	return errForbidden
}

var (
	forEverybody = accessRule{public: true}
	forSenders   = accessRule{scopes: []Scope{ScopeIngest}}
	forTrackers  = accessRule{scopes: []Scope{ScopeTrack}, hidden: true}
	forOperators = accessRule{scopes: []Scope{ScopeOperate}}
	forReaders   = accessRule{scopes: []Scope{ScopeTrack, ScopeOperate}}
)

// access is the whole table. A procedure that is missing here is refused to everybody.
var access = map[string]accessRule{
	waybillv1connect.IngestServiceIngestEventProcedure:        forSenders,
	waybillv1connect.TrackingServiceGetOrderStatusProcedure:   forTrackers,
	waybillv1connect.TrackingServiceWatchOrderStatusProcedure: forTrackers,
	waybillv1connect.WorkServiceListPendingWorkProcedure:      forOperators,
	waybillv1connect.WorkServiceReprocessProcedure:            forOperators,
	waybillv1connect.WorkServiceListEventsProcedure:           forOperators,
	waybillv1connect.WorkServiceGetEventProcedure:             forOperators,
	waybillv1connect.ProviderServiceListProvidersProcedure:    forReaders,

	healthv1connect.HealthCheckProcedure: forEverybody,
	healthv1connect.HealthWatchProcedure: forEverybody,

	// The schema is published.
	"/grpc.reflection.v1.ServerReflection/ServerReflectionInfo":      forEverybody,
	"/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo": forEverybody,
}
