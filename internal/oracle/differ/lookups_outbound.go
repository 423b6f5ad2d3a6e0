package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// outbounds compares the destinations of the proxy. A development build of 3.0 does not
// restrict them yet. A control plane of 3.0 chooses differently each time among
// several services that one reference with a port refers to.
func (l *lookups) outbounds(layout tree.Node) error {
	for _, o := range rules.Outbounds(l.dataplane) {
		if o.Port != 0 && l.snapshot.Release().Kuma3() && len(l.snapshot.Consumed(l.dataplane.Mesh, o)) > 1 {
			l.ambiguous++
			return nil
		}
	}
	proxies, err := proxy.New(l.snapshot.RestrictOutbound(false), l.dataplane.Mesh)
	if err != nil {
		return err
	}
	ports := proxies.Layout(&l.dataplane)
	describe := func(kri string, port int64, protocol string) string {
		return fmt.Sprintf("%s %d %s", kri, port, protocol)
	}
	var want, got []any
	for _, p := range ports {
		want = append(want, describe(kinds.KRI(p.Resource)+p.Section, int64(p.Number), p.Protocol))
	}
	for _, o := range layout.Get("outbounds").Items() {
		kri, _ := o.Get("kri").Text()
		port, _ := o.Get("port").Int()
		protocol, _ := o.Get("protocol").Text()
		got = append(got, describe(kri, port, protocol))
	}
	byText := func(a, b any) int { return cmp.Compare(tree.Text(a), tree.Text(b)) }
	slices.SortFunc(want, byText)
	slices.SortFunc(got, byText)
	l.compared++
	l.places = append(l.places, testworld.AnswerDifferences("_layout/outbounds", want, got)...)
	return nil
}

// outbound compares the rules for one destination, its routes, and the rules for
// each route.
func (l *lookups) outbound(ctx context.Context, id string) error {
	d, err := destination(id)
	if err != nil {
		return err
	}
	if err := l.check(ctx, "policies", l.found(d, func(string) bool { return true }), "_outbounds", id, "_policies"); err != nil {
		return err
	}
	routes := l.routes(d)
	if err := l.check(ctx, "routes", routes, "_outbounds", id, "_routes"); err != nil {
		return err
	}
	seen := map[string]bool{"": true}
	for _, r := range routes {
		for _, rule := range tree.Root(r).Get("rules").Items() {
			by, _ := rule.Get("kri").Text()
			if seen[by] {
				continue
			}
			seen[by] = true
			on, err := destination(by)
			if err != nil {
				return err
			}
			d.Route = on.Resource
			want := l.found(d, func(kind string) bool { return !rules.IsRoute(kind) })
			if err := l.check(ctx, "policies", want, "_outbounds", id, "_routes", by, "_policies"); err != nil {
				return err
			}
		}
	}
	return nil
}

// found looks up the rules for a destination.
func (l *lookups) found(d rules.Destination, wanted func(kind string) bool) []any {
	policies := []any{}
	for _, p := range l.answer.Rules {
		if found, ok := p.Lookup(d); ok && wanted(p.Type) {
			policies = append(policies, map[string]any{"kind": p.Type, "conf": found.Conf, "origins": origins(found.Resource.Origin)})
		}
	}
	return policies
}

// routes are the routes to a destination, rule by rule. Those of HTTP name the
// policy that listed the matches last, also for other host names (matching.md §10.5).
func (l *lookups) routes(d rules.Destination) []any {
	routes := []any{}
	for _, p := range l.answer.Rules {
		found, ok := p.Lookup(d)
		if !ok || !rules.IsRoute(p.Type) {
			continue
		}
		entries := []any{}
		if p.Type == kuma.KindMeshHTTPRoute {
			entries = httpRules(found)
		} else {
			for _, conf := range found.Conf {
				entries = append(entries, map[string]any{"conf": tree.Root(conf).Get("default").Value(), "kri": "", "matches": nil})
			}
		}
		var list any // null without rules
		if len(entries) > 0 {
			list = entries
		}
		routes = append(routes, map[string]any{"kind": p.Type, "rules": list, "origins": origins(found.Resource.Origin)})
	}
	return routes
}

// httpRules are the rules of HTTP routes to a destination.
func httpRules(found rules.Found) []any {
	entries, last := []any{}, lastToList(found)
	for _, conf := range found.Conf {
		for _, rule := range tree.Root(conf).Get("rules").Items() {
			matches := rule.Get("matches").Value()
			entries = append(entries, map[string]any{"conf": rule.Get("default").Value(), "kri": last[phrase.JSON(matches)], "matches": matches})
		}
	}
	return entries
}

// lastToList returns the KRI of the policy that listed matches last, by matches.
func lastToList(found rules.Found) map[string]string {
	kris, last := map[string]string{}, map[string]int{}
	for _, leaves := range found.Resource.Explain() {
		for _, leaf := range leaves {
			if len(leaf.Path) != 3 || leaf.Path[2] != "matches" {
				continue
			}
			by, matches := leaf.SetBy, phrase.JSON(leaf.Value)
			at := slices.IndexFunc(found.Resource.Origin, func(o rules.Origin) bool {
				return o.RuleIndex == by.RuleIndex && o.ResourceMeta.Key() == by.ResourceMeta.Key()
			})
			if _, listed := last[matches]; !listed || at > last[matches] {
				last[matches], kris[matches] = at, kinds.KRI(by.ResourceMeta.ID())
			}
		}
	}
	return kris
}

// origins names the policy of each entry, as often as it has one.
func origins(of []rules.Origin) []any {
	list := []any{}
	for _, o := range of {
		list = append(list, origin(o.ResourceMeta))
	}
	return list
}

// destination returns the destination of an identifier of an outbound or a route.
func destination(id string) (rules.Destination, error) {
	kri, err := kuma.ParseKRI(id)
	if err != nil {
		return rules.Destination{}, err
	}
	for _, k := range kinds.All() {
		if k.ShortName == kri.ShortName {
			return rules.Destination{
				Resource: kuma.ID{Type: k.Name, Mesh: kri.Mesh, Zone: kri.Zone, Namespace: kri.Namespace, Name: kri.Name},
				Section:  kri.Section,
			}, nil
		}
	}
	return rules.Destination{}, fmt.Errorf("%s identifies a resource of an unknown kind", id)
}
