package lint_test

import (
	"fmt"
)

// worldCase contains resources of the mesh "default" to which a condition applies, and
// others to which it does not apply. want lists the findings with their details.
type worldCase struct {
	unready string
	want    []string
	ready   string
}

var worldCases = map[string][]worldCase{
	"K3-022": {
		{
			`
type: MeshService
name: web
---
type: MeshTimeout
name: a
spec:
  to:
    - targetRef: {kind: MeshService, name: web, sectionName: http}
      default: {idleTimeout: 1s}
---
type: MeshRetry
name: b
spec:
  to:
    - targetRef:
        kind: MeshService
        labels: {kuma.io/display-name: web}
      default: {}
`,
			[]string{"MeshService web labels: Referred to by: MeshRetry b and MeshTimeout a."},
			`
type: MeshService
name: web
labels: {kuma.io/display-name: web}
---
type: MeshTimeout
name: a
spec:
  to:
    - targetRef: {kind: MeshService, name: web}
      default: {idleTimeout: 1s}
`,
		},
		{
			`
type: MeshHTTPRoute
name: r
spec: {to: []}
---
type: MeshTimeout
name: a
spec:
  to:
    - targetRef: {kind: MeshHTTPRoute, name: r}
      default: {}
`,
			[]string{"MeshHTTPRoute r labels: Referred to by: MeshTimeout a."},
			`
type: MeshHTTPRoute
name: r
spec: {to: []}
`,
		},
	},
	"K3-023": {
		{
			`{type: MeshService, name: web-new, labels: {kuma.io/display-name: web}}`,
			[]string{`MeshService web-new labels["kuma.io/display-name"]: `},
			`{type: MeshService, name: web, labels: {kuma.io/display-name: web}}
---
{type: MeshService, name: web-4dc4z4b2wcxdw652, labels: {kuma.io/display-name: web, kuma.io/zone: east}}
---
{type: MeshTrust, name: all-44vf7bc6b44c9fvc-z247xx29b5fwdwwv, labels: {kuma.io/display-name: all-44vf7bc6b44c9fvc, kuma.io/zone: east}}
---
{apiVersion: kuma.io/v1alpha1, kind: MeshTimeout, metadata: {name: web, namespace: shop}, spec: {}}`,
		},
	},
	"K3-042": {
		{
			routeOf(`backendRefs: [{kind: MeshService, name: gone, port: 80}, {kind: MeshService, labels: {version: v9}}]`),
			[]string{"MeshHTTPRoute r spec.to[0].rules[0].default.backendRefs[0]: ", "MeshHTTPRoute r spec.to[0].rules[0].default.backendRefs[1]: "},
			routeOf(`backendRefs: [{kind: MeshService, name: gone, port: 80, weight: 0}, {kind: MeshService, name: web, port: 80}, {kind: MeshServiceSubset, name: web, tags: {a: b}}]`), // K3-040
		},
		{
			routeOf(`backendRefs: [{kind: MeshMultiZoneService, labels: {a: b}}], filters: [{type: URLRewrite}]`),
			[]string{"MeshHTTPRoute r spec.to[0].rules[0].default.backendRefs[0]: "},
			routeOf(`backendRefs: [{kind: MeshMultiZoneService, labels: {a: b}}], filters: [{type: RequestRedirect}]`),
		},
		{ // a gateway of 2.14 already responds with 500
			routeOf(`backendRefs: [{kind: MeshService, name: gone, port: 80}]`),
			[]string{"MeshHTTPRoute r spec.to[0].rules[0].default.backendRefs[0]: "},
			`
type: MeshHTTPRoute
name: r
spec:
  targetRef: {kind: MeshGateway, name: gw}
  to:
    - targetRef: {kind: MeshService, name: web}
      rules:
        - matches: []
          default:
            backendRefs: [{kind: MeshService, name: gone, port: 80}]
---
type: MeshService
name: web
labels: {a: b}
spec:
  ports: [{name: http, port: 80}]
`,
		},
		{ // a tag is a destination in 2.14
			routeOf(`backendRefs: [{kind: MeshService, name: gone}]`),
			[]string{"MeshHTTPRoute r spec.to[0].rules[0].default.backendRefs[0]: "},
			routeOf(`backendRefs: [{kind: MeshService, name: old}]`) + `
---
type: Dataplane
name: old-1
networking:
  address: 192.0.2.1
  inbound:
    - port: 80
      tags: {kuma.io/service: old}
`,
		},
		{routeOf(`backendRefs: [nonsense]`), []string{"MeshHTTPRoute r spec.to[0].rules[0].default.backendRefs[0]: Destinations: MeshService \"web\"."}, routeOf(`filters: [{}]`)},
	},
	"K3-043": {
		{
			routeOf(`backendRefs: [{kind: MeshService, name: web, port: 81}]`),
			[]string{`MeshHTTPRoute r spec.to[0].rules[0].default.backendRefs[0]: Destinations: MeshService "web".`},
			routeOf(`backendRefs: [{kind: MeshService, name: web, port: 80}, {kind: MeshService, name: gone, port: 81}]`),
		},
		{
			routeOf(`backendRefs: [{kind: MeshService, labels: {a: b}, sectionName: admin}]`),
			[]string{`MeshHTTPRoute r spec.to[0].rules[0].default.backendRefs[0]: Destinations: MeshService "web".`},
			routeOf(`backendRefs: [{kind: MeshService, labels: {a: b}, sectionName: http}]`),
		},
	},
	"K3-064": {{
		`{type: MeshExternalService, name: mail, labels: {kuma.io/zone: east}}
---
{type: Zone, name: west}`,
		[]string{`MeshExternalService mail labels["kuma.io/zone"]: `},
		`{type: MeshExternalService, name: mail, labels: {kuma.io/zone: east}}
---
{type: MeshExternalService, name: other}`,
	}, {
		`{type: MeshExternalService, name: mail, labels: {kuma.io/zone: east, kuma.io/origin: global}}
---
{type: MeshExternalService, name: other, labels: {kuma.io/zone: east, kuma.io/origin: zone}}
---
{type: Zone, name: west}`,
		[]string{`MeshExternalService mail labels["kuma.io/zone"]: `},
		`{type: MeshExternalService, name: mail, labels: {kuma.io/zone: east, kuma.io/origin: zone}}
---
{type: Zone, name: west}`,
	}},
	"K3-065": {
		{
			`
type: MeshExternalService
name: mail
---
type: Dataplane
name: web-1
labels: {app: web}
---
type: Dataplane
name: db-1
labels: {app: db}
---
type: MeshIdentity
name: web
spec:
  selector:
    dataplane: {matchLabels: {app: web}}
  provider: {type: Bundled}
`,
			[]string{"Mesh default : Dataplanes: db-1."},
			`
type: MeshExternalService
name: mail
---
type: Dataplane
name: web-1
labels: {app: web}
---
type: MeshIdentity
name: web
spec:
  selector:
    dataplane: {matchLabels: {app: web}}
  provider: {type: Bundled}
`,
		},
		{
			`
type: MeshExternalService
name: mail
---
type: MeshIdentity
name: none
spec:
  selector: {dataplane: {}}
`,
			[]string{"Mesh default : "},
			`{type: Dataplane, name: web-1}`,
		},
		{
			`{type: MeshExternalService, name: mail}`,
			[]string{"Mesh default : "},
			`{type: MeshExternalService, name: mail}
---
{type: Dataplane, name: web-1}
---
{type: MeshIdentity, name: all, spec: {selector: {dataplane: {}}, provider: {type: Bundled}}}`,
		},
	},
	"K3-069": {{
		`
type: MeshService
name: web
labels: {kuma.io/managed-by: meshservice-generator}
---
type: Dataplane
name: web-1
networking:
  inbound:
    - port: 80
      tags: {kuma.io/service: web}
    - port: 81
      tags: {kuma.io/service: web}
---
type: Dataplane
name: web-2
labels: {kuma.io/workload: web}
networking:
  inbound:
    - port: 80
      tags: {kuma.io/service: web}
`,
		[]string{"MeshService web : Dataplanes: web-1."},
		`
type: MeshService
name: web
labels: {kuma.io/managed-by: meshservice-generator}
---
type: MeshService
name: own
---
type: Dataplane
name: own-1
networking:
  inbound:
    - port: 80
      tags: {kuma.io/service: own}
---
type: Dataplane
name: web-2
labels: {kuma.io/workload: web}
networking:
  inbound:
    - port: 80
      tags: {kuma.io/service: web}
`,
	}},
	"K3-070": {
		{mtls("STRICT") + everyProxy, []string{"Mesh default mtls: "}, mtls("STRICT")},
		{mtls("PERMISSIVE") + everyProxy + permissive("rules"), []string{"Mesh default mtls: "}, mtls("PERMISSIVE") + everyProxy},
		{`
type: Mesh
name: default
mtls: {backends: []}
`, []string{"Mesh default mtls: "}, `{type: Mesh, name: default}`},
	},
	"K3-071": {
		{
			mtls("STRICT") + `
---
{type: Dataplane, name: a}
---
{type: Dataplane, name: b}
---
{type: Dataplane, name: c}
---
{type: Dataplane, name: d}
---
{type: Dataplane, name: e}
---
{type: Dataplane, name: f}
---
{type: Dataplane, name: g}
`,
			[]string{"Mesh default mtls.enabledBackend: Dataplanes: a, b, c, d, e and 2 more."},
			mtls("STRICT") + "\n---\n{type: Dataplane, name: a}" + everyProxy,
		},
		{mtls("STRICT"), []string{"Mesh default mtls.enabledBackend: "}, `
type: Mesh
name: default
mtls:
  backends: [{name: ca, type: builtin}]
`},
	},
	"K3-072": {
		{mtls("PERMISSIVE"), []string{"Mesh default mtls.enabledBackend: "}, mtls("STRICT")},
		{mtls("PERMISSIVE") + permissive("from"), []string{"Mesh default mtls.enabledBackend: "}, mtls("PERMISSIVE") + permissive("rules")},
		{
			mtls("PERMISSIVE") + `
---
type: Dataplane
name: a
labels: {app: a}
networking:
  inbound: [{port: 80}]
---
type: Dataplane
name: b
networking:
  inbound: [{port: 80}]
---
type: MeshTLS
name: permissive
spec:
  targetRef:
    kind: Dataplane
    labels: {app: a}
  rules:
    - targetRef: {kind: Mesh}
      default: {mode: Permissive}
`,
			[]string{"Mesh default mtls.enabledBackend: Dataplanes: b."},
			mtls("PERMISSIVE") + `
---
type: Dataplane
name: a
networking:
  inbound: [{port: 80}]
` + permissive("rules"),
		},
	},
	"K3-201": {{
		transparent("web-1", "") + transparent("web-2", ""),
		[]string{"Dataplane web-1 networking.transparentProxying: ", "Dataplane web-2 networking.transparentProxying: "},
		transparent("web-1", "reachableBackends: {}") + transparent("web-2", "reachableServices: [db]") + `
---
type: Dataplane
name: web-3
networking:
  transparentProxying: {redirectPortOutbound: 15001}
  outbound: [{port: 80, backendRef: {kind: MeshService, labels: {a: b}, port: 80}}]
---
{type: Dataplane, name: web-4, networking: {address: 10.0.0.1}}
`,
	}},
	"K3-202": {
		{
			"{type: Mesh, name: default}" + transparent("web-1", "") + transparent("web-2", "") + `
---
type: MeshPassthrough
name: web-1
spec:
  targetRef: {kind: Dataplane, labels: {app: web-1}}
  default: {passthroughMode: All}
`,
			[]string{"Mesh default networking: Dataplanes: web-2."},
			"{type: Mesh, name: default}" + transparent("web-1", "") + passthroughAll(""),
		},
		{
			"{type: Mesh, name: default}" + transparent("web-1", "") + passthroughAll("labels: {kuma.io/effect: shadow}"),
			[]string{"Mesh default networking: Dataplanes: web-1."},
			"{type: Mesh, name: default, networking: {outbound: {passthrough: false}}}" + transparent("web-1", "") + "\n---\n{type: Dataplane, name: web-2}",
		},
	},
	"K3-203": {
		{ // a rule for the rest in another route is enough, for the proxies that have it
			onService("all", "{kind: Dataplane, labels: {app: web-2}}", "{path: {type: PathPrefix, value: /}}") + onService("cart", "{kind: Mesh}", "{path: {type: PathPrefix, value: /cart}}"),
			[]string{`MeshHTTPRoute cart spec.to[0].rules: Proxies: web-1. Destinations: MeshService "db".`},
			onService("all", "{kind: Mesh}", "{path: {type: PathPrefix, value: /}}") + onService("cart", "{kind: Mesh}", "{path: {type: PathPrefix, value: /cart}}"),
		},
		{
			onService("cart", "{kind: Mesh}", "{method: GET, path: {type: PathPrefix, value: /}}"),
			[]string{`MeshHTTPRoute cart spec.to[0].rules: Proxies: web-1 and web-2. Destinations: MeshService "db".`},
			onService("cart", "{kind: Mesh}", "{method: GET}, {}"),
		},
		{ // without proxies, each route is judged alone
			"{type: MeshHTTPRoute, name: r, spec: {to: [{targetRef: {kind: MeshService, labels: {a: b}}, rules: [{matches: [{path: {type: Exact, value: /}}], default: {}}]}]}}",
			[]string{"MeshHTTPRoute r spec.to[0].rules: "},
			"{type: MeshHTTPRoute, name: r, spec: {to: [{targetRef: {kind: MeshService, labels: {a: b}}, rules: [{matches: [{method: GET}], default: {}}, {matches: [{}], default: {}}]}]}}",
		},
	},
	"K3-217": {
		{
			routeOf(`backendRefs: [{kind: MeshService, labels: {a: b}}]`) + "\n---\n{type: MeshService, name: web-2, labels: {a: b}}",
			[]string{"MeshHTTPRoute r spec.to[0].rules[0].default.backendRefs[0]: Matches: web and web-2."},
			routeOf(`backendRefs: [{kind: MeshService, labels: {a: b}}]`),
		},
		{
			`
type: Dataplane
name: a
networking:
  outbound: [{port: 80, backendRef: {kind: MeshService, labels: {a: b}, port: 80}}]
---
{type: MeshService, name: web, labels: {a: b}}
---
{type: MeshService, name: web-2, labels: {a: b}}`,
			[]string{"Dataplane a networking.outbound[0].backendRef: Matches: web and web-2."},
			`
type: Dataplane
name: a
networking:
  outbound: [{port: 80, backendRef: {kind: MeshService, labels: {a: b}, port: 80}}]
---
{type: MeshService, name: web, labels: {a: b}}`,
		},
	},
	"K3-218": {
		{
			`
{type: Dataplane, name: web-1, networking: {inbound: [{port: 80}]}}
---
{type: Dataplane, name: own-1, labels: {app: own}, networking: {inbound: [{port: 80}]}}
---
{type: MeshService, name: own, spec: {selector: {dataplaneLabels: {matchLabels: {app: own}}}}}
`,
			[]string{"Dataplane web-1 labels: "},
			`
{type: Dataplane, name: web-1, labels: {kuma.io/workload: web}, networking: {inbound: [{port: 80}]}}
---
{type: Dataplane, name: own-1, labels: {app: own}, networking: {inbound: [{port: 80}]}}
---
{type: MeshService, name: own, spec: {selector: {dataplaneLabels: {matchLabels: {app: own}}}}}
---
{type: Dataplane, name: ingress, networking: {listeners: [{type: ZoneIngress, port: 10001}]}}
`,
		},
		{ // the identity requires it
			`
{type: Dataplane, name: own-1, labels: {app: own}, networking: {inbound: [{port: 80}]}}
---
{type: MeshService, name: own, spec: {selector: {dataplaneLabels: {matchLabels: {app: own}}}}}` + everyProxy,
			[]string{"Dataplane own-1 labels: "},
			`
{type: Dataplane, name: own-1, labels: {app: own}, networking: {inbound: [{port: 80}]}}
---
{type: MeshService, name: own, spec: {selector: {dataplaneLabels: {matchLabels: {app: own}}}}}
---
{type: MeshIdentity, name: all, spec: {provider: {type: Bundled}, selector: {dataplane: {matchLabels: {}}}, spiffeID: {path: /all}}}`,
		},
	},
	"K3-221": {{
		"{type: Mesh, name: default}\n---\n{type: MeshRetry, name: mesh-retry-all-default, spec: {}}",
		[]string{"MeshRetry mesh-retry-all-default : "},
		"{type: Mesh, name: default}\n---\n{type: MeshRetry, name: mesh-retry-all-default, spec: {}}\n---\n{type: MeshRetry, name: own, spec: {}}",
	}},
	"K3-103": {{
		`{type: MeshService, name: web, labels: {kuma.io/zone: east}}
---
{type: MeshService, name: web-4dc4z4b2wcxdw652, labels: {kuma.io/zone: west, kuma.io/display-name: web}}
---
{type: MeshZoneAddress, name: west, labels: {kuma.io/zone: west}, spec: {address: 10.0.0.1, port: 10001}}`,
		[]string{"Mesh default : Zone: east."},
		`{type: MeshService, name: web, labels: {kuma.io/zone: east}}
---
{type: MeshService, name: db, labels: {kuma.io/zone: east}}`,
	}},
	"K3-120": {{
		`{type: MeshTimeout, name: a, labels: {kuma.io/origin: global}, spec: {}}
---
{type: Dataplane, name: web-1}`,
		[]string{`MeshTimeout a labels["kuma.io/origin"]: `},
		`{type: MeshTimeout, name: a-4dc4z4b2wcxdw652, labels: {kuma.io/origin: global, kuma.io/display-name: a}, spec: {}}
---
{type: Dataplane, name: web-1}`,
	}, {
		`{type: MeshTimeout, name: a, labels: {kuma.io/origin: global}, spec: {}}
---
{type: MeshService, name: web}`,
		[]string{`MeshTimeout a labels["kuma.io/origin"]: `},
		`{type: MeshTimeout, name: a, labels: {kuma.io/origin: global}, spec: {}}
---
{type: MeshService, name: web-4dc4z4b2wcxdw652, labels: {kuma.io/origin: zone, kuma.io/display-name: web}}`,
	}},
}

const everyProxy = `
---
type: MeshIdentity
name: all
spec:
  provider: {type: Bundled}
  selector:
    dataplane: {matchLabels: {}}
`

// transparent returns a Dataplane whose traffic is redirected.
func transparent(name, more string) string {
	return fmt.Sprintf(`
---
type: Dataplane
name: %[1]s
labels: {app: %[1]s}
networking:
  address: 10.0.0.1
  inbound: [{port: 80}]
  transparentProxying:
    redirectPortInbound: 15006
    redirectPortOutbound: 15001
    %s
`, name, more)
}

func passthroughAll(labels string) string {
	return fmt.Sprintf(`
---
type: MeshPassthrough
name: all
%s
spec:
  default: {passthroughMode: All}
`, labels)
}

// onService returns a route to a service with one rule, the service, and two proxies.
func onService(name, top, matches string) string {
	return fmt.Sprintf(`
---
{type: Dataplane, name: web-1, labels: {app: web-1}, networking: {inbound: [{port: 80}]}}
---
{type: Dataplane, name: web-2, labels: {app: web-2}, networking: {inbound: [{port: 80}]}}
---
{type: MeshService, name: db, labels: {kuma.io/display-name: db}, spec: {ports: [{port: 80, appProtocol: http}]}}
---
type: MeshHTTPRoute
name: %s
spec:
  targetRef: %s
  to:
    - targetRef: {kind: MeshService, labels: {kuma.io/display-name: db}}
      rules:
        - matches: [%s]
          default: {}
`, name, top, matches)
}

func mtls(mode string) string {
	return fmt.Sprintf(`
type: Mesh
name: default
mtls:
  enabledBackend: ca
  backends:
    - name: ca
      type: builtin
      mode: %s
`, mode)
}

func permissive(section string) string {
	return fmt.Sprintf(`
---
type: MeshTLS
name: permissive
spec:
  %s:
    - targetRef: {kind: Mesh}
      default: {mode: Permissive}
`, section)
}

// routeOf returns a route with one rule, and a service as its destination.
func routeOf(conf string) string {
	return fmt.Sprintf(`
type: MeshService
name: web
labels: {a: b}
spec:
  ports: [{name: http, port: 80}]
---
type: MeshHTTPRoute
name: r
spec:
  to:
    - targetRef: {kind: MeshService, name: web}
      rules:
        - matches: []
          default: {%s}
`, conf)
}
