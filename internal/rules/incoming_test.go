package rules_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// The worlds of these tests were stored in a control plane 2.14.3, and the
// expected settings read from the Envoy configuration that it generates
// (matching.md §7.4, §7.5).

const web = `
type: Dataplane
name: web
labels: {app: web}
networking:
  address: 127.0.0.1
  inbound:
    - {port: 9000, name: http, tags: {kuma.io/service: web}}
`

// meshWith returns a Mesh with mutual TLS, without it, or in mode Exclusive.
func meshWith(settings string) string { return "type: Mesh\nname: default\n" + settings }

const (
	mutualTLS = "mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}\n"
	exclusive = "meshServices: {mode: Exclusive}\n"
)

// identityFor returns a MeshIdentity for Dataplanes with the labels.
func identityFor(labels string) string {
	return fmt.Sprintf("type: MeshIdentity\nname: identity\nspec: {selector: {dataplane: {matchLabels: %s}}, spiffeID: {trustDomain: td}, provider: {type: Spire, spire: {}}}\n", labels)
}

// policy returns a document of a policy.
func policy(kind, name, spec string) string {
	return fmt.Sprintf("type: %s\nname: %s\nspec: %s\n", kind, name, spec)
}

// incoming formats what a proxy does with the policies of a type: for each
// inbound the rules, `from`, what is ignored, and the access.
func incoming(t *testing.T, policyType string, documents ...string) []string {
	t.Helper()
	r, err := snapshotOf(t, documents...).Rules("default", "web", policyType)
	testworld.NoError(t, err)
	var out []string
	for _, in := range r.Incoming() {
		for _, rule := range in.Rules {
			match := "all"
			if rule.Match != nil {
				match = compact(rule.Match)
			}
			out = append(out, fmt.Sprintf("%s | %s | %s", match, compact(rule.Merge()), entriesIn(rule.Entries())))
		}
		for _, rule := range in.From {
			out = append(out, fmt.Sprintf("from %s | %s", compact(rule.Matchers), compact(rule.Merge())))
		}
		if by := in.Ignored; by != nil {
			out = append(out, fmt.Sprintf("ignores %v because of %v, identity %t", by.Policies, by.By, by.Identity))
		}
		for _, admitted := range in.Admitted {
			out = append(out, fmt.Sprintf("admits %s in spite of %v", rules.Peers(admitted.Matchers), admitted.Denier()))
		}
		if in.Access != "" {
			out = append(out, "access: "+string(in.Access))
		}
	}
	return out
}

func TestIncomingCombinesFromAndRulesByPrecedence(t *testing.T) {
	old := policy("MeshTimeout", "old", `{targetRef: {kind: Dataplane, labels: {app: web}}, from: [{targetRef: {kind: Mesh}, default: {connectionTimeout: 12s, idleTimeout: 100s}}]}`)
	ruled := `rules: [{default: {connectionTimeout: 11s}}]}`
	for name, c := range map[string]struct{ newer, want string }{
		"rules win":  {`{targetRef: {kind: Dataplane, labels: {app: web}, sectionName: http}, ` + ruled, `all | {"connectionTimeout":"11s","idleTimeout":"100s"} | old#0 new#0`},
		"from wins":  {`{` + ruled, `all | {"connectionTimeout":"12s","idleTimeout":"100s"} | new#0 old#0`},
		"only rules": {"", `all | {"connectionTimeout":"12s","idleTimeout":"100s"} | old#0`},
	} {
		t.Run(name, func(t *testing.T) {
			documents := []string{meshWith(""), web, old}
			if c.newer != "" {
				documents = append(documents, policy("MeshTimeout", "new", c.newer))
			}
			if diff := cmp.Diff([]string{c.want}, incoming(t, "MeshTimeout", documents...)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestIncomingMergesByMatch(t *testing.T) {
	rule := func(name, top, match, conf string) string {
		return policy("MeshTimeout", name, fmt.Sprintf("{%s rules: [{matches: [%s], default: {http: {%s}}}]}", top, match, conf))
	}
	dataplane := "targetRef: {kind: Dataplane, name: web},"
	got := incoming(t, "MeshTimeout", meshWith(""), web,
		rule("acatch", dataplane, "", "requestTimeout: 1s"),
		rule("zexact", "", "{spiffeID: {type: Exact, value: s://t/b}}", "requestTimeout: 2s"),
		rule("pshort", dataplane, "{spiffeID: {type: Prefix, value: s://t}}", "requestTimeout: 3s, streamIdleTimeout: 30s"),
		rule("plong", "", "{spiffeID: {type: Prefix, value: s://t/b}}", "requestTimeout: 4s, streamIdleTimeout: 40s"),
		rule("pexsni", "", "{spiffeID: {type: Exact, value: s://t/b}, sni: {type: Exact, value: x.y}}", "streamIdleTimeout: 60s"),
		rule("pother", "", "{spiffeID: {type: Exact, value: s://t/b}}, {spiffeID: {type: Exact, value: s://o/c}}", "streamIdleTimeout: 70s"),
	)
	for i := range got {
		got[i] = got[i][:strings.LastIndex(got[i], " | ")]
	}
	want := []string{
		`{"sni":{"type":"Exact","value":"x.y"},"spiffeID":{"type":"Exact","value":"s://t/b"}} | {"http":{"requestTimeout":"2s","streamIdleTimeout":"60s"}}`,
		`{"spiffeID":{"type":"Exact","value":"s://t/b"}} | {"http":{"requestTimeout":"2s","streamIdleTimeout":"70s"}}`,
		`{"spiffeID":{"type":"Exact","value":"s://o/c"}} | {"http":{"requestTimeout":"1s","streamIdleTimeout":"70s"}}`,
		`{"spiffeID":{"type":"Prefix","value":"s://t/b"}} | {"http":{"requestTimeout":"4s","streamIdleTimeout":"40s"}}`,
		`{"spiffeID":{"type":"Prefix","value":"s://t"}} | {"http":{"requestTimeout":"3s","streamIdleTimeout":"30s"}}`,
		`all | {"http":{"requestTimeout":"1s"}}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestIncomingAccessLogsAddUp also shows that an empty list does not disable
// the logs of other entries.
func TestIncomingAccessLogsAddUp(t *testing.T) {
	got := incoming(t, "MeshAccessLog", meshWith(""), web,
		policy("MeshAccessLog", "old", `{targetRef: {kind: Dataplane, labels: {app: web}}, from: [{targetRef: {kind: Mesh}, default: {backends: [old]}}]}`),
		policy("MeshAccessLog", "new", `{rules: [{default: {backends: [new]}}]}`),
		policy("MeshAccessLog", "none", `{targetRef: {kind: Dataplane, labels: {app: web}, sectionName: http}, rules: [{default: {backends: []}}]}`),
	)
	want := []string{`all | {"backends":["new"]} | new#0`, `all | {"backends":["old"]} | old#0`, `all | {"backends":[]} | none#0`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestIncomingFaultRulesReplaceFrom(t *testing.T) {
	from := policy("MeshFaultInjection", "old", `{targetRef: {kind: Dataplane}, from: [{targetRef: {kind: Mesh}, default: {a: 1}}]}`)
	ruled := policy("MeshFaultInjection", "new", `{targetRef: {kind: Dataplane}, rules: [{default: {b: 1}}, {default: {c: 1}, matches: [{spiffeID: {type: Prefix, value: s}}]}]}`)
	for name, c := range map[string]struct{ documents, want []string }{
		"from":               {[]string{meshWith(""), from}, []string{`from [] | {"a":1}`}},
		"from with identity": {[]string{meshWith(exclusive), identityFor("{}"), from}, []string{`from [] | {"a":1}`}},
		"both": {[]string{meshWith(""), from, ruled}, []string{
			`{"spiffeID":{"type":"Prefix","value":"s"}} | {"c":1} | new#1`, `all | {"b":1} | new#0`,
			`ignores [MeshFaultInjection "old" of mesh "default"] because of [MeshFaultInjection "new" of mesh "default"], identity false`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, incoming(t, "MeshFaultInjection", append(c.documents, web)...)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestIncomingPermissions(t *testing.T) {
	const kind = "MeshTrafficPermission"
	from := func(action string) string {
		return policy(kind, "from", fmt.Sprintf(`{from: [{targetRef: {kind: Mesh}, default: {action: %s}}]}`, action))
	}
	denyB := policy(kind, "deny-b", `{rules: [{default: {deny: [{spiffeID: {type: Exact, value: "spiffe://default/b"}}]}}]}`)
	allow := func(match, id string) string {
		return policy(kind, "allow", fmt.Sprintf(`{rules: [{default: {allow: [{spiffeID: {type: %s, value: "%s"}}]}}]}`, match, id))
	}
	const (
		fromAllow     = `from [] | {"action":"Allow"}`
		fromDeny      = `from [] | {"action":"Deny"}`
		deniesB       = `all | {"deny":[{"spiffeID":{"type":"Exact","value":"spiffe://default/b"}}]} | deny-b#0`
		ignoredByB    = `ignores [MeshTrafficPermission "from" of mesh "default"] because of [MeshTrafficPermission "deny-b" of mesh "default"], identity false`
		ignoredWithID = `ignores [MeshTrafficPermission "from" of mesh "default"] because of [MeshIdentity "identity" of mesh "default"], identity true`
	)
	allowed := func(match, id string) string {
		return fmt.Sprintf(`all | {"allow":[{"spiffeID":{"type":%q,"value":%q}}]} | allow#0`, match, id)
	}
	for name, c := range map[string]struct{ documents, want []string }{
		"no certificate":                 {[]string{meshWith(""), from("Deny")}, []string{fromDeny, "access: unchecked"}},
		"nothing allows":                 {[]string{meshWith(mutualTLS)}, []string{"access: no client"}},
		"from allows":                    {[]string{meshWith(mutualTLS), from("Allow")}, []string{fromAllow, "access: every client"}},
		"from denies":                    {[]string{meshWith(mutualTLS), from("Deny")}, []string{fromDeny, "access: no client"}},
		"rules deny beside from":         {[]string{meshWith(mutualTLS), from("Allow"), denyB}, []string{deniesB, ignoredByB, "access: no client"}},
		"identity beside from":           {[]string{meshWith(mutualTLS + exclusive), from("Allow"), identityFor("{}")}, []string{ignoredWithID, "access: no client"}},
		"identity for others":            {[]string{meshWith(mutualTLS + exclusive), from("Allow"), identityFor("{app: api}")}, []string{fromAllow, "access: every client"}},
		"identity in another mode":       {[]string{meshWith(mutualTLS), from("Allow"), identityFor("{}")}, []string{fromAllow, "access: every client"}},
		"from denies beside rules":       {[]string{meshWith(exclusive), from("Deny"), identityFor("{}"), allow("Prefix", "spiffe://td")}, []string{allowed("Prefix", "spiffe://td"), ignoredWithID, "access: every client"}},
		"exact ID without identity":      {[]string{meshWith(mutualTLS), allow("Exact", "spiffe://default/b")}, []string{allowed("Exact", "spiffe://default/b"), "access: no client"}},
		"prefix without identity":        {[]string{meshWith(mutualTLS), allow("Prefix", "spiffe://default/b")}, []string{allowed("Prefix", "spiffe://default/b"), "access: some clients"}},
		"exact ID with an identity":      {[]string{meshWith(exclusive), identityFor("{}"), allow("Exact", "spiffe://td/b")}, []string{allowed("Exact", "spiffe://td/b"), "access: some clients"}},
		"prefix of another trust domain": {[]string{meshWith(mutualTLS + exclusive), identityFor("{}"), allow("Prefix", "spiffe://td")}, []string{allowed("Prefix", "spiffe://td"), "access: some clients"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, incoming(t, kind, append(c.documents, web)...)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestIncomingPermissionsAddUp checks that a denied client stays denied,
// wherever it is allowed.
func TestIncomingPermissionsAddUp(t *testing.T) {
	const kind = "MeshTrafficPermission"
	got := incoming(t, kind, meshWith(exclusive), identityFor("{}"), web,
		policy(kind, "a", `{rules: [{default: {allow: [{spiffeID: {type: Exact, value: "spiffe://td/a"}}]}}]}`),
		policy(kind, "b", `{targetRef: {kind: Dataplane}, rules: [{default: {allow: [{spiffeID: {type: Exact, value: "spiffe://td/b"}}]}}]}`),
		policy(kind, "c", `{rules: [{default: {deny: [{spiffeID: {type: Prefix, value: "spiffe://td"}}]}}]}`),
	)
	want := []string{
		`all | {"allow":[{"spiffeID":{"type":"Exact","value":"spiffe://td/a"}},{"spiffeID":{"type":"Exact","value":"spiffe://td/b"}}],"deny":[{"spiffeID":{"type":"Prefix","value":"spiffe://td"}}]} | c#0 a#0 b#0`,
		"access: no client",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// fromWith returns a permission with entries of `from`.
func fromWith(entries string) string {
	return policy("MeshTrafficPermission", "p", "{from: ["+entries+"]}")
}

func TestIncomingPermissionsOfOtherRulesAdmitDeniedClients(t *testing.T) {
	const (
		all  = "{targetRef: {kind: Mesh}, default: {action: Allow}}"
		deny = ", {targetRef: {kind: MeshSubset, tags: {%s}}, default: {action: Deny}}"
	)
	for name, c := range map[string]struct {
		entries string
		want    []string
	}{
		"one client denied": {all + fmt.Sprintf(deny, "kuma.io/service: web"), []string{
			`from [{"key":"kuma.io/service","value":"web","not":false}] | {"action":"Deny"}`,
			`from [{"key":"kuma.io/service","value":"web","not":true}] | {"action":"Allow"}`,
			"access: some clients",
		}},
		"two clients denied": {all + fmt.Sprintf(deny, "kuma.io/service: web") + fmt.Sprintf(deny, "kuma.io/service: api"), []string{
			`from [{"key":"kuma.io/service","value":"api","not":true}] | {"action":"Allow"}`,
			`from [{"key":"kuma.io/service","value":"web","not":true}] | {"action":"Allow"}`,
			`admits kuma.io/service=api in spite of MeshTrafficPermission "p" of mesh "default"`,
			`admits kuma.io/service=web in spite of MeshTrafficPermission "p" of mesh "default"`,
			"access: every client",
		}},
		"canary denied": {all + fmt.Sprintf(deny, "kuma.io/service: web") + fmt.Sprintf(deny, "kuma.io/service: pay, version: v2"), []string{
			`from [{"key":"kuma.io/service","value":"pay","not":true},{"key":"version","value":"v2","not":false}] | {"action":"Allow"}`,
			`from [{"key":"kuma.io/service","value":"pay","not":false},{"key":"version","value":"v2","not":true}] | {"action":"Allow"}`,
			`from [{"key":"kuma.io/service","value":"pay","not":true},{"key":"version","value":"v2","not":true}] | {"action":"Allow"}`,
			`from [{"key":"kuma.io/service","value":"web","not":true}] | {"action":"Allow"}`,
			`admits kuma.io/service=pay, version=v2 in spite of MeshTrafficPermission "p" of mesh "default"`,
			`admits kuma.io/service=web in spite of MeshTrafficPermission "p" of mesh "default"`,
			"access: every client",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, incoming(t, "MeshTrafficPermission", meshWith(mutualTLS), web, fromWith(c.entries))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestIncomingPermissionsByExactIDs(t *testing.T) {
	const exact, prefix = "spiffeID: {type: Exact, value: 'spiffe://default/api'}", "spiffeID: {type: Prefix, value: 'spiffe://default'}"
	for name, c := range map[string]struct {
		mesh, lists string
		want        rules.Access
	}{
		"denied":                          {"", "deny: [{" + exact + "}], allow: [{" + prefix + "}]", rules.AccessAll},
		"allowed":                         {"", "allow: [{" + exact + "}]", rules.AccessNone},
		"with an identity for others":     {exclusive + "---\n" + identityFor("{app: other}"), "allow: [{" + exact + "}]", rules.AccessNone},
		"with an identity without effect": {"---\n" + identityFor("{app: web}"), "allow: [{" + exact + "}]", rules.AccessNone},
	} {
		t.Run(name, func(t *testing.T) {
			got := incoming(t, "MeshTrafficPermission", meshWith(mutualTLS+c.mesh), web, policy("MeshTrafficPermission", "p", "{rules: [{default: {"+c.lists+"}}]}"))
			if access := got[len(got)-1]; access != "access: "+string(c.want) {
				t.Errorf("%s, should be %q", access, c.want)
			}
		})
	}
}

func TestIdentitiesOfSeveralSelectors(t *testing.T) {
	identity := func(name, labels string) string {
		return strings.Replace(identityFor(labels), "name: identity", "name: "+name, 1)
	}
	s := snapshotOf(t, meshWith(exclusive), strings.Replace(web, "{app: web}", "{app: web, tier: front}", 1),
		identity("all", "{}"), identity("z-tier", "{tier: front}"), identity("g-tier", "{tier: front}"))
	if got := s.Identity("default", "web"); got.Name != "g-tier" {
		t.Error(got)
	}
	if got := s.Identity("default", "unknown"); got != (kuma.Key{}) {
		t.Errorf("an unknown dataplane has the identity %v", got)
	}
}

// TestIncomingPermissionsSince checks that proxies ignore `from` only up to the
// release that is stated to combine it with `rules`.
func TestIncomingPermissionsSince(t *testing.T) {
	documents := testworld.Resources(t, meshWith(mutualTLS), web,
		policy("MeshTrafficPermission", "from", `{from: [{targetRef: {kind: Mesh}, default: {action: Allow}}]}`),
		policy("MeshTrafficPermission", "rules", `{rules: [{default: {deny: [{spiffeID: {type: Prefix, value: "spiffe://default/b"}}]}}]}`))
	for release, ignores := range map[kuma.Release]bool{
		{Major: 2, Minor: 14, Patch: 3}: true,
		{Major: 2, Minor: 14, Patch: 5}: false,
	} {
		r, err := rules.NewSnapshotFor(release, documents).Rules("default", "web", "MeshTrafficPermission")
		testworld.NoError(t, err)
		if in := r.Incoming()[0]; (in.Ignored != nil) != ignores || (len(in.From) == 0) != ignores {
			t.Errorf("%s: ignored %v, from %v", release, in.Ignored, in.From)
		}
	}
}

// TestExactNeverMatches covers the certificates of matching.md §7.5: those of the mesh
// contain several names, those of a MeshIdentity one.
func TestExactNeverMatches(t *testing.T) {
	t.Parallel()
	const own, foreign = "spiffe://default/web", "spiffe://td/web"
	identity := func(trustDomain string) string {
		return strings.Replace(identityFor("{}"), "trustDomain: td", "trustDomain: "+trustDomain, 1)
	}
	for name, tt := range map[string]struct {
		documents []string
		id        string
		want      bool
	}{
		"no certificates":              {[]string{meshWith("")}, own, false},
		"certificates of the mesh":     {[]string{meshWith(mutualTLS)}, own, true},
		"of another trust domain":      {[]string{meshWith(mutualTLS)}, foreign, true},
		"of an identity":               {[]string{meshWith(mutualTLS + exclusive), identity("td")}, foreign, false},
		"not of that identity":         {[]string{meshWith(mutualTLS + exclusive), identity("td")}, own, true},
		"of an identity of the mesh":   {[]string{meshWith(mutualTLS + exclusive), identity("default")}, own, false},
		"of an identity by a template": {[]string{meshWith(mutualTLS + exclusive), identity("'{{ .Mesh }}'")}, own, false},
		"no mesh":                      {nil, own, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := snapshotOf(t, tt.documents...).ExactNeverMatches("default", tt.id); got != tt.want {
				t.Errorf("ExactNeverMatches(%q) = %t, want %t", tt.id, got, tt.want)
			}
		})
	}
}

// incomingOf returns what the dataplane "web" does on its only inbound.
func incomingOf(t *testing.T, policyType string, documents ...string) rules.Incoming {
	t.Helper()
	r, err := snapshotOf(t, documents...).Rules("default", "web", policyType)
	testworld.NoError(t, err)
	in := r.Incoming()
	if len(in) != 1 {
		t.Fatalf("%d inbounds, want one", len(in))
	}
	return in[0]
}

func TestIncomingRemarks(t *testing.T) {
	t.Parallel()
	const (
		allow = "{targetRef: {kind: Mesh}, default: {action: Allow}}"
		deny  = ", {targetRef: {kind: MeshSubset, tags: {%s}}, default: {action: Deny}}"
	)
	rulesOnly := policy("MeshTrafficPermission", "by-rules", `{rules: [{default: {allow: [{spiffeID: {type: Prefix, value: "spiffe://default"}}]}}]}`)
	for name, tt := range map[string]struct{ documents, want []string }{
		"nothing to say": {[]string{meshWith(mutualTLS), fromWith(allow)}, nil},
		"rules replace from": {
			[]string{meshWith(mutualTLS), fromWith(allow), rulesOnly},
			[]string{"The proxy ignores `from` of p because of the `rules` of by-rules."},
		},
		"an identity replaces from": {
			[]string{meshWith(exclusive), identityFor("{}"), fromWith(allow)},
			[]string{"The proxy ignores `from` of p because of the MeshIdentity identity."},
		},
		"other rules admit denied clients": {
			[]string{meshWith(mutualTLS), fromWith(allow + fmt.Sprintf(deny, "kuma.io/service: web") + fmt.Sprintf(deny, "kuma.io/service: api"))},
			[]string{"The proxy allows clients with kuma.io/service=api and kuma.io/service=web, although `from` of p denies them: other rules computed from the same entries allow them."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := incomingOf(t, "MeshTrafficPermission", append(tt.documents, web)...).Remarks()
			testworld.Equal(t, "remarks", tt.want, got)
		})
	}
	if got := rules.Peers([]rules.Matcher{{Key: "a", Value: "x"}, {Key: "b", Value: "y", Not: true}}); got != "a=x, b≠y" {
		t.Errorf("Peers: got %q", got)
	}
}

// TestIncomingForAMatch checks which rule applies to requests with a match, and that
// rules of the same entries have the same input.
func TestIncomingForAMatch(t *testing.T) {
	t.Parallel()
	in := incomingOf(t, "MeshTimeout", meshWith(""), web, policy("MeshTimeout", "t", `{rules: [
		{matches: [{spiffeID: {type: Exact, value: "spiffe://td/a"}}], default: {idleTimeout: 1s}},
		{matches: [{spiffeID: {type: Prefix, value: "spiffe://td"}, sni: {type: Exact, value: shop}}], default: {idleTimeout: 2s}}]}`))
	for match, want := range map[string]string{
		`{"spiffeID":{"type":"Exact","value":"spiffe://td/a"}}`:                                          `{"idleTimeout":"1s"}`,
		`{"spiffeID":{"type":"Exact","value":"spiffe://td/b"},"sni":{"type":"Exact","value":"shop"}}`:    `{"idleTimeout":"2s"}`,
		`{"spiffeID":{"type":"Prefix","value":"spiffe://td/b"},"sni":{"type":"Exact","value":"shop"}}`:   `{"idleTimeout":"2s"}`,
		`{"spiffeID":{"type":"Exact","value":"spiffe://td/b"},"sni":{"type":"Exact","value":"pay"}}`:     "",
		`{"spiffeID":{"type":"Exact","value":"spiffe://other/b"},"sni":{"type":"Exact","value":"shop"}}`: "",
		`{}`: "",
	} {
		rule, ok := in.For(testworld.JSON(t, match))
		if ok != (want != "") || ok && compact(rule.Merge()) != want {
			t.Errorf("For(%s): got %t, want %s", match, ok, want)
		}
	}
	if a, b := in.Rules[0].Input(), in.Rules[1].Input(); a == b || a == (rules.Input{}) || a != in.Rules[0].Input() {
		t.Errorf("inputs: %x and %x", a, b)
	}
}

// TestIgnoredEntriesOfServices checks which entries for a service have no effect because of its
// protocol.
func TestIgnoredEntriesOfServices(t *testing.T) {
	t.Parallel()
	const documents = `
type: Mesh
name: default
meshServices: {mode: Exclusive}
---
type: Dataplane
name: web-1
networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web}}]}
---
type: MeshService
name: db
spec: {ports: [{port: 80, name: sql, appProtocol: tcp}, {port: 81, name: admin, appProtocol: http}]}
---
type: MeshService
name: queue
spec: {ports: [{port: 80, appProtocol: kafka}, {port: 81}]}
---
type: MeshTimeout
name: t
spec:
  to:
    - {targetRef: {kind: Mesh}, default: {http: {streamIdleTimeout: 1s}}}
    - {targetRef: {kind: MeshService, name: db}, default: {http: {requestTimeout: 1s}}}
    - {targetRef: {kind: MeshService, name: db, sectionName: sql}, default: {http: {maxStreamDuration: 1s}}}
    - {targetRef: {kind: MeshService, name: queue}, default: {http: {requestTimeout: 1s}}}
---
type: MeshRetry
name: r
spec:
  to:
    - {targetRef: {kind: MeshService, name: queue}, default: {grpc: {numRetries: 1}, tcp: {maxConnectAttempt: 2}}}
    - {targetRef: {kind: MeshService, name: db, sectionName: sql}, default: {http: {numRetries: 1}}}
---
type: MeshRateLimit
name: l
spec:
  to: [{targetRef: {kind: Mesh}, default: {local: {http: {requestRate: {num: 1, interval: 1s}}}}}]
`
	s := rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, documents))
	answer, err := s.Dataplane("default", "web-1")
	testworld.NoError(t, err)
	var got []string
	for _, p := range answer.Rules {
		for _, r := range p.ToResourceRules {
			for _, e := range s.IgnoredEntries(r) {
				got = append(got, fmt.Sprintf("%s%s %s#%d: %s", r.ResourceMeta.Name, r.ResourceSectionName, e.Policy.Name, e.Index, e.Reason))
			}
		}
	}
	want := []string{
		"dbsql t#2: The service has the protocol tcp, on which the settings of the entry have no effect.",
		"queue t#3: The service has the protocol kafka and tcp, on which the settings of the entry have no effect.",
		"dbsql r#1: The service has the protocol tcp, on which the settings of the entry have no effect.",
		"default l#0: Only a builtin gateway uses `to` of MeshRateLimit.",
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestIgnoredEntriesCarryTheReason(t *testing.T) {
	const permission, timeout = "MeshTrafficPermission", "MeshTimeout"
	from := policy(permission, "from", `{from: [{targetRef: {kind: Mesh}, default: {action: Allow}}, {targetRef: {kind: MeshSubset, tags: {team: a}}, default: {action: Deny}}]}`)
	ruled := policy(permission, "ruled", `{rules: [{default: {allow: [{spiffeID: {type: Prefix, value: "spiffe://td"}}]}}]}`)
	timeouts := func(name, top, entries string) string {
		return policy(timeout, name, fmt.Sprintf("{%s rules: [%s]}", top, entries))
	}
	const dataplane = "targetRef: {kind: Dataplane, name: web},"
	for name, c := range map[string]struct {
		policyType      string
		documents, want []string
		protocol        string // of the inbound
	}{
		"from":            {policyType: permission, documents: []string{meshWith(mutualTLS), from}},
		"from with rules": {policyType: permission, documents: []string{meshWith(mutualTLS), from, ruled}, want: []string{"from#0: The proxy ignores `from` because of the `rules` of ruled.", "from#1: The proxy ignores `from` because of the `rules` of ruled."}},
		"from and an identity": {policyType: permission, documents: []string{meshWith(exclusive), identityFor("{}"), from}, want: []string{
			"from#0: The proxy ignores `from` because of the MeshIdentity identity.", "from#1: The proxy ignores `from` because of the MeshIdentity identity.",
		}},
		"no certificate": {policyType: permission, documents: []string{meshWith(""), ruled}, want: []string{"ruled#0: The proxy has no certificate, so permissions have no effect."}},
		"denied clients that others allow": {policyType: permission, documents: []string{meshWith(mutualTLS), fromWith(`{targetRef: {kind: Mesh}, default: {action: Allow}}, {targetRef: {kind: MeshSubset, tags: {team: a}}, default: {action: Deny}}, {targetRef: {kind: MeshSubset, tags: {team: b}}, default: {action: Deny}}`)}, want: []string{
			"p#1: The proxy allows clients with team=a, which the entry denies: other rules computed from the same entries allow them.",
			"p#2: The proxy allows clients with team=b, which the entry denies: other rules computed from the same entries allow them.",
		}},
		"HTTP on a TCP inbound": {policyType: timeout, documents: []string{meshWith(""), timeouts("t", "", "{default: {http: {requestTimeout: 1s}}}")}, want: []string{
			"t#0: The inbound has the protocol tcp, on which the settings of the entry have no effect.",
		}},
		"HTTP on a gRPC inbound": {policyType: timeout, protocol: "grpc", documents: []string{meshWith(""), timeouts("t", "", "{default: {http: {requestTimeout: 1s}}}")}},
		"idle timeout on a gRPC inbound": {policyType: timeout, protocol: "grpc", documents: []string{meshWith(""), timeouts("t", "", "{default: {idleTimeout: 1s, http: {maxStreamDuration: 1s}}}")}, want: []string{
			"t#0: The inbound has the protocol grpc, on which the settings of the entry have no effect.",
		}},
		"HTTP and connections on a TCP inbound": {policyType: timeout, documents: []string{meshWith(""), timeouts("t", "", "{default: {idleTimeout: 1s, http: {requestTimeout: 1s}}}")}},
		"faults on a Kafka inbound": {policyType: "MeshFaultInjection", protocol: "kafka", documents: []string{meshWith(""), policy("MeshFaultInjection", "f", "{from: [{targetRef: {kind: Mesh}, default: {http: [{delay: {value: 1s, percentage: 10}}]}}]}")}, want: []string{
			"f#0: The inbound has the protocol kafka, on which the settings of the entry have no effect.",
		}},
		"limits on a TCP inbound": {policyType: "MeshRateLimit", documents: []string{meshWith(""), policy("MeshRateLimit", "l", "{rules: [{default: {local: {tcp: {connectionRate: {num: 1, interval: 1s}}}}}, {default: {local: {http: {requestRate: {num: 1, interval: 1s}}}}}]}")}, want: []string{
			"l#1: The inbound has the protocol tcp, on which the settings of the entry have no effect.",
		}},
		"one of several rules": {policyType: timeout, documents: []string{meshWith(""), timeouts("weak", "", "{default: {idleTimeout: 1s}}"), timeouts("strong", dataplane, "{default: {idleTimeout: 2s}}")}, want: []string{
			"weak#0: All values of the entry are overridden by strong.",
		}},
		"one value of several": {policyType: timeout, documents: []string{meshWith(""), timeouts("weak", "", "{default: {idleTimeout: 1s, connectionTimeout: 1s}}"), timeouts("strong", dataplane, "{default: {idleTimeout: 2s}}")}},
		"other clients":        {policyType: timeout, protocol: "http", documents: []string{meshWith(""), timeouts("weak", "", "{default: {http: {requestTimeout: 1s}}}"), timeouts("strong", "", "{matches: [{spiffeID: {type: Exact, value: s://t/b}}], default: {http: {requestTimeout: 2s}}}")}},
		"logs add up":          {policyType: "MeshAccessLog", documents: []string{meshWith(""), policy("MeshAccessLog", "one", "{rules: [{default: {backends: [a]}}]}"), policy("MeshAccessLog", "two", "{rules: [{default: {backends: [a]}}]}")}},
	} {
		t.Run(name, func(t *testing.T) {
			documents := append(slices.Clone(c.documents), web)
			if c.protocol != "" {
				documents[len(documents)-1] = strings.Replace(web, "{port", "{protocol: "+c.protocol+", port", 1)
			}
			r, err := snapshotOf(t, documents...).Rules("default", "web", c.policyType)
			testworld.NoError(t, err)
			var got []string
			for _, in := range r.Incoming() {
				for _, e := range in.IgnoredEntries() {
					got = append(got, fmt.Sprintf("%s#%d: %s", e.Policy.Name, e.Index, e.Reason))
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestIdentityProblem covers a MeshIdentity without certificates: another one that selects the same proxy does not replace it
// (matching.md §7.5).
func TestIdentityProblem(t *testing.T) {
	t.Parallel()
	other := strings.Replace(web, "{app: web}", "{app: other}", 1)
	withoutProvider := "type: MeshIdentity\nname: none\nspec: {selector: {dataplane: {matchLabels: {app: web}}}}\n"
	for name, tt := range map[string]struct {
		dataplane, identity, problem string
	}{
		"more labels":  {web, "", "none: it has no provider"},
		"not selected": {other, "identity", ": "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := snapshotOf(t, meshWith(exclusive), tt.dataplane, identityFor("{}"), withoutProvider)
			of, problem := s.IdentityProblem("default", "web")
			if got := s.Identity("default", "web").Name; got != tt.identity || of.Name+": "+problem != tt.problem {
				t.Errorf("identity %q, problem %q", got, of.Name+": "+problem)
			}
		})
	}
}
