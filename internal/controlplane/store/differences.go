package store

import (
	"cmp"
	"fmt"

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
	for _, d := range tree.Diff(r.kind.WithoutSecrets(before).Document(), r.kind.WithoutSecrets(after).Document()) {
		shown[d.Path.String()] = formatValue(d.A) + " -> " + formatValue(d.B)
	}
	var lines []string
	for _, d := range tree.Diff(before.Document(), after.Document()) {
		at := d.Path.String()
		lines = append(lines, fmt.Sprintf("%s: %s", at, cmp.Or(shown[at], "(sensitive value)")))
	}
	return lines
}

func formatValue(v any) string {
	if v == nil {
		return "(not set)"
	}
	return phrase.JSON(v)
}
