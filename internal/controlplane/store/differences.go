package store

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Differences lists what writing a resource over a stored one changes, one line
// for each value, without secrets; nil when nothing changes.
func (r Resources) Differences(stored, res kuma.Resource) []string {
	if r.wasWritten(res, stored) {
		return nil
	}
	before, after := stored, res
	if Described(r.kind) {
		next, _ := r.merge(res, stored)
		before, after = r.kind.WithoutServerOwned(r.normal(stored)), r.kind.WithoutServerOwned(r.normal(next))
	}
	shown := map[string]string{}
	eachDifference("", r.kind.WithoutSecrets(before).Document(), r.kind.WithoutSecrets(after).Document(), func(at string, before, after any) {
		shown[at] = formatValue(before) + " -> " + formatValue(after)
	})
	var lines []string
	eachDifference("", before.Document(), after.Document(), func(at string, _, _ any) {
		lines = append(lines, fmt.Sprintf("%s: %s", at, cmp.Or(shown[at], "(sensitive value)")))
	})
	return lines
}

func formatValue(v any) string {
	if v == nil {
		return "(not set)"
	}
	return phrase.JSON(v)
}

// eachDifference calls report for each value that differs between two decoded trees.
func eachDifference(at string, a, b any, report func(at string, a, b any)) {
	x, isObject := a.(map[string]any)
	y, bothObjects := b.(map[string]any)
	if isObject && bothObjects {
		all := maps.Clone(x)
		maps.Copy(all, y)
		for _, name := range slices.Sorted(maps.Keys(all)) {
			eachDifference(strings.TrimPrefix(at+"."+name, "."), x[name], y[name], report)
		}
		return
	}
	l, isList := a.([]any)
	m, bothLists := b.([]any)
	if isList && bothLists && len(l) == len(m) {
		for i := range l {
			eachDifference(fmt.Sprintf("%s[%d]", at, i), l[i], m[i], report)
		}
		return
	}
	if !tree.Equal(a, b) {
		report(at, a, b)
	}
}
