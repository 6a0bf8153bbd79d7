package provider

import "strings"

// plainWord turns a proto enum name into the word that people read: EVENT_STATE_RECEIVED is received.
func plainWord(name, prefix string) string {
	return strings.ToLower(strings.TrimPrefix(name, prefix))
}
