package store

import "strings"

// plain is a text of ours or of an operator as every database's text takes it: UTF-8, without U+0000.
func plain(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}
