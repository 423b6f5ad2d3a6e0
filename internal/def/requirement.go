package def

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// requirement says that a required field is missing, and how to set it: its valid values, or
// what it is and the rules for it, or that a block must be added, with its first rule. The
// others are reported once there is a block.
func (f *Field) requirement(hint string) string {
	required := f.Name + " is required here"
	values := f.OneOf
	var rules []string
	for _, c := range f.Checks {
		if values == nil {
			values = c.Values
		}
		if c.Doc != "" {
			rules = append(rules, strings.ReplaceAll(c.Doc, "`", ""))
		}
	}
	list, isList := f.Type.(List)
	_, isBlock := f.Type.(Object)
	_, isBlocks := list.Elem.(Object)
	switch {
	case values != nil:
		return fmt.Sprintf("%s.%s Valid values: %s.", required, hint, listValid(values, f.RemovedOf, slices.Clone))
	case isBlock:
		rules = append([]string{fmt.Sprintf("%s.%s Add a %s block.", required, hint, f.Name)}, rules[:min(1, len(rules))]...)
	case isList && isBlocks:
		rules = append([]string{fmt.Sprintf("%s.%s Add at least one %s block.", required, hint, f.Name)}, rules[:min(1, len(rules))]...)
	default:
		what, _, _ := strings.Cut(f.Doc, ". ")
		rules = append([]string{fmt.Sprintf("%s: %s.%s", required, inSentence(strings.TrimSuffix(what, ".")), hint)}, rules...)
	}
	return strings.Join(rules, " ")
}

// inSentence begins a description with a small letter, except for an abbreviation.
func inSentence(text string) string {
	if len(text) > 1 && unicode.IsLower(rune(text[1])) {
		return strings.ToLower(text[:1]) + text[1:]
	}
	return text
}

// explainMissing reports for a missing field what the rules of the kind require of
// it, which an empty value would violate too, and what they hide.
func (v *validator) explainMissing(doc map[string]any, checked []Problem) {
	for i, missing := range v.problems {
		if tree.At(doc, missing.Path) != nil {
			continue
		}
		for _, p := range checked {
			if !p.Warning && tree.ComparePaths(p.Path, missing.Path) == 0 {
				v.problems[i].Detail = p.Detail
				v.problems[i].Unchecked = p.Unchecked
			}
		}
	}
}

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
