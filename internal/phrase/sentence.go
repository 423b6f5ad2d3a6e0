package phrase

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentence turns an error into a sentence for a diagnostic.
func Sentence(err error) string {
	text := strings.TrimSuffix(strings.TrimSpace(strings.TrimPrefix(err.Error(), "yaml: ")), ".")
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[size:]
	if strings.HasSuffix(text, "?") { // a suggestion
		return text
	}
	return text + "."
}
