package rules_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// choices determines a generated world: each call picks one of n.
type choices func(n int) int

func randomly(seed uint64) choices { return rand.New(rand.NewPCG(seed, 0)).IntN }

// readFrom takes the choices from a fuzzer's bytes, and the first possibility
// when there are no more.
func readFrom(data []byte) choices {
	return func(n int) int {
		if len(data) == 0 {
			return 0
		}
		b := data[0]
		data = data[1:]
		return int(b) % n
	}
}

func pick[T any](c choices, from ...T) T { return from[c(len(from))] }

// often returns true three times in four.
func (c choices) often() bool { return c(4) > 0 }

// inventWorld generates a small mesh with many interactions: there are few
// names, so that references resolve, policies tie, and confs conflict.
func inventWorld(c choices) []kuma.Resource {
	resources := []kuma.Resource{{Type: "Mesh", Name: "default", Body: object{
		"meshServices": object{"mode": pick(c, "Disabled", "Everywhere", "Exclusive")},
	}}}
	add := func(kind, name string, body object) {
		resources = append(resources, kuma.Resource{Type: kind, Mesh: "default", Name: name, Labels: c.labels(), Body: body})
	}
	for _, name := range []string{"a", "b", "shop_ns_svc_80"} {
		add("MeshService", name, object{"spec": object{"ports": []any{
			object{"port": json.Number("80"), "name": "http"}, object{"port": json.Number("81")},
		}}})
	}
	add("MeshExternalService", "a", object{"spec": object{"match": object{"port": json.Number("443")}}})
	add("MeshMultiZoneService", "a", object{"spec": object{"ports": []any{object{"port": json.Number("80")}}}})
	if c(4) == 0 {
		add("MeshGateway", "a", object{
			"selectors": []any{object{"match": object{kuma.TagService: pick(c, "a", "b", "*")}}},
			"conf":      object{"listeners": []any{object{"port": json.Number("8080"), "tags": object{"team": "a"}}}},
		})
	}
	for _, name := range []string{"dp-a", "dp-b"} {
		add("Dataplane", name, object{"networking": c.networking()})
	}
	policies := kinds.Policies()
	for i := range 2 + c(12) {
		k := policies[c(len(policies))]
		add(k.Name, fmt.Sprintf("%s%d", pick(c, "a", "b"), i), object{"spec": c.policy(k)})
	}
	return resources
}

func (c choices) labels() map[string]string {
	labels := map[string]string{}
	if c.often() {
		labels[kuma.LabelOrigin], labels[kuma.LabelZone] = "zone", pick(c, "zone-1", "zone-1", "zone-2")
	}
	if c(3) == 0 {
		labels[kuma.LabelK8sNamespace] = "ns"
		labels[kuma.LabelPolicyRole] = pick(c, "", "system", "producer", "consumer", "workload-owner", "odd")
	}
	if c(4) == 0 {
		labels[kuma.LabelDisplayName] = pick(c, "a", "b")
	}
	if c(8) == 0 {
		labels[kuma.LabelEffect] = "shadow"
	}
	labels["team"] = pick(c, "a", "b")
	return labels
}

func (c choices) networking() object {
	tags := object{kuma.TagService: pick(c, "a", "b"), "team": pick(c, "a", "b")}
	switch c(6) {
	case 0:
		return object{"address": "10.0.0.1", "gateway": object{"type": "BUILTIN", "tags": tags}}
	case 1:
		return object{"address": "10.0.0.1", "gateway": object{"tags": tags}}
	default:
		return object{
			"address": "10.0.0.1",
			"inbound": []any{
				object{"port": json.Number("8080"), "name": "main", "tags": tags},
				object{"port": json.Number(pick(c, "8080", "8081")), "address": "10.0.0.2"},
			},
			"listeners": []any{object{"port": json.Number("9090")}},
		}
	}
}

func (c choices) policy(k def.Kind) object {
	fields := object{}
	if c.often() {
		fields["targetRef"] = c.ref("Mesh", "Dataplane", "MeshSubset", "MeshGateway", "MeshService", "MeshServiceSubset", "MeshHTTPRoute")
	}
	entries := func(item func() object) []any {
		var items []any
		for range c(4) {
			items = append(items, item())
		}
		return items
	}
	if k.Policy.Single {
		fields["default"] = c.conf(k.Name)
	}
	if k.Policy.To {
		fields["to"] = entries(func() object {
			return c.toEntry(k, c.ref("Mesh", "MeshService", "MeshHTTPRoute", "MeshExternalService", "MeshMultiZoneService", "MeshTCPRoute", "MeshSubset"))
		})
	}
	if k.Policy.From {
		fields["from"] = entries(func() object {
			return object{"targetRef": c.ref("Mesh", "MeshSubset", "MeshService", "MeshServiceSubset"), "default": c.conf(k.Name)}
		})
	}
	if k.Policy.Rules && c(2) == 0 {
		fields["rules"] = entries(func() object {
			return object{"matches": pick(c, nil, []any{object{"spiffeID": object{"type": "Exact", "value": "x"}}, object{}}), "default": c.conf(k.Name)}
		})
	}
	return fields
}

func (c choices) ref(kindNames ...string) object {
	ref := object{"kind": pick(c, kindNames...)}
	switch c(3) {
	case 0:
		ref["labels"] = object{"team": pick(c, "a", "b")}
	default:
		ref["name"] = pick(c, "a", "b", "dp-a", "a0", "b1", "a2", "shop_ns_svc_80")
	}
	if c(3) == 0 {
		ref["tags"] = object{pick(c, "team", "tier"): pick(c, "a", "b", "*")}
	}
	if c(4) == 0 {
		ref["sectionName"] = pick(c, "http", "main", "81")
	}
	if c(6) == 0 {
		ref["proxyTypes"] = []any{pick(c, "Sidecar", "Gateway")}
	}
	return ref
}

func (c choices) toEntry(k def.Kind, ref object) object {
	if !strings.HasSuffix(k.Name, "Route") {
		return object{"targetRef": ref, "default": c.conf(k.Name)}
	}
	entry := object{"targetRef": ref, "rules": []any{}}
	for range c(3) {
		entry["rules"] = append(entry["rules"].([]any), object{
			"matches": []any{object{"method": pick(c, "GET", "PUT")}}, "default": c.conf(k.Name),
		})
	}
	if c(3) == 0 {
		entry["hostnames"] = []any{pick(c, "x", "y"), "z"}
	}
	return entry
}

// conf generates confs that overlap in all possible ways: equal fields, objects
// in place of other values and the reverse, nulls, and lists.
func (c choices) conf(kind string) any {
	if c(16) == 0 {
		return pick[any](c, nil, "text", []any{})
	}
	conf := object{}
	for range c(5) {
		conf[pick(c, "x", "y", "z")] = pick[any](
			c, "1s", json.Number("2"), true, nil, object{}, object{"x": "in", "n": nil}, object{"x": object{"y": "deep"}}, object{"y": "2s"},
			[]any{}, []any{object{"n": nil, "x": "e"}, nil},
		)
	}
	if !c.often() {
		return conf
	}
	modifications := pick(c, []any{}, []any{"p"}, []any{object{"q": nil}, "r"})
	switch kind {
	case "MeshPassthrough":
		conf["appendMatch"] = modifications
	case "MeshProxyPatch":
		conf["appendModifications"] = modifications
	case "MeshMetric":
		conf["sidecar"] = object{"profiles": object{"appendProfiles": modifications}}
	}
	return conf
}
