package main

import (
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// This file reads from an answer what a proxy gets, without the policies that it comes from.

// settingsOf returns the settings of a proxy by type of policy and by what they apply to.
func settingsOf(answer any) any {
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
	var out []string
	for _, v := range values {
		out = append(out, phrase.Value(v, 1000))
	}
	return out
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

// withoutExplicit removes from the settings of a proxy what 2.14 does anyway: the rules of
// routes for the rest of the requests, and the policy for traffic to the outside.
func withoutExplicit(before, after any) any {
	was, now := tree.Object(before), tree.Object(after)
	out := map[string]any{}
	for key, v := range now {
		if _, ok := was[key]; !ok && key == kinds.MeshPassthrough.Name && (tree.Equal(v, map[string]any{"passthroughMode": "All"}) || tree.Equal(v, map[string]any{"passthroughMode": "None"})) {
			continue
		}
		out[key] = v
		if strings.HasPrefix(key, kinds.MeshHTTPRoute.Name+" to") {
			for _, conf := range append(tree.Objects(v), tree.Object(v)) {
				if list := tree.List(conf["rules"]); list != nil {
					conf["rules"] = slices.DeleteFunc(list, isRest)
				}
			}
		}
	}
	return out
}

// isRest reports whether a rule of a route only matches what no other rule does.
func isRest(rule any) bool {
	return phrase.JSON(tree.Object(rule)["matches"]) == `[{"path":{"type":"PathPrefix","value":"/"}}]` && tree.IsEmptyObject(tree.Object(rule)["default"])
}
