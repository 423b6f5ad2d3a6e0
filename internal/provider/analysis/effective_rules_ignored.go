package analysis

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

func ignoredRulesAttribute() schema.Attribute {
	return tfschema.ComputedList("Entries that the control plane lists in the rules, but that the proxy ignores. For incoming traffic: `from` beside `rules` or with a MeshIdentity, "+
		"permissions of a proxy without a certificate, denied clients that other rules allow, entries of which others override all values, and settings for HTTP requests on an inbound with another protocol. For outgoing traffic: settings for HTTP requests to a service with another protocol. Null with `dataplanes`.", map[string]schema.Attribute{
		"type":    tfschema.ComputedText("Kind of policy."),
		"kri":     tfschema.ComputedText("Identifier of the service, or of its port. Null for an inbound."),
		"port":    tfschema.ComputedNumber("Port of the inbound. Null for a service."),
		"inbound": tfschema.ComputedText("Name of the inbound, if it has one."),
		"policy":  computedEntry("The entry of the policy."),
		"reason":  tfschema.ComputedText("Why the proxy ignores the entry, as a sentence."),
	})
}

// IgnoredRules returns the entries that the proxy ignores.
func IgnoredRules(s *rules.Snapshot, a rules.Answer) []any {
	out := []any{}
	add := func(kind string, kri, port, inbound any, ignored []rules.IgnoredEntry) {
		for _, e := range ignored {
			out = append(out, map[string]any{
				"type": kind, "kri": kri, "port": port, "inbound": inbound, "reason": e.Reason,
				"policy": map[string]any{"name": e.Policy.Name, "kri": kinds.KRI(s.Resource(e.Policy).ID()), "rule_index": e.Index},
			})
		}
	}
	for _, p := range a.Rules {
		for _, r := range p.ToResourceRules {
			add(p.Type, kinds.KRI(s.Resource(r.ResourceMeta.Key()).ID())+r.ResourceSectionName, nil, nil, s.IgnoredEntries(r))
		}
		for _, in := range p.Incoming() {
			var name any
			if in.Inbound.Name != "" {
				name = in.Inbound.Name
			}
			add(p.Type, nil, in.Inbound.Port, name, in.IgnoredEntries())
		}
	}
	return out
}
