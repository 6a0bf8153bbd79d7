package waybill

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"net/url"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"google.golang.org/protobuf/proto"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/gen/go/waybill/v1/waybillv1connect"
)

// maxAnswerBytes is above the largest answer there is: an event with its untouched bytes, 16 MiB.
const maxAnswerBytes = 32 << 20

// Client calls a Waybill server. It is safe for concurrent use.
type Client struct {
	settings settings
	baseURL  string

	ingest    waybillv1connect.IngestServiceClient
	tracking  waybillv1connect.TrackingServiceClient
	work      waybillv1connect.WorkServiceClient
	providers waybillv1connect.ProviderServiceClient
}

// New makes a client for the server at baseURL, for example https://waybill.internal. It sends nothing yet.
func New(baseURL string, options ...Option) (*Client, error) {
	if err := checkBaseURL(baseURL); err != nil {
		return nil, invalid(err)
	}
	client := &Client{settings: defaults(), baseURL: baseURL}
	for _, option := range options {
		if err := option(&client.settings); err != nil {
			return nil, invalid(err)
		}
	}

	transport := connecthttp.NewTransport(client.settings.http, baseURL, connecthttp.WithReadMaxBytes(maxAnswerBytes))
	caller := connect.NewClient(transport)
	client.ingest = waybillv1connect.NewIngestServiceClient(caller)
	client.tracking = waybillv1connect.NewTrackingServiceClient(caller)
	client.work = waybillv1connect.NewWorkServiceClient(caller)
	client.providers = waybillv1connect.NewProviderServiceClient(caller)
	return client, nil
}

// String names the server, never the key.
func (c *Client) String() string { return "waybill client of " + c.baseURL }

// IngestEvent records one event for ever and says whether this was its first delivery. An answer without an error
// means that it is committed.
func (c *Client) IngestEvent(ctx context.Context, event *IngestEventRequest) (*IngestEventResponse, error) {
	return call(ctx, c, c.ingest.IngestEvent, event)
}

// GetOrder is an order as it stands. ErrNotFound means that it does not exist or is not for this key: the server does
// not say which.
func (c *Client) GetOrder(ctx context.Context, order OrderRef) (*Order, error) {
	if order.request == nil {
		return nil, invalid(errors.New("order is not named: use OrderNumber or Consignment"))
	}
	response, err := call(ctx, c, c.tracking.GetOrderStatus, order.request)
	if err != nil {
		return nil, err
	}
	return response.GetOrder(), nil
}

// ListPendingWork is a page of what is unfinished, longest unfinished first, with counts and ages of all of it.
func (c *Client) ListPendingWork(ctx context.Context, request *ListPendingWorkRequest) (*ListPendingWorkResponse, error) {
	return call(ctx, c, c.work.ListPendingWork, request)
}

// PendingWork walks over everything unfinished, page by page, beginning at the request's page. After an error it ends.
func (c *Client) PendingWork(ctx context.Context, request *ListPendingWorkRequest) iter.Seq2[*WorkItem, error] {
	request = proto.CloneOf(request)
	return pages(request.GetPageToken(), func(token string) ([]*WorkItem, string, error) {
		request.PageToken = token
		response, err := c.ListPendingWork(ctx, request)
		return response.GetItems(), response.GetNextPageToken(), err
	})
}

// ListEvents is a page of recorded events, newest first, without their deliveries, changes and raw bytes.
func (c *Client) ListEvents(ctx context.Context, request *ListEventsRequest) (*ListEventsResponse, error) {
	return call(ctx, c, c.work.ListEvents, request)
}

// Events walks over recorded events, newest first, page by page, beginning at the request's page. After an error it
// ends.
func (c *Client) Events(ctx context.Context, request *ListEventsRequest) iter.Seq2[*Event, error] {
	request = proto.CloneOf(request)
	return pages(request.GetPageToken(), func(token string) ([]*Event, string, error) {
		request.PageToken = token
		response, err := c.ListEvents(ctx, request)
		return response.GetEvents(), response.GetNextPageToken(), err
	})
}

// GetEvent is one event with its deliveries, decisions and reason.
func (c *Client) GetEvent(ctx context.Context, request *GetEventRequest) (*Event, error) {
	response, err := call(ctx, c, c.work.GetEvent, request)
	if err != nil {
		return nil, err
	}
	return response.GetEvent(), nil
}

// PreviewReprocess says what a reprocess would do, and does nothing. It never uses up the request's id.
func (c *Client) PreviewReprocess(ctx context.Context, request *ReprocessRequest) (*ReprocessResponse, error) {
	preview := proto.CloneOf(request)
	preview.DryRun = true
	preview.RequestId = newRequestID()
	return call(ctx, c, c.work.Reprocess, preview)
}

// Reprocess decides an unfinished event again, or gives it up, as the request's resolution says. A request without an
// id gets one, so that sending it again is safe; a caller that wants to send it again after its own restart brings its
// own.
func (c *Client) Reprocess(ctx context.Context, request *ReprocessRequest) (*ReprocessResponse, error) {
	if request.GetRequestId() == "" {
		request = proto.CloneOf(request)
		request.RequestId = newRequestID()
	}
	return call(ctx, c, c.work.Reprocess, request)
}

// ListProviders is the account's providers by name.
func (c *Client) ListProviders(ctx context.Context, account string) ([]*Provider, error) {
	response, err := call(ctx, c, c.providers.ListProviders, &waybillv1.ListProvidersRequest{Account: account})
	if err != nil {
		return nil, err
	}
	return response.GetProviders(), nil
}

func newRequestID() string { return "req-" + rand.Text() }

// pages walks over pages from the one that token names. A server that answers with the token it was asked for would
// keep the walk going for ever; that is an error.
func pages[Item any](token string, page func(token string) ([]Item, string, error)) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		var none Item
		for token := token; ; {
			items, next, err := page(token)
			if err != nil {
				yield(none, err)
				return
			}
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
			if next == "" {
				return
			}
			if next == token {
				yield(none, &Error{Kind: KindUnavailable, Message: "the server gave the same page twice"})
				return
			}
			token = next
		}
	}
}

func checkBaseURL(text string) error {
	base, err := url.Parse(text)
	if err != nil {
		return errors.New("base URL can't be read")
	}
	if (base.Scheme != "http" && base.Scheme != "https") || base.Host == "" {
		return errors.New("base URL needs a scheme and a host, for example https://waybill.internal")
	}
	if base.User != nil {
		return errors.New("base URL holds a user: a key belongs into Key or KeyFile, never into a URL")
	}
	if base.RawQuery != "" || base.Fragment != "" {
		return fmt.Errorf("base URL of %s has a query or a fragment", base.Host)
	}
	return nil
}
