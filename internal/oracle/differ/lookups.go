package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// lookupsSince is the first release whose endpoints about inbounds, outbounds and
// routes are compared.
const lookupsSince = "2.14"

// lookups compares the answers of a control plane about the ports and destinations of
// one dataplane with look-ups in the answer of the engine (matching.md §13.7).
type lookups struct {
	site      *oracle.Site
	snapshot  *rules.Snapshot
	dataplane kuma.Resource
	gateways  []*kuma.Resource // of the mesh
	answer    rules.Answer
	compared  int // answers of the control plane
	ambiguous int // omitted inbounds, which share their port or name with another one
	places    []string
}

// compare requests all endpoints, for the inbounds, embedded listeners and outbounds in
// _layout.
func (l *lookups) compare(ctx context.Context) error {
	layout, err := l.get(ctx, "_layout")
	if err != nil {
		return err
	}
	if err := l.outbounds(layout); err != nil {
		return err
	}
	if err := l.check(ctx, "policies", l.proxyPolicies(), "_policies"); err != nil {
		return err
	}
	if err := l.inbounds(ctx, slices.Concat(layout.Get("inbounds").Items(), layout.Get("listeners").Items())); err != nil {
		return err
	}
	for _, o := range layout.Get("outbounds").Items() {
		id, _ := o.Get("kri").Text()
		if err := l.outbound(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// get requests one endpoint of the dataplane.
func (l *lookups) get(ctx context.Context, path ...string) (tree.Node, error) {
	answer, err := l.site.Inspect(ctx, l.dataplane.Mesh, l.dataplane.Name, path...)
	return tree.Root(answer), err
}

// check requests an endpoint whose list has one element for each kind, and compares it
// with the list of the engine.
func (l *lookups) check(ctx context.Context, list string, want []any, path ...string) error {
	answer, err := l.get(ctx, path...)
	if err != nil {
		return err
	}
	got, _ := answer.Get(list).Value().([]any)
	for _, elements := range [][]any{want, got} {
		slices.SortFunc(elements, func(a, b any) int {
			kind, _ := tree.Root(a).Get("kind").Text()
			other, _ := tree.Root(b).Get("kind").Text()
			return cmp.Compare(kind, other)
		})
	}
	l.compared++
	endpoint, of := path[0], ""
	if len(path) > 1 {
		endpoint, of = path[0]+"/"+path[len(path)-1], fmt.Sprintf(" (of %s)", path[1:len(path)-1])
	}
	for _, place := range testworld.AnswerDifferences(endpoint, want, got) {
		l.places = append(l.places, strings.Replace(place, ": ", of+": ", 1))
	}
	return nil
}

// proxyPolicies are the rules for the proxy as a whole.
func (l *lookups) proxyPolicies() []any {
	policies := []any{}
	for _, p := range l.answer.Rules {
		if p.ProxyRule == nil {
			continue
		}
		origins := []any{}
		for _, m := range p.ProxyRule.Origin {
			origins = append(origins, origin(m))
		}
		policies = append(policies, map[string]any{"kind": p.Type, "conf": p.ProxyRule.Conf, "origins": origins})
	}
	return policies
}

// inbounds compares the rules for incoming traffic. The engine identifies inbounds by
// port, and the endpoint by name or port. Inbounds that share their port or name with
// another inbound, with an embedded listener or with a listener of a gateway are omitted.
func (l *lookups) inbounds(ctx context.Context, inbounds []tree.Node) error {
	ports := map[int64]int{}
	count := func(list tree.Node) {
		for _, in := range list.Items() {
			port, _ := in.Get("port").Int()
			ports[port]++
		}
	}
	networking := tree.Root(l.dataplane.Body).Get("networking")
	count(networking.Get("inbound"))
	count(networking.Get("listeners"))
	for _, gateway := range l.gateways {
		count(tree.Root(gateway.Body).Get("conf", "listeners"))
	}
	ids := map[string]int{}
	for _, in := range inbounds {
		id, _ := in.Get("kri").Text()
		ids[id]++
	}
	for _, in := range inbounds {
		port, _ := in.Get("port").Int()
		id, _ := in.Get("kri").Text()
		if ports[port] > 1 || ids[id] > 1 {
			l.ambiguous++
			continue
		}
		if err := l.check(ctx, "policies", l.inboundPolicies(int(port)), "_inbounds", id, "_policies"); err != nil {
			return err
		}
	}
	return nil
}

func (l *lookups) inboundPolicies(port int) []any {
	policies := []any{}
	for _, p := range l.answer.Rules {
		for _, in := range p.InboundRules {
			if in.Inbound.Port != port {
				continue
			}
			entries, origins := []any{}, []any{}
			seen := map[kuma.Key]bool{}
			for _, r := range in.Rules {
				policy := r.Origin[0].ResourceMeta
				entries = append(entries, map[string]any{"conf": r.Conf[0], "kri": kinds.KRI(policy.ID())})
				if !seen[policy.Key()] {
					seen[policy.Key()] = true
					origins = append(origins, origin(policy))
				}
			}
			policies = append(policies, map[string]any{"kind": p.Type, "rules": entries, "origins": origins})
		}
	}
	return policies
}

func origin(m rules.Meta) map[string]any { return map[string]any{"kri": kinds.KRI(m.ID())} }
