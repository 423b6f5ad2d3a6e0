package def

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// listValid lists valid values for a sentence: what a release removed follows in
// parentheses, because most messages are written before the release is known.
func listValid(values []string, removed map[string]Removal, write func([]string) []string) string {
	isCurrent := func(v string) bool { return removed[v].In == "" }
	former := slices.DeleteFunc(slices.Clone(values), isCurrent)
	current := slices.DeleteFunc(slices.Clone(values), func(v string) bool { return !isCurrent(v) })
	if len(former) == 0 || len(current) == 0 {
		return phrase.And(write(values)...)
	}
	return fmt.Sprintf("%s (before Kuma %s also %s)", phrase.And(write(current)...), removed[former[0]].In, phrase.And(write(former)...))
}

// allowed returns a sentence with the values that are valid instead of a string.
func (f *Field) allowed(text string) string {
	write := phrase.Quote
	if f.Type == Int {
		write = slices.Clone
	} else if len(f.RemovedOf) == 0 {
		return phrase.Allowed(f.OneOf, text)
	}
	return fmt.Sprintf("Valid values: %s.%s", listValid(f.OneOf, f.RemovedOf, write), phrase.Suggest(text, f.OneOf))
}
