// Package waybill is the Go client of a Waybill server.
//
// A Client is made once and shared: it is safe for concurrent use and keeps connections open.
//
//	client, err := waybill.New("https://waybill.internal", waybill.KeyFile("/run/secrets/waybill"))
//	order, err := client.GetOrder(ctx, waybill.OrderNumber("dhaka-shop", "1001"))
//
// # Retries
//
// Every method may be sent again without harm, so the client does so by itself, within bounds, when a call fails for a
// reason that passes. Reads change nothing. IngestEvent is one event per account, provider and event id for ever: the
// second copy is answered as a duplicate and has no effect. Reprocess carries a request id, and the same id gets the
// same answer: the client makes one where the caller gives none, and keeps it over all attempts.
//
// What is tried again: a server that can't be reached or is unavailable, an attempt that takes too long, and a rate
// limit. Waits grow, are spread by chance so that many clients do not return at once, give way to the server's
// Retry-After, and end with the context. A wait that would go beyond the client's patience is not begun: the error
// comes back at once and says in RetryAt when to come back.
//
// # Errors
//
// Every error is an *Error, or wraps one. Compare its kind with errors.Is and the sentinels (ErrNotFound, …), read the
// rest of it with errors.As. No error text holds a key or a payload. The context's own error is wrapped too, so
// errors.Is(err, context.Canceled) works.
package waybill
