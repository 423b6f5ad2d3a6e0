package envoy

import (
	"net/netip"
	"testing"

	rbac "github.com/envoyproxy/go-control-plane/envoy/config/rbac/v3"
	filter "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/rbac/v3"
)

// web has a certificate of the mesh, which has several names.
var web = peer{
	encrypted: true, tls: true, http: true, serverName: "api.80.m.ms",
	names:        []string{"spiffe://m/web", "kuma://kuma.io/service/web"},
	address:      netip.MustParseAddr("10.0.0.7"),
	local:        netip.MustParseAddrPort("10.0.1.1:9000"),
	request:      Request{Method: "GET", Path: "/v2", Host: "api", Headers: map[string]string{"a": "b"}},
	filterStates: map[string]string{"id": "spiffe://td/web"},
}

func TestPrincipals(t *testing.T) {
	t.Parallel()
	for principal, want := range map[string]bool{
		`{"any": true}`: true,
		`{"authenticated": {"principalName": {"exact": "spiffe://m/web"}}}`:                            true,
		`{"authenticated": {"principalName": {"exact": "kuma://kuma.io/service/web"}}}`:                true,
		`{"authenticated": {"principalName": {"exact": "spiffe://m/web,kuma://kuma.io/service/web"}}}`: false,
		`{"authenticated": {"principalName": {"exact": "spiffe://m/we"}}}`:                             false,
		`{"authenticated": {"principalName": {"prefix": "spiffe://m/"}}}`:                              true,
		`{"authenticated": {"principalName": {"prefix": "spiffe://M/"}}}`:                              false,
		`{"authenticated": {}}`: true,
		`{"notId": {"authenticated": {"principalName": {"exact": "spiffe://m/web"}}}}`: false,
		`{"andIds": {"ids": [{"any": true}, {"notId": {"any": true}}]}}`:               false,
		`{"orIds": {"ids": [{"notId": {"any": true}}, {"any": true}]}}`:                true,
		`{"orIds": {"ids": [{"authenticated": {"principalName": {"exact": "x"}}}]}}`:   false,
		`{"directRemoteIp": {"addressPrefix": "10.0.0.0", "prefixLen": 24}}`:           true,
		`{"directRemoteIp": {"addressPrefix": "10.0.0.8", "prefixLen": 32}}`:           false,
		`{"header": {"name": "A", "stringMatch": {"exact": "b"}}}`:                     true,
		`{"urlPath": {"path": {"exact": "/v2/"}}}`:                                     false,
		`{"filterState": {"key": "id", "stringMatch": {"prefix": "spiffe://td"}}}`:     true,
		`{"filterState": {"key": "other", "stringMatch": {"prefix": ""}}}`:             false,
	} {
		got, err := web.principal(message(t, &rbac.Principal{}, principal))
		if err != nil || got != want {
			t.Errorf("%s: %t, %v, want %t", principal, got, err, want)
		}
	}
	if ok, _ := (peer{}).principal(message(t, &rbac.Principal{}, `{"authenticated": {}}`)); ok {
		t.Error("a client without a certificate is authenticated")
	}
	if _, err := web.principal(message(t, &rbac.Principal{}, `{"metadata": {}}`)); err == nil {
		t.Error("a principal that is not evaluated is not an error")
	}
}

func TestPermissions(t *testing.T) {
	t.Parallel()
	for permission, want := range map[string]bool{
		`{"any": true}`:             true,
		`{"destinationPort": 9000}`: true,
		`{"destinationPort": 900}`:  false,
		`{"destinationPortRange": {"start": 9000, "end": 9001}}`:                          true,
		`{"destinationPortRange": {"start": 8000, "end": 9000}}`:                          false,
		`{"destinationIp": {"addressPrefix": "10.0.1.0", "prefixLen": 24}}`:               true,
		`{"destinationIp": {"addressPrefix": "10.0.2.0", "prefixLen": 24}}`:               false,
		`{"requestedServerName": {"exact": "api.80.m.ms"}}`:                               true,
		`{"requestedServerName": {"suffix": ".mes"}}`:                                     false,
		`{"header": {"name": ":method", "stringMatch": {"exact": "POST"}}}`:               false,
		`{"urlPath": {"path": {"prefix": "/v"}}}`:                                         true,
		`{"notRule": {"any": true}}`:                                                      false,
		`{"andRules": {"rules": [{"any": true}, {"destinationPort": 9000}]}}`:             true,
		`{"andRules": {"rules": [{"any": true}, {"destinationPort": 9001}]}}`:             false,
		`{"orRules": {"rules": [{"destinationPort": 9001}, {"notRule": {"any": true}}]}}`: false,
	} {
		got, err := web.permission(message(t, &rbac.Permission{}, permission))
		if err != nil || got != want {
			t.Errorf("%s: %t, %v, want %t", permission, got, err, want)
		}
	}
}

func TestPermit(t *testing.T) {
	t.Parallel()
	action := func(action, name string) string {
		return `{"action": {"name": "a", "typedConfig": {"@type": "type.googleapis.com/envoy.config.rbac.v3.Action", "action": "` + action + `", "name": "` + name + `"}}}`
	}
	uri := func(match string) string {
		return `{"singlePredicate": {"input": {"name": "uri", "typedConfig": {"@type": "type.googleapis.com/envoy.extensions.matching.common_inputs.ssl.v3.UriSanInput"}}, "valueMatch": ` + match + `}}`
	}
	on := func(predicate, action string) string {
		return `{"predicate": ` + predicate + `, "onMatch": ` + action + `}`
	}
	matcher := func(noMatch string, matchers string) string {
		return `{"matcher": {"matcherList": {"matchers": [` + matchers + `]}, "onNoMatch": ` + noMatch + `}}`
	}
	policy := func(principal string) string {
		return `{"permissions": [{"any": true}], "principals": [` + principal + `]}`
	}
	isWeb, isAPI := `{"authenticated": {"principalName": {"exact": "spiffe://m/web"}}}`, `{"authenticated": {"principalName": {"exact": "spiffe://m/api"}}}`
	all := `{"prefix": "spiffe://m"}`
	for _, tt := range []struct {
		name, filter string
		allowed      bool
		policy       string
	}{
		{"allowed by a policy", `{"rules": {"policies": {"p": ` + policy(isWeb) + `}}}`, true, "p"},
		{"no policy allows", `{"rules": {"policies": {"p": ` + policy(isAPI) + `}}}`, false, ""},
		{"no policies", `{"rules": {}}`, false, ""},
		{"denied by a policy", `{"rules": {"action": "DENY", "policies": {"p": ` + policy(isWeb) + `}}}`, false, "p"},
		{"no policy denies", `{"rules": {"action": "DENY", "policies": {"p": ` + policy(isAPI) + `}}}`, true, ""},
		{"logged", `{"rules": {"action": "LOG", "policies": {"p": ` + policy(isAPI) + `}}}`, true, ""},
		{"first policy by name", `{"rules": {"policies": {"b": ` + policy(isWeb) + `, "a": ` + policy(`{"any": true}`) + `}}}`, true, "a"},
		{"first match denies", matcher(action("DENY", "default"), on(uri(all), action("DENY", "d"))+","+on(uri(all), action("ALLOW", "a"))), false, "d"},
		{"first match allows", matcher(action("DENY", "default"), on(uri(all), action("ALLOW", "a"))+","+on(uri(all), action("DENY", "d"))), true, "a"},
		{"no match", matcher(action("DENY", "default"), on(uri(`{"prefix": "spiffe://td"}`), action("ALLOW", "a"))), false, "default"},
		{"no match without an action", `{"matcher": {"matcherList": {"matchers": [` + on(uri(`{"exact": "x"}`), action("ALLOW", "a")) + `]}}}`, false, ""},
		{"exact name of a certificate with several", matcher(action("DENY", "default"), on(uri(`{"exact": "spiffe://m/web"}`), action("ALLOW", "a"))), false, "default"},
		{"all names of a certificate", matcher(action("DENY", "default"), on(uri(`{"exact": "spiffe://m/web,kuma://kuma.io/service/web"}`), action("ALLOW", "a"))), true, "a"},
		{"not", matcher(action("DENY", "default"), on(`{"notMatcher": `+uri(`{"exact": "x"}`)+`}`, action("ALLOW", "a"))), true, "a"},
		{"or", matcher(action("DENY", "default"), on(`{"orMatcher": {"predicate": [`+uri(`{"exact": "x"}`)+`,`+uri(all)+`]}}`, action("ALLOW", "a"))), true, "a"},
		{"and", matcher(action("DENY", "default"), on(`{"andMatcher": {"predicate": [`+uri(`{"exact": "x"}`)+`,`+uri(all)+`]}}`, action("ALLOW", "a"))), false, "default"},
		{"nested", matcher(action("DENY", "default"), on(uri(all), `{"matcher": {"matcherList": {"matchers": [`+on(uri(`{"prefix": "spiffe://m/web"}`), action("ALLOW", "n"))+`]}}}`)), true, "n"},
	} {
		got, err := permit(message(t, &filter.RBAC{}, tt.filter), web)
		if err != nil || got == nil || got.Allowed != tt.allowed || got.Policy != tt.policy || got.Shadow != nil {
			t.Errorf("%s: %+v, %v, want %t by %q", tt.name, got, err, tt.allowed, tt.policy)
		}
	}
	if got, err := permit(&filter.RBAC{}, web); got != nil || err != nil {
		t.Errorf("a filter without rules: %+v, %v", got, err)
	}
	shadowed := message(t, &filter.RBAC{}, `{"rules": {"policies": {"p": `+policy(isWeb)+`}}, "shadowRules": {"action": "DENY", "policies": {"s": `+policy(isWeb)+`}}}`)
	if got, err := permit(shadowed, web); err != nil || !got.Allowed || *got.Shadow != (Shadow{Allowed: false, Policy: "s"}) {
		t.Errorf("shadow rules: %+v, %v", got, err)
	}
	anonymous := matcher(action("DENY", "default"), on(uri(`{"prefix": ""}`), action("ALLOW", "a")))
	if got, err := permit(message(t, &filter.RBAC{}, anonymous), peer{http: true}); err != nil || got.Allowed {
		t.Errorf("a client without a certificate: %+v, %v", got, err)
	}
}

var addrPort = netip.MustParseAddrPort
