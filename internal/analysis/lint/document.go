package lint

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// The checks in this file concern a single document. The declarations of the kinds
// contain the conditions.

var deprecated = Code{
	Code: "deprecated", Severity: Info, Title: "Deprecated field or reference",
	Fix: "Use what the finding names",
	Doc: "Kuma has deprecated what the document uses, such as `from` or a top-level reference of kind MeshSubset. " +
		"A later release, such as Kuma 3.0, rejects or ignores it.",
}

func findDeprecated(m *mesh, report func(Finding)) {
	for _, r := range m.resources {
		if m.initial[r.Key()] {
			continue
		}
		k, _ := kinds.Find(r.Type)
		doc := k.WithoutServerOwned(*r).Document()
		for _, p := range k.Deprecations(doc, m.problems()[r.Key()], m.Release()) {
			report(deprecated.at(r, p.Path, p.Summary+". "+k.Outlook(p, doc), p.Detail))
		}
	}
}

var harmful = Code{
	Code: "harmful", Severity: Error, Title: "Setting that breaks traffic or a proxy",
	Fix: "Correct the value",
	Doc: "The control plane accepts the document, but Envoy rejects the configuration, or traffic is lost: " +
		"weights that are all zero, a regular expression that does not compile, policies that contradict each other, a " +
		"used Prometheus port, or `localZone` without tags. " +
		"For its own resources, the provider reports this during the plan, with the severity of `policy_checks`.",
}

func findHarmful(m *mesh, report func(Finding)) {
	findHarmfulByDocument(m, report)
	for _, f := range m.precedence().contradictions {
		report(f)
	}
	findTakenPorts(m, report)
	findServicesLeftOut(m, report)
	findPortsWithoutProtocol(m, report)
}

// findPortsWithoutProtocol finds ports that an early release stores without a protocol (validation.md, MeshService).
func findPortsWithoutProtocol(m *mesh, report func(Finding)) {
	if m.Release().Has(kuma.CompletesSince) {
		return
	}
	for _, s := range slices.Concat(m.ofKind(kuma.KindMeshService), m.ofKind(kuma.KindMeshMultiZoneService)) {
		for _, port := range tree.Root(s.Document()).Get("spec", "ports").Items() {
			if protocol := port.Get("appProtocol"); protocol.Empty() {
				report(harmful.at(s, protocol.Path,
					fmt.Sprintf("Port without a protocol: before Kuma %s, proxies close connections to it.", kuma.CompletesSince),
					"Set appProtocol, such as to tcp."))
			}
		}
	}
}

var findHarmfulByDocument = reportProblems(harmful, "", func(_ *mesh, p def.Problem) (string, bool) { return p.Summary + ".", !p.Warning })

var proxiesFrozen = Code{
	Code: "proxies-frozen", Severity: Error, Title: "Setting that freezes proxies",
	Fix: "Correct or remove the setting at once",
	Doc: "The control plane accepts the setting, but cannot generate the configuration of the proxies that have it. " +
		"They keep their old configuration and get no further update, not even a permission that denies a client. " +
		"Proxies that connect later get no configuration. " +
		"`_rules` lists all policies as usual.\n\nBesides settings of one document, the linter finds:\n\n- " +
		"two MeshPassthrough for one proxy that match different ones of `http`, `http2` and `grpc` on one port, or both without a port\n- " +
		"before Kuma 3.0, a zone egress without a MeshIdentity, if its clients have one\n- before Kuma 3.0, a builtin gateway with an HTTP " +
		"listener without a MeshHTTPRoute while another listener has one, with a rule without backends, or with a MeshTCPRoute to a service " +
		"that does not exist\n\nSee also [`no-spiffe-id`](lint-access.md#no-spiffe-id).",
}

func findProxiesFrozen(m *mesh, report func(Finding)) {
	known := func(dataplane string) bool { o := m.outbounds(dataplane); return len(o.All) > 0 || !o.Assumed }
	findFrozenByDocument(m, func(f Finding) {
		frozen := m.Selected(f.Resource)
		f.Proxies = len(frozen)
		switch {
		case f.Resource.Type == kuma.KindDataplane:
			return
		case rules.IsRoute(f.Resource.Type) && slices.ContainsFunc(frozen, known):
			return // routes only matter to proxies that have the rule
		case rules.IsRoute(f.Resource.Type):
			f.Message += " Proxies that have the rule no longer get any update."
		case len(frozen) > 0:
			having := ""
			if f.Resource.Type == kinds.MeshProxyPatch.Name {
				having = " that have an object to patch"
			}
			f.Message += fmt.Sprintf(" The proxies of %s%s no longer get any update.", proxies(frozen), having)
		}
		report(f)
	})
	findFrozen(m, report)
	findFrozenByEgress(m, report)
}

var findFrozenByDocument = reportProblems(proxiesFrozen, def.Frozen,
	func(_ *mesh, p def.Problem) (string, bool) { return p.Summary + ".", true })

// findFrozen finds the proxies whose configuration cannot be generated, by the setting that is the
// reason.
func findFrozen(m *mesh, report func(Finding)) {
	simulation := request.New(m.Snapshot)
	reasons := map[string]*request.Frozen{}
	names := map[string][]string{}
	for _, dp := range m.ofKind(kuma.KindDataplane) {
		frozen, err := simulation.Frozen(m.name, dp.Name)
		if err != nil || frozen == nil {
			continue // errors are about the mesh
		}
		place := fmt.Sprint(frozen.Resource, frozen.Path, frozen.Reason)
		reasons[place] = frozen
		names[place] = append(names[place], dp.Name)
	}
	for _, place := range slices.Sorted(maps.Keys(names)) {
		f := reasons[place]
		report(proxiesFrozen.at(m.Resource(f.Resource), f.Path,
			fmt.Sprintf("The proxies of %s no longer get any update, because %s.", proxies(names[place]), f.Reason), f.Advice).on(len(names[place])))
	}
}

// findFrozenByEgress finds zone egresses that keep clients from getting a configuration.
func findFrozenByEgress(m *mesh, report func(Finding)) {
	if m.Release().Kuma3() || len(m.ofKind(kuma.KindMeshExternalService)) == 0 || m.proxies() == nil {
		return
	}
	frozen := map[string][]string{}
	for _, dp := range m.ofKind(kuma.KindDataplane) {
		if e, ok := errors.AsType[*proxy.EgressError](m.proxies().Client(dp.Name).Broken); ok {
			frozen[e.Egress] = append(frozen[e.Egress], dp.Name)
		}
	}
	for _, egress := range m.egresses() {
		if names := frozen[egress.Name]; len(names) > 0 {
			report(proxiesFrozen.at(egress, tree.Path{"networking", "listeners"},
				fmt.Sprintf("No MeshIdentity selects the zone egress. "+
					"The proxies of %s, which have an identity and send requests to external services, no longer get any update.", some(names)),
				egressWithoutIdentity.suggestion).on(len(names)))
		}
	}
}

var rewriteJoins = Code{
	Code: "rewrite-joins", Severity: Warning, Title: "Replaced prefix that is joined with the rest of the path",
	Fix: "End `replacePrefixMatch` with a slash",
	Doc: "`replacePrefixMatch` does not end with a slash. Proxies replace the prefix together with the slash after it: " +
		"with the prefix `/v2` and the replacement `/api`, a request for `/v2/orders` is sent as `/apiorders`. Redirects do the same. " +
		"Routes of builtin gateways are not checked.",
}

var findRewriteJoins = reportProblems(rewriteJoins, def.JoinedPath,
	func(_ *mesh, p def.Problem) (string, bool) { return p.Summary + ".", true })

var questionable = Code{
	Code: "questionable", Severity: Warning, Title: "Setting with no or unintended effect",
	Fix: "Correct the value, or remove it",
	Doc: "The control plane accepts a setting with no or an unintended effect, such as a rate limit with a success status, or a " +
		"service without ports.",
}

func findQuestionable(m *mesh, report func(Finding)) {
	findQuestionableByDocument(m, report)
	findAffinityToNothing(m, report)
	findDisabledLimits(m, report)
	findSharedHostNames(m, report)
}

var findQuestionableByDocument = reportProblems(questionable, "", func(_ *mesh, p def.Problem) (string, bool) {
	return p.Summary + ".", p.Warning
})

// accepts says whether the release accepts a document with a harmful or useless setting: the next one may
// not, and one that it has stored may be of an earlier release.
func (m *mesh) accepts(r *kuma.Resource, path tree.Path) string {
	k, _ := kinds.Find(r.Type)
	rejects := func(p def.Problem) bool { return !p.Warning && tree.ComparePaths(p.Path, path) == 0 }
	if slices.ContainsFunc(k.ValidateRelease(r.Document(), m.Release()), rejects) {
		return fmt.Sprintf(" A control plane of Kuma %s rejects a write of the document.", m.Release())
	}
	return fmt.Sprintf(" A control plane of Kuma %s accepts the document nevertheless.", m.Release())
}

var ignoredOnRoute = Code{
	Code: "no-effect-on-route", Severity: Error, Title: "Setting without effect on a route",
	Fix: "Move the setting to an entry for the service",
	Doc: "An entry for a route sets a field that proxies only use for a whole service.",
}

var findIgnoredOnRoute = reportProblems(ignoredOnRoute, def.IgnoredOnRoute, func(_ *mesh, p def.Problem) (string, bool) {
	return p.Summary + ", although the control plane accepts it.", true
})

var severalDestinations = Code{
	Code: "several-destinations", Severity: Warning, Title: "Route with several entries in `to`",
	Fix: "Write one route for each destination",
	Doc: "A route has several entries in `to`, so settings for the route apply to all of its destinations. This is deprecated. " +
		"Kuma's design rules it out for policies with the role producer or consumer, although Kuma 2.14.3 accepts it.",
}

var findSeveralDestinations = reportProblems(severalDestinations, def.SeveralDestinations, func(*mesh, def.Problem) (string, bool) {
	return "The route has several destinations. Settings for the route apply to the traffic to all of them, and cannot differ between them.",
		true
})

// reportProblems returns what reports the problems of a topic that message selects.
func reportProblems(c Code, topic def.Topic, message func(*mesh, def.Problem) (text string, selected bool)) func(*mesh, func(Finding)) {
	return func(m *mesh, report func(Finding)) {
		for _, r := range m.resources {
			for _, p := range about(m.problems()[r.Key()], topic) {
				if text, selected := message(m, p); selected && !m.initial[r.Key()] && !m.setElsewhere(r, p.Lacks) {
					if topic == "" {
						text += m.accepts(r, p.Path)
					}
					report(c.at(r, p.Path, text, p.Detail))
				}
			}
		}
	}
}

// setElsewhere reports whether another entry of a policy sets a field, or another policy that applies to some of its proxies.
func (m *mesh) setElsewhere(p *kuma.Resource, field tree.Path) bool {
	pattern := anyIndex.ReplaceAllString(field.String(), "[]")
	return field != nil && slices.ContainsFunc(m.policies, func(other *kuma.Resource) bool {
		return other.Type == p.Type && (other == p || overlap(m.Selected(p.Key()), m.Selected(other.Key()))) &&
			slices.ContainsFunc(tree.Root(other.Document()).Find(pattern), func(n tree.Node) bool {
				return n.Known() && (other != p || tree.ComparePaths(n.Path, field) != 0)
			})
	})
}

// anyIndex matches an index in a path.
var anyIndex = regexp.MustCompile(`\[\d+\]`)

// about returns the problems of a topic. The empty topic selects those without one.
func about(problems []def.Problem, topic def.Topic) []def.Problem {
	return slices.DeleteFunc(slices.Clone(problems), func(p def.Problem) bool { return p.Topic != topic })
}
