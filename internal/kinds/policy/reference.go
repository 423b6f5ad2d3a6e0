package policy

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Advice instead of a top-level reference to a route.
const (
	routeInTo    = "Refer to the route in spec.to[].targetRef."
	routeInRules = "Limits cannot be set for a route: limit incoming requests in rules, for the proxies of the service."
)

// AllProxies returns the kinds by which a policy selects proxies of all types, and others.
func AllProxies(others ...string) []string {
	return append([]string{
		kuma.KindMesh, kuma.KindDataplane, kuma.KindMeshGateway, kuma.KindMeshSubset, kuma.KindMeshService, kuma.KindMeshServiceSubset,
	}, others...)
}

// TargetRef describes the reference to the proxies that a policy applies to.
func TargetRef(kinds ...string) def.Field { return targetRef(kinds, routeInTo) }

func targetRef(kinds []string, routeInstead string) def.Field {
	removed := map[string]def.Removal{kuma.KindMeshHTTPRoute: def.RemovedIn3(routeInstead)}
	for _, kind := range []string{kuma.KindMeshSubset, kuma.KindMeshService, kuma.KindMeshServiceSubset, kuma.KindMeshGateway} {
		removed[kind] = def.RemovedIn3("Use kind Dataplane with labels that these proxies have.")
	}
	ref := def.TargetRef(kinds).RemovesKinds(removed)
	ref[0].SinceOf = map[string]string{kuma.KindDataplane: "2.10"}
	return def.Field{
		Name: "targetRef", Type: ref,
		Doc:    "The selected proxies. Defaults to the whole mesh.",
		Checks: def.Checks(def.ReferenceFields(), sectionNeedsInbound, deprecatedTop(kinds, routeInstead)),
		Design: def.Checks(serviceIsTag),
	}
}

// TargetRefByRole is [TargetRef] for policies that accept some of the kinds
// only with the role system: not with the role producer, consumer or
// workload-owner.
func TargetRefByRole(all ...string) def.Field { return withRoles(TargetRef(all...), all) }

// TargetRefOfLimits is [TargetRefByRole] for a kind that can select a route only by it.
func TargetRefOfLimits(all ...string) def.Field { return withRoles(targetRef(all, routeInRules), all) }

func withRoles(f def.Field, all []string) def.Field {
	f.Checks = append(f.Checks, systemOnly(all))
	return f
}

// systemOnly rejects the kinds that only a policy with the role system may use.
func systemOnly(all []string) def.Check {
	systemKinds := []string{kuma.KindMeshGateway, kuma.KindMeshHTTPRoute}
	left := slices.DeleteFunc(slices.Clone(all), func(kind string) bool { return slices.Contains(systemKinds, kind) })
	return def.Check{Test: func(n tree.Node) []def.Problem {
		kind, _ := n.Get("kind").Text()
		role, _ := n.Root().Get("labels", kuma.LabelPolicyRole).Text()
		if !slices.Contains(systemKinds, kind) || !slices.Contains(all, kind) || role == "" || role == string(kuma.RoleSystem) {
			return nil
		}
		return []def.Problem{def.ErrorAt(n.Get("kind"), "Policy role does not allow "+kind,
			fmt.Sprintf("A policy with the role %q accepts only %s. Use one of these kinds. "+
				"The role follows from the namespace and the entries of a policy, unless the label %s is set.", role, phrase.And(left...),
				kuma.LabelPolicyRole))}
	}}.At(def.Objects)
}

var sectionNeedsInbound = def.Check{
	Test: func(n tree.Node) []def.Problem {
		fields := n.Root().Get("spec")
		kind, _ := n.Get("kind").Text()
		if kind != kuma.KindDataplane || !fields.Get("from").Empty() || !fields.Get("rules").Empty() {
			return nil
		}
		return def.Rejected(n.Get("sectionName"),
			"A section of a Dataplane is an inbound, but this policy has no settings for incoming traffic (\"from\" or "+
				"\"rules\"). Remove sectionName.")
	},
}

// serviceIsTag warns about the tag of a service where a label is required. A control plane
// stores a Dataplane with such a label, but does not set it (validation.md §10).
var serviceIsTag = def.Check{Test: func(n tree.Node) []def.Problem {
	kind, _ := n.Get("kind").Text()
	label := n.Get("labels", kuma.TagService)
	if kind != kuma.KindDataplane || !label.Known() {
		return nil
	}
	return []def.Problem{def.WarningAt(label, "kuma.io/service is a tag",
		"kuma.io/service is a tag of inbounds, but the reference selects by the labels of the Dataplane. "+
			"It matches only if the Dataplane has a label with that name as well. "+
			"Use another label that the Dataplanes have, such as kuma.io/workload.").About(def.TagAsLabel)}
}}

// deprecatedTop warns about the kinds that Dataplane replaces as top-level
// reference (validation.md §7), and about routes.
func deprecatedTop(kinds []string, routeInstead string) def.Check {
	instead := "Use Dataplane with labels. For incoming traffic, sectionName selects one of several inbounds."
	if slices.Contains(kinds, kuma.KindMeshGateway) {
		instead += " For builtin gateways, use MeshGateway."
	}
	return def.Check{Test: func(n tree.Node) []def.Problem {
		kind, _ := n.Get("kind").Text()
		p := def.WarningAt(n.Get("kind"), kind+" is deprecated here",
			fmt.Sprintf("Selecting proxies by kind %s is deprecated. %s", kind, instead)).About(def.Deprecation).From("2.10")
		switch kind {
		case kuma.KindMeshService, kuma.KindMeshServiceSubset, kuma.KindMeshSubset:
		case kuma.KindMeshHTTPRoute:
			p.Detail = "Selecting a route by a top-level reference is deprecated, and has no effect on requests to a MeshService. " + routeInstead +
				" Requests by the tag kuma.io/service and through builtin gateways have settings per route only by this reference: " +
				"without it, set them for the service or the mesh."
			p.Since = "2.11"
		default:
			return nil
		}
		return []def.Problem{p}
	}}
}

// TopKind returns the kind of proxies that the policy with these fields
// selects; empty when it is unknown.
func TopKind(fields tree.Node) string {
	ref := fields.Get("targetRef")
	if ref.Absent() {
		return kuma.KindMesh
	}
	kind, _ := ref.Get("kind").Text()
	return kind
}

// DestinationKinds checks that with any of the top-level references, the entries
// of `to` name only the allowed kinds.
func DestinationKinds(tops []string, allowed ...string) def.Check {
	return def.Check{
		Doc: fmt.Sprintf("With %s as top-level reference, `to` accepts only %s.", phrase.Or(tops...), phrase.And(allowed...)),
		Test: func(n tree.Node) []def.Problem {
			if top := TopKind(n); slices.Contains(tops, top) {
				return RejectDestinations(n, top, allowed...)
			}
			return nil
		},
	}
}

// selectsGateways reports whether a top-level reference includes gateways, and
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

// RejectDestinations rejects entries of `to` whose kinds are not allowed with
// the kind of the top-level reference.
func RejectDestinations(fields tree.Node, top string, allowed ...string) []def.Problem {
	destinations := def.Check{Test: func(entry tree.Node) []def.Problem { return RejectDestination(entry, top, allowed...) }}
	return def.Each(destinations).Test(fields.Get("to"))
}

// RejectDestination is [RejectDestinations] for one entry.
func RejectDestination(entry tree.Node, top string, allowed ...string) []def.Problem {
	n := entry.Get("targetRef", "kind")
	kind, ok := n.Text()
	if !ok || slices.Contains(allowed, kind) {
		return nil
	}
	return []def.Problem{def.ErrorAt(n, kind+" cannot be referenced here",
		fmt.Sprintf("With %s as top-level reference, entries of \"to\" accept %s, not %s.", top, phrase.And(allowed...), kind)).Instead(
		n.Path.Parent())}
}

// WholeGateway checks that a gateway is selected as a whole, because the policy
// cannot apply to single listeners.
var WholeGateway = def.Check{Test: func(n tree.Node) []def.Problem {
	if TopKind(n) != kuma.KindMeshGateway {
		return nil
	}
	return def.Rejected(n.Get("targetRef", "tags"),
		"Tags select listeners of a gateway, but this policy applies to the gateway as a whole. Remove the tags.")
}}
