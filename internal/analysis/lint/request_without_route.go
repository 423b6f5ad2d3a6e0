package lint

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

var requestWithoutRoute = Code{
	Code: "request-without-route", Severity: Warning, Since: "3.0", Title: "Requests that no route takes",
	Fix: "Add a rule for the path prefix `/`",
	Doc: "Kuma 3.0 answers a request to a service with routes with 404 if no rule matches, and with 500 if the rule has `backendRefs = []`. All routes for a proxy and a destination count together. Kuma 2.14 sends such requests to the service that was called. Stated for 3.0.1, not measured.",
}

func findRequestWithoutRoute(m *mesh, report func(Finding)) {
	if !m.Release().Has(requestWithoutRoute.Since) {
		return
	}
	for _, p := range findWithoutRest(m) {
		route := m.Resource(p.resource)
		f := requestWithoutRoute.at(route, p.Path,
			"Requests that none of the rules match are answered with 404.",
			"Add a rule for the path prefix / with the service that was called in backendRefs, or ignore the finding if these requests are not allowed.").on(len(m.Selected(p.resource)))
		f.Detail = p.detail
		report(f)
	}
	for _, route := range m.ofKind(kuma.KindMeshHTTPRoute) {
		for _, rule := range httpRules(route) {
			backends := rule.Get("default", "backendRefs")
			empty, ok := backends.Value().([]any)
			if !ok || len(empty) > 0 || slices.ContainsFunc(rule.Find("default.filters[].type"), isRedirect) {
				continue
			}
			report(requestWithoutRoute.at(route, backends.Path,
				"Requests that the rule matches are answered with 500, because it has an empty list of destinations.",
				"Add a destination, or remove backendRefs to send the requests to the service that was called.").on(len(m.Selected(route.Key()))))
		}
	}
}
