package phrase

import (
	"slices"
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

// Paragraph joins sentences, without empty ones and without repetitions.
func Paragraph(sentences ...string) string {
	var different []string
	for _, s := range sentences {
		if s != "" && !slices.Contains(different, s) {
			different = append(different, s)
		}
	}
	return strings.Join(different, " ")
}

// Errors returns an error, or each of several that are joined.
func Errors(err error) (all []error) {
	joined, ok := err.(interface{ Unwrap() []error }) //nolint:errorlint // not an error in a chain
	if !ok {
		return []error{err}
	}
	for _, e := range joined.Unwrap() {
		all = append(all, Errors(e)...)
	}
	return all
}

// Clause turns an error into the end of a sentence, such as one that begins with a file name.
func Clause(err error) string {
	text := strings.TrimSuffix(strings.TrimSpace(strings.TrimPrefix(err.Error(), "yaml: ")), ".")
	if strings.HasSuffix(text, "?") { // a suggestion
		return text
	}
	return text + "."
}
