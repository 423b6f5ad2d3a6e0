package phrase

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Or joins words for a sentence: a, b or c.
func Or(words ...string) string { return join(words, " or ") }

// And joins words for a sentence: a, b and c.
func And(words ...string) string { return join(words, " and ") }

func join(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + last + words[len(words)-1]
}

// Some joins [Printable] words like [And], but only the first few of many: "a, b and 3
// more". things is their plural, which may be empty: "a, b and 3 more proxies".
func Some(words []string, most int, things string) string {
	return SomeOf(words, len(words), most, things)
}

// SomeOf is [Some] for the first words of a longer list, at least most+1 of
// them.
func SomeOf(words []string, total, most int, things string) string {
	if total <= most+1 { // "and 1 more" is not shorter
		return And(Each(words[:total], Printable)...)
	}
	return strings.Join(Each(words[:most], Printable), ", ") + " " + More(total-most, things)
}

// More ends a list that omits n things: "and 3 more", "and 3 more proxies".
func More(n int, things string) string {
	if n == 1 { // the plural of all things is regular
		plural, rest, _ := strings.Cut(things, " ")
		one := strings.TrimSuffix(plural, "s")
		if stem, ok := strings.CutSuffix(plural, "ies"); ok {
			one = stem + "y"
		}
		things = strings.TrimSpace(one + " " + rest)
	}
	return strings.TrimSuffix(fmt.Sprintf("and %d more %s", n, things), " ")
}

// Count writes a number of things: "1 proxy", "2 proxies".
func Count(n int, one, several string) string { return fmt.Sprintf("%d %s", n, Form(n, one, several)) }

// Form returns the word for a number of things: "proxy", "proxies".
func Form(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}

// Pairs lists labels or tags in order of their keys: "app=web, team=a".
func Pairs(m map[string]string) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, Word(k+"="+m[k]))
	}
	return strings.Join(out, ", ")
}

// Labels describes what has some labels by the value of the one called name, if there is
// one: "web", "web with team=a", "team=a".
func Labels(labels map[string]string, name string) string {
	value := labels[name]
	if value == "" {
		return Pairs(labels)
	}
	if others := maps.Clone(labels); len(others) > 1 {
		delete(others, name)
		return Word(value) + " with " + Pairs(others)
	}
	return Word(value)
}

// Sorted returns words in ascending order, each once.
func Sorted(words []string) []string { return slices.Compact(slices.Sorted(slices.Values(words))) }

// Each returns what a function returns for each element, such as its text.
func Each[A, B any](elements []A, of func(A) B) []B {
	out := make([]B, len(elements))
	for i, e := range elements {
		out[i] = of(e)
	}
	return out
}

// Code formats words as code, in backticks.
func Code(words []string) []string { return Each(words, CodeSpan) }

// Quote returns the values in double quotes.
func Quote(values []string) []string { return Each(values, strconv.Quote) }

// Grouped returns elements with equal keys together, in the order of the first ones.
func Grouped[L ~[]E, E any, K comparable](elements L, key func(E) K) []L {
	var out []L
	at := map[K]int{}
	for _, e := range elements {
		k := key(e)
		i, ok := at[k]
		if !ok {
			i = len(out)
			at[k], out = i, append(out, nil)
		}
		out[i] = append(out[i], e)
	}
	return out
}
