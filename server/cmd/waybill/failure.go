package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	waybill "github.com/waybillhq/waybill/clients/go"
)

// The exit codes.
const (
	exitDone       = 0
	exitFailed     = 1
	exitUsage      = 2
	exitUnfinished = 3
	exitNotAllowed = 4
)

// failure is an error with all that its reader needs: what is wrong and why, and what to type next.
type failure struct {
	exit      int
	code      string
	message   string
	requestID string
	next      string
}

func (f *failure) Error() string { return f.message }

// exitError is an end that needs no words: everything has been said.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

func usage(message, next string) *failure {
	return &failure{exit: exitUsage, code: "usage", message: message, next: next}
}

// report tells an error on stderr and gives the exit code.
func report(stderr io.Writer, err error, asJSON bool) int {
	if quiet, ok := errors.AsType[exitError](err); ok {
		return int(quiet)
	}
	told := explain(err)
	text := told.text()
	if asJSON {
		text = told.json()
	}
	_, _ = io.WriteString(stderr, text) // where stderr is gone there is nowhere left to say so
	return told.exit
}

func (f *failure) text() string {
	text := "waybill: " + printable(f.message) + "\n"
	if f.requestID != "" {
		text += "  The server's log knows this call as " + printable(f.requestID) + "\n"
	}
	if f.next != "" {
		text += "  Try: " + f.next + "\n"
	}
	return text
}

func (f *failure) json() string {
	type body struct {
		Code      string `json:"code"`
		Message   string `json:"message"`
		RequestID string `json:"request_id"`
	}
	text, err := json.Marshal(map[string]body{"error": {f.code, f.message, f.requestID}})
	if err != nil {
		return `{"error":{"code":"internal","message":"the error can't be written","request_id":""}}` + "\n"
	}
	return string(text) + "\n"
}

// explain finds the words and the exit code of any error.
func explain(err error) *failure {
	if known, ok := errors.AsType[*failure](err); ok {
		return known
	}
	if call, ok := errors.AsType[*waybill.Error](err); ok {
		return explainCall(call)
	}
	return &failure{exit: exitFailed, code: "failed", message: err.Error()}
}

func explainCall(err *waybill.Error) *failure {
	told := &failure{exit: exitFailed, code: string(err.Kind), message: err.Message, requestID: err.RequestID}
	switch err.Kind {
	case waybill.KindUnauthenticated:
		told.exit = exitNotAllowed
		told.next = "--key-file FILE, or set WAYBILL_API_KEY"
	case waybill.KindForbidden:
		told.exit = exitNotAllowed
		told.next = "another key: scopes track for orders, operate for events and work, payload for raw bytes"
	case waybill.KindInvalid:
		told.exit = exitUsage
		told.message = withFields(err)
		told.next = "waybill --help"
	case waybill.KindUnavailable, waybill.KindTimeout:
		if err.RequestID == "" {
			told.message = "no server could be reached: " + err.Message
		}
		told.next = "waybill serve, or --api URL if the server is elsewhere"
	case waybill.KindOutdatedClient:
		told.next = "--api URL"
	case waybill.KindNotFound, waybill.KindConflict, waybill.KindRateLimited, waybill.KindCanceled:
	}
	if told.message == "" {
		told.message = strings.ReplaceAll(string(err.Kind), "_", " ")
	}
	return told
}

// withFields puts the faults of the fields in the place of the server's summary of them.
func withFields(err *waybill.Error) string {
	if len(err.Fields) == 0 {
		return err.Message
	}
	faults := make([]string, 0, len(err.Fields))
	for _, field := range err.Fields {
		faults = append(faults, strings.TrimPrefix(field.Path+": "+field.Message, ": "))
	}
	return strings.Join(faults, "; ")
}
