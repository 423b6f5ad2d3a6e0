package lint

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
)

// This file reports what the descriptions of the kinds find in a document on its
// own.

var deprecated = Code{
	Code: "deprecated", Severity: Info, Title: "Deprecated field or reference",
	Doc: "The document uses what Kuma has deprecated, such as `from` or a top-level reference of kind MeshSubset. It works as before, until a later release refuses or ignores it. The control plane warns of some of these when it stores the document.",
}

func findDeprecated(m *mesh) []Finding {
	var findings []Finding
	for _, r := range m.resources {
		if m.initial[r.Key()] {
			continue
		}
		k, _ := kinds.Find(r.Type)
		for _, p := range k.Deprecations(k.WithoutServerOwned(*r).Document(), m.problems[r.Key()]) {
			findings = append(findings, deprecated.at(r, p.Path, p.Summary+". It still works, but a later release of Kuma removes it.", p.Detail))
		}
	}
	return findings
}

var harmful = Code{
	Code: "harmful", Severity: Error, Title: "Setting that breaks traffic or a proxy",
	Doc: "The control plane stores the document, but Envoy refuses the result, or traffic is lost. Examples are weights that are all zero and a regular expression that does not compile. The provider refuses the same when planning its own resources, unless `policy_checks` says otherwise.",
}

func findHarmful(m *mesh) []Finding {
	return m.reportProblems(harmful, "", func(p def.Problem) (string, bool) {
		return p.Summary + ". The control plane stores it nevertheless.", !p.Warning
	})
}

var questionable = Code{
	Code: "questionable", Severity: Warning, Title: "Setting with no or unintended effect",
	Doc: "The control plane stores the document, but a setting has no effect or an unintended one, such as a rate limit that answers with a status of success, or a service without ports.",
}

func findQuestionable(m *mesh) []Finding {
	return m.reportProblems(questionable, "", func(p def.Problem) (string, bool) {
		return p.Summary + ". The control plane stores it nevertheless.", p.Warning
	})
}

var ignoredOnRoute = Code{
	Code: "no-effect-on-route", Severity: Error, Title: "Setting without effect on a route",
	Doc: "An entry for a route sets what proxies only look at for a whole service. The control plane stores it, and traffic on the route does not get it.",
}

func findIgnoredOnRoute(m *mesh) []Finding {
	return m.reportProblems(ignoredOnRoute, def.IgnoredOnRoute, func(p def.Problem) (string, bool) {
		return p.Summary + ": it is stored, and traffic on the route does not get it.", true
	})
}

var severalDestinations = Code{
	Code: "several-destinations", Severity: Warning, Title: "Route with several entries in `to`",
	Doc: "A route has more than one entry in `to`. Settings for the route then mean the traffic to all of its destinations, and cannot tell them apart. This is deprecated, and refused to policies of producers and consumers.",
}

func findSeveralDestinations(m *mesh) []Finding {
	return m.reportProblems(severalDestinations, def.SeveralDestinations, func(def.Problem) (string, bool) {
		return "The route has several destinations. Policies that refer to the route apply to the traffic to all of them, and cannot tell them apart.", true
	})
}

var portlessBackend = Code{
	Code: "backend-without-port", Severity: Warning, Title: "Destination of a route without a port",
	Doc: "A `backendRef` of kind MeshService has neither `port` nor `sectionName`. Its name is then read as a value of the tag `kuma.io/service`, even where there is a MeshService of that name; in a mesh that uses services exclusively as MeshService, the route drops it.",
}

func findPortlessBackend(m *mesh) []Finding {
	return m.reportProblems(portlessBackend, def.PortlessBackend, func(def.Problem) (string, bool) {
		if m.Exclusive(m.name) {
			return "The destination has no port. It is read as a value of the tag kuma.io/service, which this mesh does not use any more: the rule is dropped.", true
		}
		return "The destination has no port. It is read as a value of the tag kuma.io/service, even if there is a MeshService of that name.", true
	})
}

// reportProblems turns the problems about a topic into findings, those with a
// message that are meant.
func (m *mesh) reportProblems(c Code, topic def.Topic, message func(def.Problem) (text string, meant bool)) []Finding {
	var findings []Finding
	for _, r := range m.resources {
		for _, p := range about(m.problems[r.Key()], topic) {
			if text, meant := message(p); meant && !m.initial[r.Key()] {
				findings = append(findings, c.at(r, p.Path, text, p.Detail))
			}
		}
	}
	return findings
}

// about returns the problems about a topic; the empty one is that of those
// without any.
func about(problems []def.Problem, topic def.Topic) []def.Problem {
	return slices.DeleteFunc(slices.Clone(problems), func(p def.Problem) bool { return p.Topic != topic })
}
