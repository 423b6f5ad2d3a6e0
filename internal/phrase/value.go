package phrase

import (
	"strings"

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
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// JSON encodes a value of a document, which cannot fail.
func JSON(v any) string {
	text, err := tree.EncodeJSON(v)
	if err != nil {
		return err.Error()
	}
	return text
}
