package phrase

import (
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Value writes a value of a document on one line, in at most so many characters: a
// text as it is, all else as JSON. What is cut off is marked by "…".
func Value(v any, most int) string {
	text, ok := v.(string)
	if !ok || text == "" {
		text = JSON(v)
	}
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// JSON writes a value of a document, all of which can be written.
func JSON(v any) string {
	text, err := tree.EncodeJSON(v)
	if err != nil {
		return err.Error()
	}
	return text
}
