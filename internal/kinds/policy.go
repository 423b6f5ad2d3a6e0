package kinds

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// topRef describes the reference to the proxies that a policy applies to.
func topRef(kinds ...string) spec.Field {
	return spec.Field{
		Name: "targetRef", Type: laterKinds(spec.TargetRef(kinds), "2.10", mesh.KindDataplane),
		Doc:       "The proxies that the policy applies to. The whole mesh when unset.",
		Checks:    spec.Checks(spec.ReferenceMembers(), sectionNeedsInbound, deprecatedTop),
		Readiness: topReadiness,
	}
}

// topRefByRole is [topRef] for the policies that take some of the kinds only
// from the system: not from a producer, consumer or owner of a workload.
func topRefByRole(all ...string) spec.Field {
	f := topRef(all...)
	f.Checks = append(f.Checks, systemOnly(all))
	return f
}

func systemOnly(all []string) spec.Check {
	gated := []string{mesh.KindMeshGateway, mesh.KindMeshHTTPRoute}
	left := slices.DeleteFunc(slices.Clone(all), func(kind string) bool { return slices.Contains(gated, kind) })
	return spec.Check{Test: func(n spec.Node) []spec.Problem {
		kind, _ := n.Get("kind").Text()
		role, _ := n.Root().Get("labels", mesh.LabelPolicyRole).Text()
		if !slices.Contains(gated, kind) || !slices.Contains(all, kind) || role == "" || role == string(mesh.RoleSystem) {
			return nil
		}
		return []spec.Problem{n.Get("kind").Problem("The role of the policy does not allow "+kind, fmt.Sprintf("The label %s says %q, and such a policy takes %s. Remove the label, or choose one of these kinds.", mesh.LabelPolicyRole, role, spec.Or(left...)))}
	}}.At(spec.Objects)
}

// to describes the settings for outgoing traffic, one entry per destination.
func to(conf spec.Field, kinds ...string) spec.Field {
	return toEntries(spec.TargetRef(kinds), conf)
}

// laterTo is [to] with destinations that it takes only since a release.
func laterTo(release, later string, conf spec.Field, kinds ...string) spec.Field {
	return toEntries(laterKinds(spec.TargetRef(append(kinds, later)), release, later), conf)
}

func toEntries(ref spec.Object, conf spec.Field) spec.Field {
	f := entriesOf("to", "Settings for outgoing traffic, one entry per destination.", "The destination of the traffic.", ref, conf)
	f.Readiness = toReadiness
	f.Design = spec.Checks(destinationsOnce)
	return f
}

// laterKinds returns a reference that takes a kind only since a release.
func laterKinds(ref spec.Object, release, kind string) spec.Object {
	ref[0].SinceOf = map[string]string{kind: release}
	return ref
}

// from describes the settings for incoming traffic in the old form.
func from(conf spec.Field, kinds ...string) spec.Field {
	f := entries("from", "Settings for incoming traffic, per group of clients.", "The clients that the traffic comes from.", kinds, conf)
	f.Deprecated = "Use `rules`."
	return f
}

func entries(name, doc, refDoc string, kinds []string, fields ...spec.Field) spec.Field {
	return entriesOf(name, doc, refDoc, spec.TargetRef(kinds), fields...)
}

func entriesOf(name, doc, refDoc string, targetRef spec.Object, fields ...spec.Field) spec.Field {
	ref := spec.Field{Name: "targetRef", Type: targetRef, Required: true, Doc: refDoc, Checks: spec.Checks(spec.ReferenceMembers()), Design: spec.Checks(spec.UncheckedMembers())}
	return spec.Field{Name: name, Type: spec.List{Elem: append(spec.Object{ref}, fields...)}, Doc: doc}
}

// inboundRules describes the settings for incoming traffic.
func inboundRules(since string, fields ...spec.Field) spec.Field {
	f := inboundEntries(since, fields...)
	f.Design = spec.Checks(catchAllOnce)
	return f
}

// inboundEntries is [inboundRules] for a kind whose rules all count, however
// many there are.
func inboundEntries(since string, fields ...spec.Field) spec.Field {
	return spec.Field{Name: "rules", Since: since, Doc: "Settings for incoming traffic.", Type: spec.List{Elem: spec.Object(fields)}}
}

// inboundMatches describes which incoming traffic a rule is for.
func inboundMatches(since string) spec.Field {
	return spec.Field{Name: "matches", Since: since, Doc: "Conditions, any of which selects the traffic. Unset, the rule is for all traffic.", Type: spec.List{Elem: inboundMatch}}
}

// inboundMatch is one condition on incoming traffic.
var inboundMatch = spec.Object{
	{Name: "spiffeID", Doc: "Identity of the client.", Type: spec.Object{
		{Name: "type", Type: spec.String, Required: true, OneOf: []string{"Exact", "Prefix"}, Doc: "How the value is compared. `Prefix` compares text, not whole segments: `spiffe://shop/ns/a` fits `spiffe://shop/ns/ab` too."},
		{Name: "value", Type: spec.String, Required: true, Doc: "SPIFFE ID of the client, or the beginning of one.", Checks: spec.Checks(spiffeID)},
	}},
	{Name: "sni", Since: "2.14", Doc: "Server name that the client asks for in the TLS handshake.", Type: spec.Object{
		{Name: "type", Type: spec.String, Required: true, OneOf: []string{"Exact"}, Doc: "How the value is compared."},
		{Name: "value", Type: spec.String, Required: true, Doc: "The server name.", Checks: spec.Checks(serverName)},
	}},
}

// someCondition checks an [inboundMatch] where one without a member breaks the
// configuration of a proxy (spec/validation.md §6).
var someCondition = spec.AnyOf("spiffeID", "sni")

// defaultConf describes the settings of one entry.
func defaultConf(conf spec.Object, checks ...spec.Check) spec.Field {
	return spec.Field{Name: "default", Type: conf, Required: true, Doc: "The settings.", Checks: checks}
}

// optionalConf describes the settings of one entry that can do without any.
func optionalConf(conf spec.Object, checks ...spec.Check) spec.Field {
	return spec.Field{Name: "default", Type: conf, Default: map[string]any{}, Doc: "The settings. The entry has no effect when unset.", Checks: checks}
}

// Limits that the rules of a kind set, and not its schema.
var (
	notEmpty  = spec.NotEmpty().At(spec.Rule)
	someItems = spec.Items(1, maxItems).At(spec.Rule)
)

var sectionNeedsInbound = spec.Check{
	Doc: "`section_name` with Dataplane needs entries for incoming traffic.",
	Test: func(n spec.Node) []spec.Problem {
		fields := n.Root().Get("spec")
		kind, _ := n.Get("kind").Text()
		if kind != mesh.KindDataplane || !fields.Get("from").Empty() || !fields.Get("rules").Empty() {
			return nil
		}
		return spec.Refused(n.Get("sectionName"), "A section of a Dataplane is an inbound, and this policy has no settings for incoming traffic (\"from\" or \"rules\"). Remove sectionName.")
	},
}

// deprecatedTop warns of the kinds that Dataplane replaces as top-level
// reference (spec/validation.md §7).
var deprecatedTop = spec.Check{Test: func(n spec.Node) []spec.Problem {
	kind, _ := n.Get("kind").Text()
	switch kind {
	case mesh.KindMeshService, mesh.KindMeshServiceSubset, mesh.KindMeshSubset, mesh.KindMeshHTTPRoute:
		return []spec.Problem{n.Get("kind").Warning(kind+" is deprecated here", fmt.Sprintf("Selecting proxies with kind %s is deprecated. Use Dataplane with labels.", kind)).About(spec.Deprecation)}
	}
	return nil
}}

// fromIsDeprecated warns of entries in `from`.
var fromIsDeprecated = spec.Check{Test: func(n spec.Node) []spec.Problem {
	from := n.Get("from")
	if len(from.Items()) == 0 {
		return nil
	}
	return []spec.Problem{from.Warning("from is deprecated", "Settings for incoming traffic in \"from\" are deprecated. Use \"rules\".").About(spec.Deprecation)}
}}

// someEntries checks that at least one of the lists has an entry.
func someEntries(lists ...string) spec.Check {
	names := make([]string, len(lists))
	for i, l := range lists {
		names[i] = "`" + spec.AttributeName(l) + "`"
	}
	return spec.Check{
		Doc: fmt.Sprintf("At least one of %s needs an entry.", spec.Or(names...)),
		Test: func(n spec.Node) []spec.Problem {
			for _, l := range lists {
				if !n.Get(l).Empty() {
					return nil
				}
			}
			return []spec.Problem{n.Problem("There is no entry", fmt.Sprintf("Without an entry this would do nothing. Add one to %s.", spec.Or(lists...)))}
		},
	}
}

// rulesExclude checks that `rules` stands alone.
func rulesExclude(sections ...string) spec.Check {
	return spec.Check{
		Doc: fmt.Sprintf("With `rules`, there must be no %s.", spec.Or(sections...)),
		Test: func(n spec.Node) []spec.Problem {
			if len(n.Get("rules").Items()) == 0 {
				return nil
			}
			for _, s := range sections {
				if len(n.Get(s).Items()) > 0 {
					return []spec.Problem{n.Problem("rules excludes "+spec.And(sections...), fmt.Sprintf("A policy with \"rules\" cannot have %s as well. Move them to a policy of their own.", spec.Or(sections...)))}
				}
			}
			return nil
		},
	}
}

// rulesByIdentity checks the matches of the rules: each has a condition, and
// what is decided before the client is known does not depend on the client.
func rulesByIdentity(doc string, early ...[]string) spec.Check {
	return spec.Check{Doc: doc, Test: func(n spec.Node) []spec.Problem {
		var problems []spec.Problem
		for _, rule := range n.Get("rules").Items() {
			byIdentity := false
			for _, m := range rule.Get("matches").Items() {
				id, sni := m.Get("spiffeID"), m.Get("sni")
				byIdentity = byIdentity || id.Known()
				if m.Known() && id.Absent() && sni.Absent() {
					problems = append(problems, m.Problem("The match has no condition", "A match needs spiffeID, sni or both. To cover all traffic, leave matches out."))
				}
			}
			if byIdentity {
				problems = append(problems, refuseAll(rule.Get("default"), "It takes effect before the client is known, so a rule that matches a spiffeID cannot set it. Move it to a rule without spiffeID.", early...)...)
			}
		}
		return problems
	}}
}

// topKind returns the kind of proxies that the policy with these fields
// selects; empty when it is unknown.
func topKind(fields spec.Node) string {
	ref := fields.Get("targetRef")
	if ref.Absent() {
		return mesh.KindMesh
	}
	kind, _ := ref.Get("kind").Text()
	return kind
}

// narrowTop checks that with any of the top-level references, the entries of
// `to` name only the given kinds.
func narrowTop(tops []string, allowed ...string) spec.Check {
	return spec.Check{
		Doc: fmt.Sprintf("With %s as top-level reference, `to` takes only %s.", spec.Or(tops...), spec.And(allowed...)),
		Test: func(n spec.Node) []spec.Problem {
			if top := topKind(n); slices.Contains(tops, top) {
				return narrowTo(n, top, allowed...)
			}
			return nil
		},
	}
}

// toIsForGateways checks that a policy which selects gateways has none of the
// sections for incoming traffic, and any other policy no `to`.
func toIsForGateways(inbound ...string) spec.Check {
	return spec.Check{
		Doc: fmt.Sprintf("`to` is for gateways: the top-level reference must take them in (MeshGateway, or Mesh without `proxy_types` or with Gateway), and then %s must be empty.", spec.And(inbound...)),
		Test: func(n spec.Node) []spec.Problem {
			gateways, known := selectsGateways(n.Get("targetRef"))
			switch {
			case !known:
				return nil
			case !gateways:
				return spec.Refused(n.Get("to"), "The policy selects no gateways, and \"to\" is for them only. Use \"rules\", or select a MeshGateway.")
			}
			var problems []spec.Problem
			for _, section := range inbound {
				problems = append(problems, spec.Refused(n.Get(section), fmt.Sprintf("The policy selects gateways, for which %q has no meaning. Select sidecars only (Dataplane, or Mesh with proxyTypes Sidecar), or use \"to\".", section))...)
			}
			return problems
		},
	}
}

// selectsGateways reports whether a top-level reference takes in gateways, and
// whether that is known.
func selectsGateways(ref spec.Node) (gateways, known bool) {
	kind, ok := ref.Get("kind").Text()
	types := ref.Get("proxyTypes")
	switch {
	case ref.Absent(), kind == mesh.KindMeshGateway, kind == mesh.KindMeshHTTPRoute:
		return true, true
	case kind != mesh.KindMesh && kind != mesh.KindMeshSubset:
		return false, ok
	case types.Empty():
		return true, true
	}
	known = types.Known()
	for _, t := range types.Items() {
		s, ok := t.Text()
		gateways, known = gateways || s == "Gateway", known && ok
	}
	return gateways, known || gateways
}

// narrowTo checks that the entries of `to` name only the given kinds, because
// of the kind of the top-level reference.
func narrowTo(fields spec.Node, top string, allowed ...string) []spec.Problem {
	var problems []spec.Problem
	for _, e := range fields.Get("to").Items() {
		problems = append(problems, narrowEntry(e, top, allowed...)...)
	}
	return problems
}

// narrowEntry checks one entry like [narrowTo].
func narrowEntry(entry spec.Node, top string, allowed ...string) []spec.Problem {
	n := entry.Get("targetRef", "kind")
	kind, ok := n.Text()
	if !ok || slices.Contains(allowed, kind) {
		return nil
	}
	return []spec.Problem{n.Problem(kind+" cannot be referenced here", fmt.Sprintf("With %s as top-level reference, an entry of \"to\" takes %s, not %s.", top, spec.Or(allowed...), kind))}
}

// refuseAll refuses several members below n for the same reason.
func refuseAll(n spec.Node, why string, members ...[]string) []spec.Problem {
	var problems []spec.Problem
	for _, m := range members {
		problems = append(problems, spec.Refused(n.Get(m...), why)...)
	}
	return problems
}

// wholeGateway: a gateway is selected as a whole, because the policy has
// nothing to say about single listeners.
var wholeGateway = spec.Check{Test: func(n spec.Node) []spec.Problem {
	if topKind(n) != mesh.KindMeshGateway {
		return nil
	}
	return spec.Refused(n.Get("targetRef", "tags"), "This policy applies to a gateway as a whole, and tags select listeners of it. Remove them.")
}}
