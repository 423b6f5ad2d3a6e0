package kinds_test

// dataplane returns a Dataplane with more fields of networking.
func dataplane(more string) string {
	return `{type: Dataplane, name: web, networking: {address: 10.0.0.1, ` + more + `}}`
}

// external returns a MeshExternalService with more fields.
func external(more string) string {
	return `{type: MeshExternalService, name: pay, spec: {match: {port: 443}, ` + more + `}}`
}

func generator(template string) string {
	return `{type: HostnameGenerator, name: a, spec: {selector: {meshService: {}}, template: '` + template + `'}}`
}

func gateway(listeners string) string {
	return `{type: MeshGateway, name: edge, selectors: [{match: {kuma.io/service: edge}}], conf: {listeners: [` + listeners + `]}}`
}

func identity(provider string) string {
	return `{type: MeshIdentity, name: a, spec: {provider: {` + provider + `}}}`
}

// passthrough returns a MeshPassthrough with entries in appendMatch.
func passthrough(matches string) string {
	return `{type: MeshPassthrough, name: web, spec: {default: {appendMatch: [` + matches + `]}}}`
}

// proxyPatch returns a MeshProxyPatch with one modification.
func proxyPatch(modification string) string {
	return `{type: MeshProxyPatch, name: web, spec: {default: {appendModifications: [{` + modification + `}]}}}`
}

// metrics returns a MeshMetric with one backend of type OpenTelemetry.
func metrics(settings string) string {
	return `{type: MeshMetric, name: web, spec: {default: {backends: [{type: OpenTelemetry, ` + settings + `}]}}}`
}

// traces returns a MeshTrace with one backend.
func traces(backend string) string {
	return `{type: MeshTrace, name: web, spec: {default: {backends: [{` + backend + `}]}}}`
}
