package kinds

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// topRef describes the reference to the proxies that a policy applies to.
func topRef(kinds ...string) def.Field {
	return def.Field{
		Name: "targetRef", Type: laterKinds(def.TargetRef(kinds), "2.10", kuma.KindDataplane),
		Doc:       "The proxies that the policy applies to. The whole mesh when unset.",
		Checks:    def.Checks(def.ReferenceMembers(), sectionNeedsInbound, deprecatedTop),
		Readiness: topReadiness,
	}
}

// topRefByRole is [topRef] for the policies that take some of the kinds only
// from the system: not from a producer, consumer or owner of a workload.
func topRefByRole(all ...string) def.Field {
	f := topRef(all...)
	f.Checks = append(f.Checks, systemOnly(all))
	return f
}

func systemOnly(all []string) def.Check {
	gated := []string{kuma.KindMeshGateway, kuma.KindMeshHTTPRoute}
	left := slices.DeleteFunc(slices.Clone(all), func(kind string) bool { return slices.Contains(gated, kind) })
	return def.Check{Test: func(n tree.Node) []def.Problem {
		kind, _ := n.Get("kind").Text()
		role, _ := n.Root().Get("labels", kuma.LabelPolicyRole).Text()
		if !slices.Contains(gated, kind) || !slices.Contains(all, kind) || role == "" || role == string(kuma.RoleSystem) {
			return nil
		}
		return []def.Problem{def.ErrorAt(n.Get("kind"), "The role of the policy does not allow "+kind, fmt.Sprintf("The label %s says %q, and such a policy takes %s. Remove the label, or choose one of these kinds.", kuma.LabelPolicyRole, role, phrase.Or(left...)))}
	}}.At(def.Objects)
}

// to describes the settings for outgoing traffic, one entry per destination.
func to(conf def.Field, kinds ...string) def.Field {
	return toEntries(def.TargetRef(kinds), conf)
}

// laterTo is [to] with destinations that it takes only since a release.
func laterTo(release, later string, conf def.Field, kinds ...string) def.Field {
	return toEntries(laterKinds(def.TargetRef(append(kinds, later)), release, later), conf)
}

func toEntries(ref def.Object, conf def.Field) def.Field {
	f := entriesOf("to", "Settings for outgoing traffic, one entry per destination.", "The destination of the traffic.", ref, conf)
	f.Readiness = toReadiness
	f.Design = def.Checks(destinationsOnce)
	return f
}

// laterKinds returns a reference that takes a kind only since a release.
func laterKinds(ref def.Object, release, kind string) def.Object {
	ref[0].SinceOf = map[string]string{kind: release}
	return ref
}

// from describes the settings for incoming traffic in the old form.
func from(conf def.Field, kinds ...string) def.Field {
	f := entries("from", "Settings for incoming traffic, per group of clients.", "The clients that the traffic comes from.", kinds, conf)
	f.Deprecated = "Use `rules`."
	return f
}

func entries(name, doc, refDoc string, kinds []string, fields ...def.Field) def.Field {
	return entriesOf(name, doc, refDoc, def.TargetRef(kinds), fields...)
}

func entriesOf(name, doc, refDoc string, targetRef def.Object, fields ...def.Field) def.Field {
	ref := def.Field{Name: "targetRef", Type: targetRef, Required: true, Doc: refDoc, Checks: def.Checks(def.ReferenceMembers()), Design: def.Checks(def.UncheckedMembers())}
	return def.Field{Name: name, Type: def.List{Elem: append(def.Object{ref}, fields...)}, Doc: doc}
}

// inboundRules describes the settings for incoming traffic.
func inboundRules(since string, fields ...def.Field) def.Field {
	f := inboundEntries(since, fields...)
	f.Design = def.Checks(catchAllOnce)
	return f
}

// inboundEntries is [inboundRules] for a kind whose rules all count, however
// many there are.
func inboundEntries(since string, fields ...def.Field) def.Field {
	return def.Field{Name: "rules", Since: since, Doc: "Settings for incoming traffic.", Type: def.List{Elem: def.Object(fields)}}
}

// inboundMatches describes which incoming traffic a rule is for.
func inboundMatches(since string) def.Field {
	return def.Field{Name: "matches", Since: since, Doc: "Conditions, any of which selects the traffic. Unset, the rule is for all traffic.", Type: def.List{Elem: inboundMatch}}
}

// inboundMatch is one condition on incoming traffic.
var inboundMatch = def.Object{
	{Name: "spiffeID", Doc: "Identity of the client.", Type: def.Object{
		{Name: "type", Type: def.String, Required: true, OneOf: []string{"Exact", "Prefix"}, Doc: "How the value is compared. `Prefix` compares text, not whole segments: `spiffe://shop/ns/a` fits `spiffe://shop/ns/ab` too."},
		{Name: "value", Type: def.String, Required: true, Doc: "SPIFFE ID of the client, or the beginning of one.", Checks: def.Checks(spiffeID)},
	}},
	{Name: "sni", Since: "2.14", Doc: "Server name that the client asks for in the TLS handshake.", Type: def.Object{
		{Name: "type", Type: def.String, Required: true, OneOf: []string{"Exact"}, Doc: "How the value is compared."},
		{Name: "value", Type: def.String, Required: true, Doc: "The server name.", Checks: def.Checks(serverName)},
	}},
}

// someCondition checks an [inboundMatch] where one without a member breaks the
// configuration of a proxy (validation.md §6).
var someCondition = def.AnyOf("spiffeID", "sni")

// defaultConf describes the settings of one entry.
func defaultConf(conf def.Object, checks ...def.Check) def.Field {
	return def.Field{Name: "default", Type: conf, Required: true, Doc: "The settings.", Checks: checks}
}

// optionalConf describes the settings of one entry that can do without any.
func optionalConf(conf def.Object, checks ...def.Check) def.Field {
	return def.Field{Name: "default", Type: conf, Default: map[string]any{}, Doc: "The settings. The entry has no effect when unset.", Checks: checks}
}

// Limits that the rules of a kind set, and not its schema.
var (
	notEmpty  = def.NotEmpty().At(def.Rule)
	someItems = def.Items(1, maxItems).At(def.Rule)
)

var sectionNeedsInbound = def.Check{
	Doc: "`sectionName` with Dataplane needs entries for incoming traffic.",
	Test: func(n tree.Node) []def.Problem {
		fields := n.Root().Get("spec")
		kind, _ := n.Get("kind").Text()
		if kind != kuma.KindDataplane || !fields.Get("from").Empty() || !fields.Get("rules").Empty() {
			return nil
		}
		return def.Refused(n.Get("sectionName"), "A section of a Dataplane is an inbound, and this policy has no settings for incoming traffic (\"from\" or \"rules\"). Remove sectionName.")
	},
}

// deprecatedTop warns of the kinds that Dataplane replaces as top-level
// reference (validation.md §7).
var deprecatedTop = def.Check{Test: func(n tree.Node) []def.Problem {
	kind, _ := n.Get("kind").Text()
	switch kind {
	case kuma.KindMeshService, kuma.KindMeshServiceSubset, kuma.KindMeshSubset, kuma.KindMeshHTTPRoute:
		return []def.Problem{def.WarningAt(n.Get("kind"), kind+" is deprecated here", fmt.Sprintf("Selecting proxies with kind %s is deprecated. Use Dataplane with labels.", kind)).About(def.Deprecation)}
	}
	return nil
}}

// fromIsDeprecated warns of entries in `from`.
var fromIsDeprecated = def.Check{Test: func(n tree.Node) []def.Problem {
	from := n.Get("from")
	if len(from.Items()) == 0 {
		return nil
	}
	return []def.Problem{def.WarningAt(from, "from is deprecated", "Settings for incoming traffic in \"from\" are deprecated. Use \"rules\".").About(def.Deprecation)}
}}

// someEntries checks that at least one of the lists has an entry.
func someEntries(lists ...string) def.Check {
	return def.Check{
		Doc: fmt.Sprintf("At least one of %s needs an entry.", phrase.Or(phrase.Code(lists)...)),
		Test: func(n tree.Node) []def.Problem {
			for _, l := range lists {
				if !n.Get(l).Empty() {
					return nil
				}
			}
			return []def.Problem{def.ErrorAt(n, "There is no entry", fmt.Sprintf("Without an entry this would do nothing. Add one to %s.", phrase.Or(lists...)))}
		},
	}
}

// rulesExclude checks that `rules` stands alone.
func rulesExclude(sections ...string) def.Check {
	return def.Check{
		Doc: fmt.Sprintf("With `rules`, there must be no %s.", phrase.Or(sections...)),
		Test: func(n tree.Node) []def.Problem {
			if len(n.Get("rules").Items()) == 0 {
				return nil
			}
			for _, s := range sections {
				if len(n.Get(s).Items()) > 0 {
					return []def.Problem{def.ErrorAt(n, "rules excludes "+phrase.And(sections...), fmt.Sprintf("A policy with \"rules\" cannot have %s as well. Move them to a policy of their own.", phrase.Or(sections...)))}
				}
			}
			return nil
		},
	}
}

// rulesByIdentity checks the matches of the rules: each has a condition, and
// what is decided before the client is known does not depend on the client.
func rulesByIdentity(doc string, early ...[]string) def.Check {
	return def.Check{Doc: doc, Test: func(n tree.Node) []def.Problem {
		var problems []def.Problem
		for _, rule := range n.Get("rules").Items() {
			byIdentity := false
			for _, m := range rule.Get("matches").Items() {
				id, sni := m.Get("spiffeID"), m.Get("sni")
				byIdentity = byIdentity || id.Known()
				if m.Known() && id.Absent() && sni.Absent() {
					problems = append(problems, def.ErrorAt(m, "The match has no condition", "A match needs spiffeID, sni or both. To cover all traffic, leave matches out."))
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
func topKind(fields tree.Node) string {
	ref := fields.Get("targetRef")
	if ref.Absent() {
		return kuma.KindMesh
	}
	kind, _ := ref.Get("kind").Text()
	return kind
}

// narrowTop checks that with any of the top-level references, the entries of
// `to` name only the given kinds.
func narrowTop(tops []string, allowed ...string) def.Check {
	return def.Check{
		Doc: fmt.Sprintf("With %s as top-level reference, `to` takes only %s.", phrase.Or(tops...), phrase.And(allowed...)),
		Test: func(n tree.Node) []def.Problem {
			if top := topKind(n); slices.Contains(tops, top) {
				return narrowTo(n, top, allowed...)
			}
			return nil
		},
	}
}

// toIsForGateways checks that a policy which selects gateways has none of the
// sections for incoming traffic, and any other policy no `to`.
func toIsForGateways(inbound ...string) def.Check {
	return def.Check{
		Doc: fmt.Sprintf("`to` is for gateways: the top-level reference must take them in (MeshGateway, or Mesh without `proxyTypes` or with Gateway), and then %s must be empty.", phrase.And(inbound...)),
		Test: func(n tree.Node) []def.Problem {
			gateways, known := selectsGateways(n.Get("targetRef"))
			switch {
			case !known:
				return nil
			case !gateways:
				return def.Refused(n.Get("to"), "The policy selects no gateways, and \"to\" is for them only. Use \"rules\", or select a MeshGateway.")
			}
			var problems []def.Problem
			for _, section := range inbound {
				problems = append(problems, def.Refused(n.Get(section), fmt.Sprintf("The policy selects gateways, for which %q has no meaning. Select sidecars only (Dataplane, or Mesh with proxyTypes Sidecar), or use \"to\".", section))...)
			}
			return problems
		},
	}
}

// selectsGateways reports whether a top-level reference takes in gateways, and
// whether that is known.
func selectsGateways(ref tree.Node) (gateways, known bool) {
	kind, ok := ref.Get("kind").Text()
	types := ref.Get("proxyTypes")
	switch {
	case ref.Absent(), kind == kuma.KindMeshGateway, kind == kuma.KindMeshHTTPRoute:
		return true, true
	case kind != kuma.KindMesh && kind != kuma.KindMeshSubset:
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
func narrowTo(fields tree.Node, top string, allowed ...string) []def.Problem {
	var problems []def.Problem
	for _, e := range fields.Get("to").Items() {
		problems = append(problems, narrowEntry(e, top, allowed...)...)
	}
	return problems
}

// narrowEntry checks one entry like [narrowTo].
func narrowEntry(entry tree.Node, top string, allowed ...string) []def.Problem {
	n := entry.Get("targetRef", "kind")
	kind, ok := n.Text()
	if !ok || slices.Contains(allowed, kind) {
		return nil
	}
	return []def.Problem{def.ErrorAt(n, kind+" cannot be referenced here", fmt.Sprintf("With %s as top-level reference, an entry of \"to\" takes %s, not %s.", top, phrase.Or(allowed...), kind))}
}

// refuseAll refuses several members below n for the same reason.
func refuseAll(n tree.Node, why string, members ...[]string) []def.Problem {
	var problems []def.Problem
	for _, m := range members {
		problems = append(problems, def.Refused(n.Get(m...), why)...)
	}
	return problems
}

// wholeGateway: a gateway is selected as a whole, because the policy has
// nothing to say about single listeners.
var wholeGateway = def.Check{Test: func(n tree.Node) []def.Problem {
	if topKind(n) != kuma.KindMeshGateway {
		return nil
	}
	return def.Refused(n.Get("targetRef", "tags"), "This policy applies to a gateway as a whole, and tags select listeners of it. Remove them.")
}}
