package woocommerce

import (
	"regexp"
	"strings"
)

// WordPress stores a secret with some characters as HTML entities, and turns those back before it signs. Numbers may
// have zeros before them; one pass is made, so that what comes out is not read again.
var (
	zeros    = regexp.MustCompile(`&#(x?)0*([0-9a-fA-F]{2});`)
	entities = strings.NewReplacer(
		"&amp;", "&", "&#38;", "&", "&#x26;", "&",
		"&lt;", "<", "&#60;", "<", "&#x3c;", "<", "&#x3C;", "<",
		"&gt;", ">", "&#62;", ">", "&#x3e;", ">", "&#x3E;", ">",
		"&quot;", `"`, "&#34;", `"`, "&#x22;", `"`,
		"&#39;", "'", "&#x27;", "'",
	)
)

// unescaped is the text whose bytes are the key.
func unescaped(secret string) string {
	return entities.Replace(zeros.ReplaceAllString(secret, "&#$1$2;"))
}
