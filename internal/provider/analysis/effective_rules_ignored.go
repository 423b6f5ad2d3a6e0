package analysis

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

func ignoredRulesAttribute() schema.Attribute {
	return tfschema.ComputedList("Entries for incoming traffic that the control plane lists in the rules, but that the proxy ignores: `from` beside `rules` or with a MeshIdentity, "+
		"permissions of a proxy without a certificate, denied clients that other rules allow, entries of which others override all values, and settings for HTTP requests on an inbound with another protocol. Null with `dataplanes`.", map[string]schema.Attribute{
		"type":    tfschema.ComputedText("Kind of policy."),
		"port":    tfschema.ComputedNumber("Port of the inbound."),
		"inbound": tfschema.ComputedText("Name of the inbound, if it has one."),
		"policy":  computedEntry("The entry of the policy."),
		"reason":  tfschema.ComputedText("Why the proxy ignores the entry, as a sentence."),
	})
}

// IgnoredRules returns the entries that the proxy ignores.
func IgnoredRules(s *rules.Snapshot, a rules.Answer) []any {
	out := []any{}
	for _, p := range a.Rules {
		for _, in := range p.Incoming() {
			var name any
			if in.Inbound.Name != "" {
				name = in.Inbound.Name
			}
			for _, e := range in.IgnoredEntries() {
				out = append(out, map[string]any{
					"type": p.Type, "port": in.Inbound.Port, "inbound": name, "reason": e.Reason,
					"policy": map[string]any{"name": e.Policy.Name, "kri": kinds.KRI(s.Resource(e.Policy).ID()), "rule_index": e.Index},
				})
			}
		}
	}
	return out
}
