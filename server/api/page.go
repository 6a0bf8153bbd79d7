package api

import (
	"encoding/base64"
	"strings"

	"github.com/waybillhq/waybill/server/store"
)

// The lists that have pages.
const (
	pendingList = "pending"
	eventList   = "events"
)

// toPageToken is a cursor of a list as callers see it: opaque. It gives no rights: the next page is asked for within
// the caller's own account, whatever the token says.
func toPageToken(list string, next store.Cursor) string {
	if next.IsZero() {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString([]byte(list + " " + next.String()))
}

// fromPageToken reads a token of a list. Empty: the list's beginning.
func fromPageToken(list, token string) (store.Cursor, error) {
	if token == "" {
		return store.Cursor{}, nil
	}
	text, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil {
		return store.Cursor{}, errPageToken
	}
	owner, place, _ := strings.Cut(string(text), " ")
	cursor, err := store.ParseCursor(place)
	if owner != list || err != nil || cursor.IsZero() {
		return store.Cursor{}, errPageToken
	}
	return cursor, nil
}
