package kinds_test

import (
	"slices"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestOneFindingForOneMistake checks that a document for Kuma 3.0 has one problem for each
// mistake, on the field that has to change: those of 2.x about the same place, or about
// what 3.0 removed, are not repeated.
func TestOneFindingForOneMistake(t *testing.T) {
	t.Parallel()
	outbound := func(fields string) string {
		return "{type: Dataplane, mesh: default, name: a, networking: {address: 10.0.0.1, outbound: [{port: 80, " + fields + "}]}}"
	}
	timeout := func(ref string) string {
		return "{type: MeshTimeout, mesh: default, name: a, spec: {to: [{targetRef: " + ref + ", default: {idleTimeout: 1s}}]}}"
	}
	const out, ref = "networking.outbound[0].", "spec.to[0].targetRef."
	for name, test := range map[string]struct {
		document string
		want     []string
	}{
		"outbound by tags":            {outbound("tags: {kuma.io/service: web}"), []string{out + "tags"}},
		"outbound to nothing":         {outbound("address: 127.0.0.1"), []string{out + "backendRef"}},
		"outbound by tags, too":       {outbound("tags: {kuma.io/service: web}, backendRef: {kind: MeshService, labels: {a: b}, port: 80}"), []string{out + "tags"}},
		"empty backendRef":            {outbound("backendRef: {}"), []string{out + "backendRef", out + "backendRef.kind", out + "backendRef.port"}},
		"neither name nor labels":     {timeout("{kind: MeshService}"), []string{ref + "labels"}},
		"empty labels":                {timeout("{kind: MeshService, labels: {}}"), []string{ref + "labels"}},
		"name":                        {timeout("{kind: MeshService, name: a}"), []string{ref + "name"}},
		"name and labels":             {timeout("{kind: MeshService, name: a, labels: {a: b}}"), []string{ref + "name"}},
		"name of services everywhere": {timeout("{kind: MeshMultiZoneService, name: a}"), []string{ref + "name"}},
		"removed kind":                {timeout("{kind: MeshServiceSubset}"), []string{ref + "kind"}},
		"removed kind with its tags":  {timeout("{kind: MeshServiceSubset, name: a, tags: {a: b}}"), []string{ref + "kind"}},
		"expression for a client":     {"{type: MeshTrafficPermission, mesh: default, name: a, spec: {rules: [{default: {allow: [{spiffeID: {type: RegularExpression, value: 'spiffe://.*'}}]}}]}}", []string{"spec.rules[0].default.allow[0].spiffeID.type"}},
		"misspelled operation":        {"{type: MeshProxyPatch, mesh: default, name: a, spec: {default: {appendModifications: [{cluster: {operation: Patch, jsonPatches: [{op: ad, path: /a, value: 1}]}}]}}}", []string{"spec.default.appendModifications[0].cluster.jsonPatches[0].op"}},
		"copies without a port":       {"{type: MeshHTTPRoute, mesh: default, name: a, spec: {to: [{targetRef: {kind: MeshService, labels: {a: b}}, rules: [{matches: [{}], default: {filters: [{type: RequestMirror, requestMirror: {backendRef: {kind: MeshMultiZoneService, labels: {a: b}}}}]}}]}]}}", []string{"spec.to[0].rules[0].default.filters[0].requestMirror.backendRef.port"}},
		"from":                        {"{type: MeshTimeout, mesh: default, name: a, spec: {from: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]}}", []string{"spec.from"}},
		"old certificate":             {"{type: MeshExternalService, mesh: default, name: a, spec: {match: {port: 80}, tls: {verification: {caCert: {inline: YQ==}}}}}", []string{"spec.tls.verification.caCert.inline"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := testworld.Document(t, test.document)
			if got := paths(kind(t, doc).ValidateIn(doc, kuma.ParseRelease("3.0.1"))); !slices.Equal(got, test.want) {
				t.Errorf("problems at %q, want %q", got, test.want)
			}
		})
	}
}

// TestMessages checks the texts of problems that advised what does not help.
func TestMessages(t *testing.T) {
	t.Parallel()
	route := func(rule string) string {
		return "{type: MeshHTTPRoute, mesh: default, name: a, spec: {to: [{targetRef: {kind: MeshService, labels: {a: b}}, rules: [" + rule + "]}]}}"
	}
	for name, test := range map[string]struct{ document, want string }{
		"name of a mesh":           {"{type: MeshTimeout, mesh: default, name: a, spec: {to: [{targetRef: {kind: Mesh, name: a}, default: {idleTimeout: 1s}}]}}", "A reference of kind Mesh needs only kind. Remove name, or use another kind."},
		"number of a status":       {route("{matches: [{method: GET}], default: {filters: [{type: RequestRedirect, requestRedirect: {statusCode: 200}}]}}"), "200 is not a valid value of statusCode. Valid values: 301, 302, 303, 307 and 308."},
		"header with a space":      {route("{matches: [{headers: [{name: x y, type: Present}]}], default: {}}"), `"x y" is not a valid value. A header name must consist of lowercase letters, digits and marks such as "-".`},
		"rules for the whole mesh": {"{type: MeshRateLimit, mesh: default, name: a, spec: {rules: [{default: {local: {http: {requestRate: {num: 1, interval: 1s}}}}}]}}", `The policy selects gateways, as every policy for the whole mesh does, and "rules" does not apply to them. To select only sidecars, set targetRef to the kind Dataplane, without labels for all of them. For gateways, use "to".`},
		"URL as a domain":          {"{type: MeshPassthrough, mesh: default, name: a, spec: {default: {passthroughMode: Matched, appendMatch: [{type: Domain, value: 'https://api.example', protocol: tls, port: 443}]}}}", `"https://api.example" is not a valid domain. It must be a host name, in which "*" can only be the whole first part, as in "*.example.com". For an address, use the type IP. Use "api.example", without scheme, port and path.`},
		"port without a target":    {"{type: MeshService, mesh: default, name: a, spec: {selector: {dataplaneLabels: {matchLabels: {a: b}}}, ports: [{port: 80, appProtocol: http}]}}", "Without targetPort, which has no default, no inbound is behind the port, and requests fail. Set it to the number or name of the inbound."},
		"missing address":          {"{type: Dataplane, mesh: default, name: a, networking: {inbound: [{port: 80}]}}", "address is required here: IP address or host name under which other proxies reach this one."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := testworld.Document(t, test.document)
			problems := append(kind(t, doc).Validate(doc), kind(t, doc).ValidateDesign(doc, kuma.Newest2())...)
			if len(problems) != 1 || problems[0].Detail != test.want {
				t.Errorf("got %v, want %q", problems, test.want)
			}
		})
	}
}
