package kinds

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// This file holds rules for routes that a control plane does not enforce.

// oneDestination: several destinations in one route are deprecated, and refused
// to policies of producers and consumers.
var oneDestination = def.Check{Test: func(n tree.Node) []def.Problem {
	to := n.Get("to")
	if len(to.Items()) < 2 {
		return nil
	}
	role, _ := n.Root().Get("labels", kuma.LabelPolicyRole).Text()
	const detail = "Several entries in \"to\" of a route are deprecated. Write one route for each destination."
	if role == string(kuma.RoleProducer) || role == string(kuma.RoleConsumer) {
		return []def.Problem{def.ErrorAt(to, "A route has one destination", detail).About(def.SeveralDestinations)}
	}
	return []def.Problem{def.WarningAt(to, "Several destinations are deprecated", detail).About(def.SeveralDestinations)}
}}

// destinations are the rules for the backendRefs of a route.
var destinations = def.Checks(someWeight, def.Each(backendHasPort, oneService, def.UncheckedMembers()))

// someWeight: without a weight above zero, the rule is left out.
var someWeight = def.Check{Test: func(n tree.Node) []def.Problem {
	for _, b := range n.Items() {
		if w, ok := b.Get("weight").Int(); !ok || w > 0 {
			return nil
		}
	}
	if n.Empty() {
		return nil
	}
	return []def.Problem{def.ErrorAt(n, "All weights are zero", "No destination gets any traffic, and proxies ignore the rule. Give one of them a weight of 1 or more.")}
}}

// backendHasPort: without a port, the name of a MeshService is read as a value
// of the tag kuma.io/service.
var backendHasPort = def.Check{Test: func(n tree.Node) []def.Problem {
	if kind, _ := n.Get("kind").Text(); kind != kuma.KindMeshService || !n.Get("port").Absent() || !n.Get("sectionName").Absent() {
		return nil
	}
	return []def.Problem{def.WarningAt(n, "The destination has no port", "Without port, the name is read as a value of the tag kuma.io/service instead of a MeshService. Add port.").About(def.PortlessBackend)}
}}

// ofPlace are labels that Kuma gives to everything in a place, so that they tell
// no service from another.
var ofPlace = []string{kuma.LabelMesh, kuma.LabelOrigin, kuma.LabelZone, kuma.LabelEnv, kuma.LabelK8sNamespace}

// oneService: a destination must not fit more than one service (design record
// 002). The reference alone shows that only where its labels are all [ofPlace];
// with others it is possible.
var oneService = def.Check{Test: func(n tree.Node) []def.Problem {
	labels := n.Get("labels")
	if !labels.Filled() || !labels.Get(kuma.LabelDisplayName).Absent() {
		return nil
	}
	const detail = "A destination is one service, and the oldest is taken where the labels fit several. Use name, or the labels kuma.io/display-name and kuma.io/zone."
	if slices.ContainsFunc(labels.Entries(), func(label tree.Node) bool { return !slices.Contains(ofPlace, label.Key()) }) {
		return []def.Problem{def.WarningAt(labels, "The labels may fit several services", detail).About(def.AmbiguousBackend)}
	}
	return []def.Problem{def.ErrorAt(labels, "The labels fit every service there", detail).About(def.AmbiguousBackend)}
}}

// mirrorByTag: a proxy whose requests are copied to a MeshService gets no
// configuration at all.
var mirrorByTag = def.Check{Test: func(n tree.Node) []def.Problem {
	if kind, _ := n.Get("kind").Text(); kind != kuma.KindMeshService {
		return nil
	}
	for _, member := range []string{"labels", "port", "sectionName"} {
		if m := n.Get(member); m.Filled() {
			return []def.Problem{def.ErrorAt(m, "A MeshService cannot get copies", fmt.Sprintf("With %s the reference means a MeshService, and the proxy gets no configuration. Give name alone: the value of the tag kuma.io/service of an HTTP service.", member))}
		}
	}
	return nil
}}

// redirectIsLast: a redirect answers the request, so that none is left to be
// rewritten, and Envoy refuses the configuration.
var redirectIsLast = def.Check{Test: func(n tree.Node) []def.Problem {
	redirected := false
	for _, f := range n.Items() {
		kind := f.Get("type")
		s, _ := kind.Text()
		if redirected && s == filterRewrite {
			return []def.Problem{def.ErrorAt(kind, "URLRewrite follows RequestRedirect", "The redirect answers the request, and a proxy refuses a configuration that also rewrites it. Remove one of the two filters.")}
		}
		redirected = redirected || s == filterRedirect
	}
	return nil
}}

// redirectHidesBackends warns of destinations that no request reaches.
var redirectHidesBackends = def.Check{Test: func(n tree.Node) []def.Problem {
	isRedirect := func(f tree.Node) bool { s, _ := f.Get("type").Text(); return s == filterRedirect }
	if refs := n.Get("backendRefs"); refs.Filled() && slices.ContainsFunc(n.Get("filters").Items(), isRedirect) {
		return []def.Problem{def.WarningAt(refs, "backendRefs has no effect", "The filter RequestRedirect answers every request of the rule. Remove backendRefs, or the filter.")}
	}
	return nil
}}

// matchesOnce warns of rules that become one with an earlier one.
var matchesOnce = def.Check{Test: func(n tree.Node) []def.Problem {
	var problems []def.Problem
	var seen []tree.Node
	for _, rule := range n.Items() {
		matches := rule.Get("matches")
		if !matches.Complete() {
			continue
		}
		if slices.ContainsFunc(seen, func(m tree.Node) bool { return tree.Equal(m.Value(), matches.Value()) }) {
			problems = append(problems, def.WarningAt(matches, "An earlier rule has these matches", "The two are merged, and what the earlier one sets wins. Write one rule."))
		}
		seen = append(seen, matches)
	}
	return problems
}}

// comparesWithValue warns of a condition that compares a header with nothing.
var comparesWithValue = def.Check{Test: func(n tree.Node) []def.Problem {
	kind := n.Get("type")
	s, ok := kind.Text()
	value := n.Get("value")
	if !value.Empty() || s == "Present" || s == "Absent" || !ok && !kind.Absent() {
		return nil
	}
	return []def.Problem{def.WarningAt(value, "The header is compared with nothing", "The condition has no value. Add it, or choose the type Present or Absent.")}
}}

// headerConditions are the rules for a list of [headerMatch].
var headerConditions = def.Checks(def.Each(regexCompiles(typeRegex, "value"), comparesWithValue))
