package command

import (
	"cmp"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

const sensitiveValue = "(sensitive value)"

// mask replaces sensitive values in texts.
type mask []sensitiveForm

// sensitiveForm is a form in which a sensitive value may be in a text, unless it is part of a longer
// word.
type sensitiveForm struct {
	text  string
	whole *regexp.Regexp
}

func newMask(sensitive []string) (m mask) {
	longestFirst := slices.SortedFunc(slices.Values(sensitive), func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	for _, value := range longestFirst {
		quoted, _ := json.Marshal(value) // never fails for a string
		forms := []string{value, strings.Trim(string(quoted), `"`), phrase.Printable(value)}
		for i, form := range forms {
			if strings.TrimSpace(form) != "" && !slices.Contains(forms[:i], form) {
				m = append(m, sensitiveForm{form, regexp.MustCompile(`(^|[^\pL\pN])` + regexp.QuoteMeta(form) + `($|[^\pL\pN])`)})
			}
		}
	}
	return m
}

func (m mask) hide(text string) string {
	for _, form := range m {
		if !strings.Contains(text, form.text) {
			continue
		}
		for range 2 { // neighbors share the character between them
			text = form.whole.ReplaceAllString(text, "${1}"+sensitiveValue+"${2}")
		}
	}
	return text
}

// hideError hides sensitive values in an error, or in each of several.
func (m mask) hideError(err error) error {
	return errors.Join(phrase.Each(phrase.Errors(err), func(err error) error { return errors.New(m.hide(err.Error())) })...)
}

// hideIn hides sensitive values in all strings of a decoded JSON object.
func (m mask) hideIn(object any) any {
	return tree.Map(object, func(_, v any) (any, bool) {
		if text, ok := v.(string); ok {
			return m.hide(text), true
		}
		return v, true
	})
}
