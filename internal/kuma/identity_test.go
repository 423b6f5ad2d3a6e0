package kuma_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

func TestKRI(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		resource kuma.Resource
		short    string
		want     string
	}{
		"in a zone":  {kuma.Resource{Name: "web", Mesh: "shop", Labels: map[string]string{"kuma.io/zone": "east"}}, "mt", "kri_mt_shop_east__web_"},
		"on global":  {kuma.Resource{Name: "web", Mesh: "shop"}, "mt", "kri_mt_shop___web_"},
		"in no mesh": {kuma.Resource{Name: "default"}, "m", "kri_m____default_"},
		"synchronized": {
			kuma.Resource{Name: "web-x7d9", Mesh: "shop", Labels: map[string]string{"kuma.io/display-name": "web", "kuma.io/zone": "east", "k8s.kuma.io/namespace": "ns"}},
			"mt", "kri_mt_shop_east_ns_web_",
		},
		"empty display name": {kuma.Resource{Name: "web", Mesh: "shop", Labels: map[string]string{"kuma.io/display-name": ""}}, "mt", "kri_mt_shop___web_"},
		"no short name":      {kuma.Resource{Name: "web"}, "", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := tt.resource.ID().KRI(tt.short)
			if got != tt.want {
				t.Fatalf("KRI = %q, want %q", got, tt.want)
			}
			if got == "" {
				return
			}
			parsed, err := kuma.ParseKRI(got)
			if err != nil || parsed.String() != got {
				t.Errorf("ParseKRI(%q) = %+v, %v", got, parsed, err)
			}
		})
	}
}

func TestParseKRI(t *testing.T) {
	t.Parallel()
	tests := map[string]kuma.KRI{
		"kri_msvc_shop_east_ns_web_http": {ShortName: "msvc", Mesh: "shop", Zone: "east", Namespace: "ns", Name: "web", Section: "http"},
		"kri_dp_shop___my_web_80":        {ShortName: "dp", Mesh: "shop", Name: "my", Section: "web80"},
		"kri_m____default":               {},
		"msvc_shop_east_ns_web_http_x":   {},
		"":                               {},
	}
	for text, want := range tests {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			got, err := kuma.ParseKRI(text)
			if (err != nil) != (want == kuma.KRI{}) || got != want {
				t.Errorf("ParseKRI(%q) = %+v, %v, want %+v", text, got, err, want)
			}
		})
	}
}

// TestComputeRole is the table of matching.md §1.6.
func TestComputeRole(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		namespace, spec string
		want            kuma.Role // empty when the document is rejected
	}{
		"no namespace":                {"", `{to: [{targetRef: {kind: Mesh}}]}`, kuma.RoleSystem},
		"system namespace":            {"kuma-system", `{to: [{targetRef: {kind: MeshService, name: cart}}]}`, kuma.RoleSystem},
		"own service":                 {"shop", `{to: [{targetRef: {kind: MeshService, name: cart}}]}`, kuma.RoleProducer},
		"own service, said so":        {"shop", `{to: [{targetRef: {kind: MeshService, name: cart, namespace: shop}}]}`, kuma.RoleProducer},
		"service of others":           {"shop", `{to: [{targetRef: {kind: MeshService, name: cart, namespace: pay}}]}`, kuma.RoleConsumer},
		"services by labels":          {"shop", `{to: [{targetRef: {kind: MeshService, labels: {a: b}}}]}`, kuma.RoleConsumer},
		"all services":                {"shop", `{to: [{targetRef: {kind: Mesh}}]}`, kuma.RoleConsumer},
		"service of all zones":        {"shop", `{to: [{targetRef: {kind: MeshMultiZoneService, name: cart}}]}`, kuma.RoleConsumer},
		"own route":                   {"shop", `{to: [{targetRef: {kind: MeshHTTPRoute, name: r}}]}`, kuma.RoleProducer},
		"own route and all services":  {"shop", `{to: [{targetRef: {kind: MeshHTTPRoute, name: r}}, {targetRef: {kind: Mesh}}]}`, ""},
		"incoming traffic, old":       {"shop", `{from: [{targetRef: {kind: Mesh}}]}`, kuma.RoleWorkloadOwner},
		"incoming traffic":            {"shop", `{rules: [{default: {}}]}`, kuma.RoleWorkloadOwner},
		"single":                      {"shop", `{default: {}}`, kuma.RoleWorkloadOwner},
		"both directions":             {"shop", `{to: [{targetRef: {kind: Mesh}}], from: [{targetRef: {kind: Mesh}}]}`, ""},
		"rules next to own service":   {"shop", `{to: [{targetRef: {kind: MeshService, name: cart}}], rules: [{default: {}}]}`, kuma.RoleProducer},
		"empty lists":                 {"shop", `{to: [], from: []}`, kuma.RoleWorkloadOwner},
		"top reference plays no part": {"shop", `{targetRef: {kind: Mesh}, to: [{targetRef: {kind: MeshService, name: cart}}]}`, kuma.RoleProducer},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := kuma.Resource{Labels: map[string]string{}, Body: object{"spec": decode(t, tt.spec)}}
			if tt.namespace != "" {
				r.Labels[kuma.LabelK8sNamespace] = tt.namespace
			}
			if got, ok := kuma.ComputeRole(r); got != tt.want || ok != (tt.want != "") {
				t.Errorf("ComputeRole = %q, %t, want %q", got, ok, tt.want)
			}
		})
	}
}

func TestRole(t *testing.T) {
	t.Parallel()
	for label, want := range map[string]kuma.Role{"": kuma.RoleSystem, "producer": kuma.RoleProducer, "king": "king"} {
		r := kuma.Resource{Labels: map[string]string{kuma.LabelPolicyRole: label}}
		if got := r.Role(); got != want {
			t.Errorf("Role with label %q = %q, want %q", label, got, want)
		}
	}
}

func TestParseTargetRef(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		in   any
		want kuma.TargetRef
	}{
		"all fields": {
			object{
				"kind": "MeshService", "name": "a", "namespace": "b", "sectionName": "c", "mesh": "d",
				"labels": object{"e": "f"}, "tags": object{"g": "h"}, "proxyTypes": []any{"Sidecar"},
			},
			kuma.TargetRef{
				Kind: "MeshService", Name: "a", Namespace: "b", SectionName: "c",
				Labels: map[string]string{"e": "f"}, Tags: map[string]string{"g": "h"}, ProxyTypes: []string{"Sidecar"},
			},
		},
		"empty labels are not absent": {object{"kind": "Dataplane", "labels": object{}}, kuma.TargetRef{Kind: "Dataplane", Labels: map[string]string{}}},
		"wrong types":                 {object{"kind": true, "labels": "a", "proxyTypes": object{}}, kuma.TargetRef{}},
		"no object":                   {"Mesh", kuma.TargetRef{}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, kuma.ParseTargetRef(tt.in)); diff != "" {
				t.Errorf("ParseTargetRef(%v) (-want +got):\n%s", tt.in, diff)
			}
		})
	}
}

func TestEqual(t *testing.T) {
	t.Parallel()
	n := func(s string) any { return json.Number(s) }
	tests := map[string]struct {
		a, b any
		want bool
	}{
		"numbers by value":  {n("1e2"), n("100.0"), true},
		"large numbers":     {n("9007199254740993"), n("9007199254740992"), false},
		"absurd numbers":    {n("1e999999999"), n("1e999999998"), false},
		"same absurdity":    {n("1e999999999"), n("1e999999999"), true},
		"number and text":   {n("1"), "1", false},
		"null and absent":   {object{"a": nil}, object{}, false},
		"null and other":    {object{"a": nil}, object{"b": nil}, false},
		"order of a list":   {[]any{"a", "b"}, []any{"b", "a"}, false},
		"nested":            {object{"a": []any{n("1.0")}}, object{"a": []any{n("1")}}, true},
		"nothing and empty": {nil, object{}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := tree.Equal(tt.a, tt.b); got != tt.want {
				t.Errorf("Equal(%v, %v) = %t, want %t", tt.a, tt.b, got, tt.want)
			}
		})
	}
}

// TestSNI has what control planes print as snis.
func TestSNI(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"kri_msvc_t1_zone-1__checkout_http": "sni.msvc.t1.zone-1.checkout.http",
		"kri_msvc_t1_zone-1_ns1_a_81":       "sni.msvc.t1.zone-1.ns1.a.81",
		"kri_extsvc_t1_zone-1__pay_9000":    "sni.extsvc.t1.zone-1.pay.9000",
		"kri_extsvc_t1___pay_9000":          "sni.extsvc.t1.pay.9000",
		"kri_mzsvc_t1___multi_8080":         "sni.mzsvc.t1.multi.8080",
	}
	for text, want := range tests {
		id, err := kuma.ParseKRI(text)
		if got := id.SNI(); err != nil || got != want {
			t.Errorf("the SNI of %s is %q (%v), want %q", text, got, err, want)
		}
	}
}
