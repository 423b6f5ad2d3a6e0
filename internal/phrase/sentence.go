package phrase

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentence turns an error into a sentence for a diagnostic.
func Sentence(err error) string {
	text := Clause(err)
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// Clause turns an error into the end of a sentence, such as one that begins with a file name.
func Clause(err error) string {
	text := strings.TrimSuffix(strings.TrimSpace(strings.TrimPrefix(err.Error(), "yaml: ")), ".")
	if strings.HasSuffix(text, "?") { // a suggestion
		return text
	}
	return text + "."
}
