package testworld

import (
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Settings returns what a proxy gets according to a decoded answer of the inspect API, by type
// of policy and by what it applies to: without the policies that it comes from, and with
// references to backends by display name.
func Settings(answer any) any {
	out := map[string]any{}
	for _, p := range tree.Objects(tree.Object(answer)["rules"]) {
		kind := tree.Text(p["type"])
		k, _ := kinds.Find(kind)
		add := func(v any, about ...any) {
			out[strings.Join(append([]string{kind}, texts(about)...), " ")] = withoutNames(v)
		}
		for _, r := range tree.Objects(p["toResourceRules"]) {
			meta := tree.Object(r["resourceMeta"])
			add(r["conf"], "to", meta["type"], meta["mesh"], meta["name"], r["resourceSectionName"])
		}
		for _, r := range tree.Objects(p["toRules"]) {
			add(r["conf"], "to", r["matchers"])
		}
		for _, f := range tree.Objects(p["fromRules"]) {
			for _, r := range tree.Objects(f["rules"]) {
				if !k.Policy.FromAsRules {
					add(r["conf"], "from", f["inbound"], r["matchers"])
				}
			}
		}
		for _, in := range tree.Objects(p["inboundRules"]) {
			var list []any
			for _, r := range tree.Objects(in["rules"]) {
				list = append(list, map[string]any{"match": r["match"], "conf": r["conf"]})
			}
			add(list, "rules", tree.Object(in["inbound"])["port"])
		}
		if rule := tree.Object(p["proxyRule"]); rule != nil {
			add(rule["conf"])
		}
	}
	return out
}

func texts(values []any) []string {
	return phrase.Each(values, func(v any) string { return phrase.Value(v, 1000) })
}

// withoutNames returns a conf in which references to backends have display names instead of
// names or labels.
func withoutNames(v any) any {
	switch v := tree.Clone(v).(type) {
	case []any:
		for i := range v {
			v[i] = withoutNames(v[i])
		}
		return v
	case map[string]any:
		if labels := tree.Object(v["labels"]); v["kind"] != nil && labels[kuma.LabelDisplayName] != nil {
			v["name"] = labels[kuma.LabelDisplayName]
			delete(v, "labels")
		}
		for key := range v {
			v[key] = withoutNames(v[key])
		}
		return v
	default:
		return v
	}
}

// WithoutExplicit removes from the settings of a proxy what 2.14 does anyway: the rules of
// routes for the rest of the requests, and the policy for traffic to the outside if others
// have none. Hash policies of an algorithm stand beside it afterwards. It changes the settings,
// and returns them.
func WithoutExplicit(settings, others any) any {
	now, was := tree.Object(settings), tree.Object(others)
	outside := now[kinds.MeshPassthrough.Name]
	if mode := tree.Object(outside)["passthroughMode"]; was[kinds.MeshPassthrough.Name] == nil && len(tree.Object(outside)) == 1 &&
		(mode == "All" || mode == "None") {
		delete(now, kinds.MeshPassthrough.Name)
	}
	for key, v := range now {
		for _, conf := range append(tree.Objects(v), tree.Object(v)) {
			switch {
			case strings.HasPrefix(key, kinds.MeshHTTPRoute.Name+" to"):
				if list := tree.List(conf["rules"]); list != nil {
					conf["rules"] = slices.DeleteFunc(list, isRest)
				}
			case strings.HasPrefix(key, kinds.MeshLoadBalancingStrategy.Name+" to"):
				moveHashPolicies(conf)
			}
		}
	}
	return settings
}

// moveHashPolicies moves the hash policies of the algorithm of a conf beside it.
func moveHashPolicies(conf map[string]any) {
	balancer := tree.Object(conf["loadBalancer"])
	algorithm := tree.Object(balancer[map[any]string{"RingHash": "ringHash", "Maglev": "maglev"}[balancer["type"]]])
	if list := algorithm["hashPolicies"]; list != nil && conf["hashPolicies"] == nil {
		conf["hashPolicies"] = list
		delete(algorithm, "hashPolicies")
	}
}

// isRest reports whether a rule of a route only matches what no other rule does.
func isRest(rule any) bool {
	return phrase.JSON(tree.Object(rule)["matches"]) == `[{}]` && tree.IsEmptyObject(tree.Object(rule)["default"])
}
