package phrase

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Value formats a value of a document on one line, with a maximum number of
// characters: a string unchanged, everything else as JSON. A shortened value
// ends with "…".
func Value(v any, most int) string {
	text, ok := v.(string)
	if !ok || text == "" {
		text = JSON(v)
	}
	text = Printable(strings.Join(strings.Fields(text), " "))
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// Printable returns a text of a document on one line: characters that a terminal would interpret,
// which include line breaks, become escapes such as \n.
func Printable(text string) string {
	if strings.IndexFunc(text, unprintable) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if unprintable(r) {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// PrintableLines is [Printable] for a text of several lines.
func PrintableLines(text string) string {
	return strings.Join(Each(strings.Split(text, "\n"), Printable), "\n")
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// Word returns a word of a document for a text that may also be shown as Markdown: as code if it
// has characters that could change the structure of the text, otherwise unchanged.
func Word(word string) string {
	if strings.ContainsAny(word, "`<>[]|\\&#") || strings.ContainsFunc(word, unprintable) {
		return CodeSpan(word)
	}
	return word
}

// CodeSpan formats a text as code in Markdown, between more backticks than it has in a row.
func CodeSpan(text string) string {
	text, delimiter := Printable(text), "`"
	for strings.Contains(text, delimiter) {
		delimiter += "`"
	}
	if delimiter == "`" {
		return "`" + text + "`"
	}
	return delimiter + " " + text + " " + delimiter
}

// JSON encodes a value of a document, which cannot fail.
func JSON(v any) string {
	text, err := tree.EncodeJSON(v)
	if err != nil {
		return err.Error()
	}
	return text
}
