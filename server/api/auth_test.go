package api

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connectinprocess"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/gen/go/waybill/v1/waybillv1connect"
)

// requests are a good request for every procedure that needs a key, about the account shop.
var requests = map[string]proto.Message{
	waybillv1connect.IngestServiceIngestEventProcedure:      ingest(func(*waybillv1.IngestEventRequest) {}),
	waybillv1connect.TrackingServiceGetOrderStatusProcedure: track(func(*waybillv1.GetOrderStatusRequest) {}),
	waybillv1connect.TrackingServiceWatchOrderStatusProcedure: &waybillv1.WatchOrderStatusRequest{
		Account: "shop", Order: &waybillv1.WatchOrderStatusRequest_OrderNumber{OrderNumber: "1001"},
	},
	waybillv1connect.WorkServiceListPendingWorkProcedure:   &waybillv1.ListPendingWorkRequest{Account: "shop"},
	waybillv1connect.WorkServiceReprocessProcedure:         reprocess(func(*waybillv1.ReprocessRequest) {}),
	waybillv1connect.WorkServiceListEventsProcedure:        &waybillv1.ListEventsRequest{Account: "shop"},
	waybillv1connect.WorkServiceGetEventProcedure:          &waybillv1.GetEventRequest{Account: "shop", EventId: "evt_1"},
	waybillv1connect.ProviderServiceListProvidersProcedure: &waybillv1.ListProvidersRequest{Account: "shop"},
}

// invoke calls a procedure by its spec, whatever its shape, and gives its error.
func invoke(ctx context.Context, client *connect.Client, spec connect.Spec, req proto.Message) error {
	res := response(spec)
	if spec.StreamType == connect.StreamTypeUnary {
		return client.CallUnary(ctx, spec, req, res)
	}
	stream, err := client.CallClientStream(ctx, spec)
	if err != nil {
		return err
	}
	defer stream.Close()
	// A server that refuses at once may be done before the request is sent; Receive tells why.
	if err := stream.Send(req); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if err := stream.CloseSend(); err != nil {
		return err
	}
	for err == nil {
		err = stream.Receive(res)
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func response(spec connect.Spec) proto.Message {
	output := spec.Schema.(protoreflect.MethodDescriptor).Output()
	kind, err := protoregistry.GlobalTypes.FindMessageByName(output.FullName())
	if err != nil {
		panic(err)
	}
	return kind.New().Interface()
}

func TestEveryProcedureHasAnAccessRuleAndEveryRuleAProcedure(t *testing.T) {
	t.Parallel()
	house := newHouse(t, &fakeStore{})
	var procedures []string
	for spec := range house.server.Specs() {
		procedures = append(procedures, spec.Procedure)
		rule, ok := access[spec.Procedure]
		if !ok {
			t.Errorf("%s has no rule", spec.Procedure)
		}
		if rule.public != strings.HasPrefix(spec.Procedure, "/grpc.") || (!rule.public && len(rule.scopes) == 0) {
			t.Errorf("%s is open to the wrong people: %+v", spec.Procedure, rule)
		}
		if !rule.public && requests[spec.Procedure] == nil {
			t.Errorf("%s has no request in the tests", spec.Procedure)
		}
	}
	for _, procedure := range slices.Sorted(maps.Keys(access)) {
		if !slices.Contains(procedures, procedure) {
			t.Errorf("the rule for %s is for nothing", procedure)
		}
	}
}

// scopeless are keys without the scope that a procedure needs.
func scopeless(rule accessRule) []string {
	var names []string
	for _, key := range testConfig().GetApiKeys() {
		if key.GetAccount() != "shop" {
			continue
		}
		if !slices.ContainsFunc(rule.scopes, func(s Scope) bool { return slices.Contains(key.GetScopes(), string(s)) }) {
			names = append(names, key.GetName())
		}
	}
	return names
}

func TestNobodyGetsInWithoutTheRightKey(t *testing.T) {
	t.Parallel()
	fake := &fakeStore{}
	house := newHouse(t, fake)
	for spec := range house.server.Specs() {
		rule := access[spec.Procedure]
		if rule.public {
			continue
		}
		for door := range doors {
			t.Run(spec.Procedure+" over "+door, func(t *testing.T) {
				t.Parallel()
				req := requests[spec.Procedure]
				refused := func(key string, want connect.Code) {
					t.Helper()
					err := invoke(t.Context(), house.over(door, key), spec, req)
					if connect.CodeOf(err) != want || err == nil {
						t.Errorf("key %q: %v, want %s", key, err, want)
					}
				}

				refused("", connect.CodeUnauthenticated)
				refused("nobody", connect.CodeUnauthenticated)
				without := scopeless(rule)
				if len(without) == 0 {
					t.Error("every key has the scope: nothing is tested")
				}
				for _, name := range without {
					refused(name, connect.CodePermissionDenied)
				}
				if rule.hidden {
					refused(strangerKey, connect.CodeNotFound)
				} else {
					refused(strangerKey, connect.CodePermissionDenied)
				}
			})
		}
	}
	t.Cleanup(func() {
		if fake.calls.Load() != 0 {
			t.Errorf("the store was asked %d times for somebody who was refused", fake.calls.Load())
		}
	})
}

func TestAnIngestKeySpeaksForItsProvidersOnly(t *testing.T) {
	t.Parallel()
	house := newHouse(t, &fakeStore{})
	for name, provider := range map[string]string{
		"another provider": "stripe", "one that does not exist": "none", "an old name": "old-stripe",
	} {
		for door := range doors {
			client := waybillv1connect.NewIngestServiceClient(house.over(door, senderKey))

			_, err := client.IngestEvent(t.Context(), ingest(func(m *waybillv1.IngestEventRequest) { m.Provider = provider }))

			if connect.CodeOf(err) != connect.CodePermissionDenied {
				t.Errorf("%s over %s: %v", name, door, err)
			}
		}
	}
}

func TestTheAuthorizationHeaderIsReadStrictly(t *testing.T) {
	t.Parallel()
	house := newHouse(t, &fakeStore{})
	good := keyText(trackerKey)
	tests := map[string]struct {
		headers []string
		want    int
	}{
		"as it should be":         {[]string{"Bearer " + good}, http.StatusOK},
		"scheme in small letters": {[]string{"bearer " + good}, http.StatusOK},
		"two spaces":              {[]string{"Bearer  " + good}, http.StatusOK},
		"no header":               {nil, http.StatusUnauthorized},
		"empty":                   {[]string{""}, http.StatusUnauthorized},
		"scheme alone":            {[]string{"Bearer"}, http.StatusUnauthorized},
		"scheme and a space":      {[]string{"Bearer "}, http.StatusUnauthorized},
		"the key alone":           {[]string{good}, http.StatusUnauthorized},
		"another scheme":          {[]string{"Basic " + good}, http.StatusUnauthorized},
		"the key twice":           {[]string{"Bearer " + good, "Bearer " + good}, http.StatusUnauthorized},
		"a wrong one first":       {[]string{"Bearer x", "Bearer " + good}, http.StatusUnauthorized},
		"cut short":               {[]string{"Bearer " + good[:len(good)-1]}, http.StatusUnauthorized},
		"too long":                {[]string{"Bearer " + good + "x"}, http.StatusUnauthorized},
		"the digest":              {[]string{"Bearer " + testConfig().GetApiKeys()[1].GetSha256()}, http.StatusUnauthorized},
	}
	for name, test := range tests {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
			house.url+waybillv1connect.ProviderServiceListProvidersProcedure, strings.NewReader(`{"account":"shop"}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header["Authorization"] = test.headers
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != test.want {
			t.Errorf("%s: %d, want %d", name, res.StatusCode, test.want)
		}
		if (res.Header.Get("WWW-Authenticate") == "Bearer") != (test.want == http.StatusUnauthorized) {
			t.Errorf("%s: WWW-Authenticate is %q", name, res.Header.Get("WWW-Authenticate"))
		}
	}
}

// undecodable sends a request that no codec can read, and gives its HTTP status and gRPC's.
func undecodable(t *testing.T, house *house, contentType, key string) (status int, grpcStatus string) {
	t.Helper()
	body := []byte("\xff\xff not a message")
	if strings.HasPrefix(contentType, "application/grpc") {
		body = append([]byte{0, 0, 0, 0, byte(len(body))}, body...)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
		house.url+waybillv1connect.IngestServiceIngestEventProcedure, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", contentType)
	if key != "" {
		req.Header.Set("Authorization", bearer(key))
	}
	res, err := h2c().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header.Get("Grpc-Status") + res.Trailer.Get("Grpc-Status")
}

func TestWhoMayNotCallIsRefusedBeforeTheMessageIsDecoded(t *testing.T) {
	t.Parallel()
	house := newHouse(t, &fakeStore{})
	for key, want := range map[string]connect.Code{
		"": connect.CodeUnauthenticated, "nobody": connect.CodeUnauthenticated,
		trackerKey: connect.CodePermissionDenied, senderKey: connect.CodeInvalidArgument,
	} {
		for _, contentType := range []string{"application/json", "application/proto"} {
			got, _ := undecodable(t, house, contentType, key)
			status := map[connect.Code]int{
				connect.CodeUnauthenticated: 401, connect.CodePermissionDenied: 403, connect.CodeInvalidArgument: 400,
			}[want]
			if got != status {
				t.Errorf("%s with key %q: %d, want %d", contentType, key, got, status)
			}
		}
		_, status := undecodable(t, house, "application/grpc+proto", key)
		number := map[connect.Code]string{
			connect.CodeUnauthenticated: "16", connect.CodePermissionDenied: "7", connect.CodeInvalidArgument: "3",
		}[want]
		if status != number {
			t.Errorf("grpc with key %q: status %q, want %s", key, status, number)
		}
	}
}

// unread is a stream that must not be read.
type unread struct{ reads int }

func (s *unread) Receive(any) error  { s.reads++; return io.EOF }
func (s *unread) SendHeaders() error { return nil }
func (s *unread) Send(any) error     { return nil }

func TestARefusedCallersMessageIsNeverRead(t *testing.T) {
	t.Parallel()
	house := newHouse(t, &fakeStore{})
	for procedure := range requests {
		for _, authorization := range []string{"", "Bearer x", bearer("nobody")} {
			info, stream := &connect.CallInfo{}, &unread{}
			info.RequestHeader().Set("Authorization", authorization)

			err := house.server.Call(t.Context(), procedure, info, stream)

			if connect.CodeOf(err) != connect.CodeUnauthenticated || stream.reads != 0 {
				t.Errorf("%s: %v after %d reads", procedure, err, stream.reads)
			}
		}
	}
}

func TestNoHeaderCanClaimThePrincipalOfTheProcess(t *testing.T) {
	t.Parallel()
	house := newHouse(t, &fakeStore{})
	spec, _ := specOf(house.server, waybillv1connect.IngestServiceIngestEventProcedure)
	req := requests[spec.Procedure]

	// Inside the process the same call works.
	if err := invoke(t.Context(), InProcess(house.server, Adapter()), spec, req); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"Principal", "X-Principal", "X-Waybill-Principal", "X-Forwarded-User", "X-User", "Adapter", "Waybill-Principal",
	} {
		for door := range doors {
			transport := house.over(door, "")
			info := withHeader(name, "adapter")
			client := connect.NewClient(passThrough{transport}, info)
			if err := invoke(t.Context(), client, spec, req); connect.CodeOf(err) != connect.CodeUnauthenticated {
				t.Errorf("%s over %s: %v", name, door, err)
			}
		}
	}
	// A principal in the context of a client over HTTP stays on its side.
	ctx := WithPrincipal(t.Context(), Adapter())
	if err := invoke(ctx, house.over("connect", ""), spec, req); connect.CodeOf(err) != connect.CodeUnauthenticated {
		t.Errorf("a client's context: %v", err)
	}
	// Being inside the process is not enough either.
	bare := connect.NewClient(connectinprocess.New(house.server))
	if err := invoke(t.Context(), bare, spec, req); connect.CodeOf(err) != connect.CodeUnauthenticated {
		t.Errorf("without a principal: %v", err)
	}
}

// passThrough is a client as a transport, so that interceptors can be put before it.
type passThrough struct{ client *connect.Client }

func (p passThrough) NewClientStream(ctx context.Context, spec connect.Spec) (connect.ClientStream, error) {
	return p.client.CallClientStream(ctx, spec)
}

func specOf(server *connect.Server, procedure string) (connect.Spec, bool) {
	for spec := range server.Specs() {
		if spec.Procedure == procedure {
			return spec, true
		}
	}
	return connect.Spec{}, false
}

func TestTheAdapterMaySendForEverybodyAndNothingElse(t *testing.T) {
	t.Parallel()
	house := newHouse(t, &fakeStore{})
	client := InProcess(house.server, Adapter())
	for spec := range house.server.Specs() {
		if access[spec.Procedure].public {
			continue
		}
		err := invoke(t.Context(), client, spec, requests[spec.Procedure])
		if spec.Procedure == waybillv1connect.IngestServiceIngestEventProcedure {
			if err != nil {
				t.Errorf("%s: %v", spec.Procedure, err)
			}
			continue
		}
		if connect.CodeOf(err) != connect.CodePermissionDenied {
			t.Errorf("%s: %v", spec.Procedure, err)
		}
	}
	for _, account := range []string{"other", "nowhere"} {
		_, err := waybillv1connect.NewIngestServiceClient(client).IngestEvent(t.Context(),
			ingest(func(m *waybillv1.IngestEventRequest) { m.Account = account }))
		if (account == "other") != (err == nil) || (err != nil && connect.CodeOf(err) != connect.CodeNotFound) {
			t.Errorf("account %s: %v", account, err)
		}
	}
}

func TestAServerWithABrokenKeyIsNotMade(t *testing.T) {
	t.Parallel()
	for _, digest := range []string{"", "abc", strings.Repeat("zz", 32), strings.Repeat("ab", 31)} {
		cfg := testConfig()
		cfg.ApiKeys[0].Sha256 = digest

		_, err := NewServer(Deps{
			Config: cfg, Store: &fakeStore{}, Retranslator: noRetranslator{}, Policy: noPolicy, Health: NewHealth(readyStorage{}),
		})

		if err == nil || !strings.Contains(err.Error(), senderKey) || (digest != "" && strings.Contains(err.Error(), digest)) {
			t.Errorf("%q: %v", digest, err)
		}
	}
	if _, err := NewServer(Deps{}); err == nil {
		t.Error("a server of nothing was made")
	}
}
