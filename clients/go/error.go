package waybill

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strconv"
	"strings"
	"time"

	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"connectrpc.com/connect/v2/connectproto"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
)

// Kind says what an error means for the caller.
type Kind string

// The kinds of errors.
const (
	KindNotFound        Kind = "not_found"       // it does not exist, or is not for this key
	KindInvalid         Kind = "invalid"         // the request is wrong; Fields say where
	KindUnauthenticated Kind = "unauthenticated" // no key, or one that the server does not know
	KindForbidden       Kind = "forbidden"       // the key may not do this
	KindRateLimited     Kind = "rate_limited"    // too many calls; RetryAt says when to come back
	KindConflict        Kind = "conflict"        // the thing's state does not allow it
	KindUnavailable     Kind = "unavailable"     // the server can't be reached or can't answer
	KindTimeout         Kind = "timeout"         // no answer in time
	KindCanceled        Kind = "canceled"        // the caller's context ended
	KindOutdatedClient  Kind = "outdated_client" // client and server do not fit together
)

// The sentinels of the kinds, for errors.Is.
var (
	ErrNotFound        = errors.New("waybill: not found")
	ErrInvalid         = errors.New("waybill: invalid")
	ErrUnauthenticated = errors.New("waybill: unauthenticated")
	ErrForbidden       = errors.New("waybill: forbidden")
	ErrRateLimited     = errors.New("waybill: rate limited")
	ErrConflict        = errors.New("waybill: conflict")
	ErrUnavailable     = errors.New("waybill: unavailable")
	ErrTimeout         = errors.New("waybill: timeout")
	ErrCanceled        = errors.New("waybill: canceled")
	ErrOutdatedClient  = errors.New("waybill: outdated client")
)

var sentinels = map[Kind]error{
	KindNotFound:        ErrNotFound,
	KindInvalid:         ErrInvalid,
	KindUnauthenticated: ErrUnauthenticated,
	KindForbidden:       ErrForbidden,
	KindRateLimited:     ErrRateLimited,
	KindConflict:        ErrConflict,
	KindUnavailable:     ErrUnavailable,
	KindTimeout:         ErrTimeout,
	KindCanceled:        ErrCanceled,
	KindOutdatedClient:  ErrOutdatedClient,
}

// Error is the one error type of this package. Its texts never hold a key or a payload.
type Error struct {
	// Kind says what it means.
	Kind Kind
	// Message says what is wrong, for people.
	Message string
	// RequestID finds the call in the server's logs. Empty where the server was not reached.
	RequestID string
	// Retryable is true where the same call may succeed later.
	Retryable bool
	// RetryAt is when the server wants to see the call again, where it says so.
	RetryAt time.Time
	// Fields are the faults of an invalid request.
	Fields []Field

	cause error
}

// Field is a fault in one field of a request.
type Field struct {
	// Path names the field as the API writes it, for example changes[0].status_changed.status.
	Path string
	// Rule is the id of the broken rule, for example string.min_len.
	Rule string
	// Message says what is wrong with it.
	Message string
}

// Error is the kind, the message, and the id of the request.
func (e *Error) Error() string {
	text := "waybill: " + strings.ReplaceAll(string(e.Kind), "_", " ")
	if e.Message != "" {
		text += ": " + e.Message
	}
	if e.RequestID != "" {
		text += " (request " + e.RequestID + ")"
	}
	return text
}

// Is reports whether target is the sentinel of the error's kind.
func (e *Error) Is(target error) bool { return target == sentinels[e.Kind] }

// Unwrap gives the cause where the client knows it, for example context.Canceled.
func (e *Error) Unwrap() error { return e.cause }

// stoppedBy is the error of a call whose context ended while it waited to be sent again.
func (e *Error) stoppedBy(cause error) *Error {
	stopped := &Error{Kind: KindCanceled, RequestID: e.RequestID, cause: cause}
	if errors.Is(cause, context.DeadlineExceeded) {
		stopped.Kind = KindTimeout
		stopped.Retryable = true
	}
	stopped.Message = "gave up after: " + e.Message
	return stopped
}

func invalid(err error) *Error {
	return &Error{Kind: KindInvalid, Message: err.Error(), cause: err}
}

// verdict is what a Connect code means to the caller.
type verdict struct {
	kind      Kind
	retryable bool
	hint      string
}

var verdicts = map[connect.Code]verdict{
	connect.CodeNotFound:           {kind: KindNotFound},
	connect.CodeInvalidArgument:    {kind: KindInvalid},
	connect.CodeOutOfRange:         {kind: KindInvalid},
	connect.CodeUnauthenticated:    {kind: KindUnauthenticated},
	connect.CodePermissionDenied:   {kind: KindForbidden},
	connect.CodeResourceExhausted:  {kind: KindRateLimited, retryable: true},
	connect.CodeFailedPrecondition: {kind: KindConflict},
	connect.CodeAlreadyExists:      {kind: KindConflict},
	connect.CodeAborted:            {kind: KindConflict, retryable: true},
	connect.CodeUnavailable:        {kind: KindUnavailable, retryable: true},
	connect.CodeDeadlineExceeded:   {kind: KindTimeout, retryable: true},
	connect.CodeUnimplemented: {
		kind: KindOutdatedClient,
		hint: "the server does not know this call: check the base URL, then the versions of client and server",
	},
	connect.CodeInternal: {kind: KindUnavailable},
	connect.CodeDataLoss: {kind: KindUnavailable},
}

// fromConnect translates an error of the generated client. callerErr is the error of the caller's own context.
func fromConnect(err error, info *connect.CallInfo, callerErr error) *Error {
	var failure *connect.Error
	remote := errors.As(err, &failure) && failure.IsRemote()
	if callerErr != nil && !remote {
		return fromContext(callerErr)
	}
	header := info.ResponseHeader()
	judged := judge(connect.CodeOf(err), remote, statusOf(info))
	translated := &Error{
		Kind:      judged.kind,
		Message:   messageOf(judged, failure),
		RequestID: header.Get("X-Request-Id"),
		Retryable: judged.retryable,
		Fields:    fieldsOf(failure),
		cause:     err,
	}
	if judged.retryable {
		translated.RetryAt = retryAt(header.Get("Retry-After"), failure, time.Now())
	}
	return translated
}

// judge reads a code. remote is false where the code is not the server's own word but was made on this side.
func judge(code connect.Code, remote bool, status int) verdict {
	if status >= http.StatusMultipleChoices && status < http.StatusBadRequest {
		return verdict{kind: KindInvalid, hint: "the server redirects: use the base URL that it redirects to"}
	}
	if code == connect.CodeResourceExhausted && !remote {
		return verdict{kind: KindInvalid} // our own bound on the size of a message
	}
	if known, ok := verdicts[code]; ok {
		return known
	}
	// A connection that breaks under way is Canceled or Unknown here, although nobody cancelled anything.
	return verdict{kind: KindUnavailable, retryable: !remote || code == connect.CodeCanceled}
}

func statusOf(info *connect.CallInfo) int {
	client, ok := info.TransportInfo.(*connecthttp.ClientInfo)
	if !ok {
		return 0
	}
	return client.ResponseStatus()
}

func fromContext(err error) *Error {
	if errors.Is(err, context.DeadlineExceeded) {
		return &Error{Kind: KindTimeout, Message: "the caller's deadline has passed", Retryable: true, cause: err}
	}
	return &Error{Kind: KindCanceled, Message: "the caller's context ended", cause: err}
}

func messageOf(judged verdict, failure *connect.Error) string {
	var parts []string
	if failure != nil && failure.Message() != "" {
		parts = append(parts, failure.Message())
	}
	if judged.hint != "" {
		parts = append(parts, judged.hint)
	}
	return strings.Join(parts, "; ")
}

// retryAt reads a Retry-After header, seconds or a date, or else the delay that the error itself carries.
func retryAt(header string, failure *connect.Error, now time.Time) time.Time {
	if seconds, err := strconv.ParseUint(header, 10, 31); err == nil {
		return now.Add(time.Duration(seconds) * time.Second)
	}
	if at, err := http.ParseTime(header); err == nil {
		return at
	}
	for detail := range details[*errdetails.RetryInfo](failure) {
		return now.Add(detail.GetRetryDelay().AsDuration())
	}
	return time.Time{}
}

// details walks over an error's details of one type. Those of a type that only a newer server knows are passed over.
func details[Detail proto.Message](failure *connect.Error) iter.Seq[Detail] {
	return func(yield func(Detail) bool) {
		if failure == nil {
			return
		}
		for _, detail := range failure.Details() {
			message, err := connectproto.UnmarshalErrorDetail(detail)
			if err != nil {
				continue
			}
			if wanted, ok := message.(Detail); ok && !yield(wanted) {
				return
			}
		}
	}
}

func fieldsOf(failure *connect.Error) []Field {
	var fields []Field
	for violations := range details[*validate.Violations](failure) {
		for _, violation := range violations.GetViolations() {
			fields = append(fields, Field{
				Path:    pathOf(violation.GetField()),
				Rule:    violation.GetRuleId(),
				Message: violation.GetMessage(),
			})
		}
	}
	return fields
}

// pathOf writes a field path as protovalidate does.
func pathOf(path *validate.FieldPath) string {
	var out strings.Builder
	for i, element := range path.GetElements() {
		if i > 0 {
			out.WriteByte('.')
		}
		out.WriteString(element.GetFieldName())
		switch subscript := element.GetSubscript().(type) {
		case *validate.FieldPathElement_Index:
			fmt.Fprintf(&out, "[%d]", subscript.Index)
		case *validate.FieldPathElement_StringKey:
			fmt.Fprintf(&out, "[%q]", subscript.StringKey)
		case *validate.FieldPathElement_IntKey:
			fmt.Fprintf(&out, "[%d]", subscript.IntKey)
		case *validate.FieldPathElement_UintKey:
			fmt.Fprintf(&out, "[%d]", subscript.UintKey)
		case *validate.FieldPathElement_BoolKey:
			fmt.Fprintf(&out, "[%t]", subscript.BoolKey)
		}
	}
	return out.String()
}
