package upgrade

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// targets returns the selectors of destinations, the most specific ones first.
func (o olderResources) targets() []selector { return inOrder(o.selectorsOf("destinations")) }

// selectorsOf returns the different selectors of the resources.
func (o olderResources) selectorsOf(list string) map[string]selector {
	all := map[string]selector{}
	for _, r := range o.resources {
		for _, s := range selectors(r, list) {
			all[phrase.JSON(s)] = s
		}
	}
	return all
}

// of returns the resources with a destination that selects tags.
func (o olderResources) of(tags map[string]string) []kuma.Resource {
	return slices.DeleteFunc(slices.Clone(o.resources), func(r kuma.Resource) bool {
		return !slices.ContainsFunc(selectors(r, "destinations"), func(s selector) bool { return s.selects(tags) })
	})
}

// permissions returns policies that allow what TrafficPermissions do: of those that select an inbound,
// the most specific one decides alone, so that each policy first denies everything.
func (o olderResources) permissions() (p proposal, why string) {
	targets := o.targets()
	for i, target := range targets {
		deciding, why := o.deciding(target)
		if why != "" {
			return p, why
		}
		ref, why := target.ref()
		switch {
		case why != "":
			return p, why
		case o.isCovered(target, ref):
			continue
		}
		from := []any{map[string]any{"targetRef": map[string]any{"kind": kuma.KindMesh}, "default": map[string]any{"action": rules.ActionDeny}}}
		for _, s := range selectors(*deciding, "sources") {
			client, _ := s.named().ref()
			allow := map[string]any{"targetRef": client, "default": map[string]any{"action": "Allow"}}
			if client["kind"] == kuma.KindMesh {
				from = []any{allow}
				break
			}
			from = append(from, allow)
		}
		o.add(&p, o.nameOf("destinations", target, i, len(targets)), map[string]any{"targetRef": ref, "from": from})
	}
	return p, o.allowsOthers(with(o.w.resources, p))
}

// isCovered reports whether all proxies that a selector selects have a policy, which overrides resources, or whether
// it selects none, and there is a policy for it or it is for an ExternalService, which policies do not affect.
func (o olderResources) isCovered(target selector, ref map[string]any) bool {
	selected := false
	for _, d := range o.w.proxiesOf(o.mesh.Name) {
		if slices.ContainsFunc(d.tags, target.selects) {
			if selected = true; !o.hasPolicy(d.Name) {
				return false
			}
		}
	}
	return selected || slices.ContainsFunc(o.w.older(o.mesh.Name, kinds.ExternalService), func(r kuma.Resource) bool {
		return target[kuma.TagService] == tree.StringMap(r.Body["tags"])[kuma.TagService]
	}) || slices.ContainsFunc(o.w.snapshot().Resources(o.mesh.Name, o.policy), func(p *kuma.Resource) bool {
		return tree.Equal(p.Spec()["targetRef"], any(ref))
	})
}

// deciding returns the resource that decides about inbounds with tags: the one that is most specific
// about them. Of equal ones the newest does, which documents do not show.
func (o olderResources) deciding(tags map[string]string) (found *kuma.Resource, why string) {
	found, equal := o.mostSpecific(func(r kuma.Resource) (all [][]selector) {
		for _, s := range selectors(r, "destinations") {
			if s.selects(tags) {
				all = append(all, []selector{s})
			}
		}
		return all
	})
	for _, r := range equal {
		if !tree.Equal(r.Body["sources"], found.Body["sources"]) {
			why = sameRank(r, *found)
		}
	}
	return found, why
}

func sameRank(a, b kuma.Resource) string {
	return a.Name + " and " + b.Name +
		" select the same traffic as specifically, of which the newer one decides, and documents do not show which that is."
}

// named returns a selector without the tags that may have any value.
func (s selector) named() selector {
	s = maps.Clone(s)
	maps.DeleteFunc(s, func(_, value string) bool { return value == "*" })
	return s
}

// allowsOthers compares which clients policies allow with which the TrafficPermissions do, for each
// kind of client and inbound.
func (o olderResources) allowsOthers(resources []kuma.Resource) (why string) {
	withoutOlder := func(all []kuma.Resource) *proxy.Mesh {
		m, _ := proxy.New(rules.NewSnapshotFor(o.w.ControlPlane.Release, o.w.stored(all, o.w.ControlPlane)), o.mesh.Name)
		return m
	}
	before, after := withoutOlder(o.w.resources), withoutOlder(resources)
	if before == nil || after == nil {
		return "The settings of the mesh are not known."
	}
	kindsOf := differentTags(o.w.proxiesOf(o.mesh.Name))
	for _, server := range kindsOf {
		decided := o.hasPolicy(server.Name) || o.w.snapshot().Identity(o.mesh.Name, server.Name) != (kuma.Key{})
		for i, inbound := range tree.Root(server.Body).Get("networking", "inbound").Items() {
			port, _ := inbound.Get("port").Int()
			deciding, why := o.deciding(server.tags[i])
			if why != "" {
				return why
			}
			for _, client := range kindsOf {
				to := proxy.Target{Dataplane: server.Name, Port: int(port)}
				is, err := after.Decide(client.Name, to)
				if err != nil || is.Problem != nil {
					continue
				}
				want := deciding != nil &&
					slices.ContainsFunc(selectors(*deciding, "sources"), func(s selector) bool { return s.isClient(client.tags) })
				if was, _ := before.Decide(client.Name, to); decided {
					want = was.Verdict == proxy.Allowed
				}
				if is.TLS && want != (is.Verdict == proxy.Allowed) {
					return fmt.Sprintf(
						"The policies would decide otherwise about Dataplane %s at port %d of %s, which other policies select as well, or several of them.",
						client.Name, port, server.Name)
				}
			}
		}
	}
	return ""
}

// isClient reports whether the certificate of a proxy has the tags.
func (s selector) isClient(tags []map[string]string) bool {
	return len(tags) > 0 && certified(tags, s.named())
}

// certified reports whether the certificate of a proxy has tags: it contains those of all inbounds.
func certified(inbounds []map[string]string, tags map[string]string) bool {
	for key, value := range tags {
		if !slices.ContainsFunc(inbounds, func(inbound map[string]string) bool { return inbound[key] == value }) {
			return false
		}
	}
	return true
}

// faults returns policies with the faults of FaultInjections, for the clients that name their tags in
// a header. Of several for the same inbound, all apply.
func (o olderResources) faults() (p proposal, why string) {
	for _, d := range o.w.proxiesOf(o.mesh.Name) {
		for _, tags := range d.tags {
			if found := o.of(tags); len(found) > 1 {
				return p, found[0].Name + " and " + found[1].Name + " apply to the same inbound, and a " + o.policy +
					" with the faults of both cannot express both shares."
			}
		}
	}
	if len(o.w.older(o.mesh.Name, "RateLimit")) > 0 {
		p.unseen = "the faults of a " + o.policy + " come after the limits of a RateLimit, and count"
	}
	for _, r := range o.resources {
		fault, why := faultOf(tree.Root(r.Body).Get("conf"))
		if why != "" {
			return p, why
		}
		destinations := selectors(r, "destinations")
		for i, target := range destinations {
			ref, why := o.w.withoutProtocol(o.mesh.Name, target).ref()
			if why != "" {
				return p, why
			}
			ref["proxyTypes"] = []any{"Sidecar"}
			var from []any
			for _, s := range selectors(r, "sources") {
				client, _ := s.named().ref()
				if len(s.named()) < len(s) {
					p.unseen = "a " + o.policy + " also affects requests without the header that proxies of the mesh add"
				}
				from = append(from, map[string]any{"targetRef": client, "default": map[string]any{"http": []any{tree.Clone(fault)}}})
			}
			if len(from) > 1 {
				return p, "It has several sources, for which a " + o.policy + " combines faults."
			}
			own := o
			own.resources = []kuma.Resource{r}
			own.add(&p, numbered(r.Name, i, len(destinations)), map[string]any{"targetRef": ref, "from": from})
		}
	}
	return p, ""
}

// numbered returns different names for several policies of a resource.
func numbered(name string, i, n int) string {
	if n == 1 {
		return name
	}
	return fmt.Sprintf("%s-%d", name, i+1)
}

// withoutProtocol returns a selector without the protocol, if the same inbounds have the other tags.
func (w *world) withoutProtocol(mesh string, s selector) selector {
	shorter := maps.Clone(s)
	delete(shorter, kuma.TagProtocol)
	differs := func(tags map[string]string) bool { return shorter.selects(tags) != s.selects(tags) }
	if slices.ContainsFunc(w.proxiesOf(mesh), func(d taggedProxy) bool { return slices.ContainsFunc(d.tags, differs) }) {
		return s
	}
	return shorter
}

// faultOf returns a fault of a MeshFaultInjection. With another unit than kbps, proxies of 2.14 get no
// configuration (proxies.md §6).
func faultOf(conf tree.Node) (fault map[string]any, why string) {
	fault = tree.Object(tree.Clone(conf.Value()))
	for _, f := range fault {
		object := tree.Object(f)
		if share, ok := object["percentage"].(json.Number); ok && strings.Contains(share.String(), ".") {
			object["percentage"] = share.String()
		}
		if limit, ok := object["limit"].(string); ok && !strings.HasSuffix(limit, "kbps") {
			return nil, "Its proxies get no configuration on 2.14, because the unit of the bandwidth is not kbps."
		}
	}
	if len(fault) == 0 {
		return nil, "It has no fault."
	}
	return fault, ""
}

// limits returns policies with the limits of RateLimits, which proxies of 2.14 match to clients by a
// header, and those of policies by SPIFFE IDs.
func (o olderResources) limits() (p proposal, why string) {
	p.unseen = "a " + o.policy +
		" also limits requests without the header that proxies of the mesh add, and clients by SPIFFE ID instead of it"
	targets := o.targets()
	for _, d := range o.w.proxiesOf(o.mesh.Name) {
		for _, tags := range d.tags {
			if found := slices.DeleteFunc(slices.Clone(targets), func(s selector) bool { return !s.selects(tags) }); len(found) > 1 {
				return p, "Several destinations select an inbound of Dataplane " + d.Name + ", and limits of policies for it are merged."
			}
		}
	}
	ids := o.w.clientIDs(o.mesh.Name, true) // only stage two contains the policies
	for i, target := range targets {
		ref, why := o.w.withoutProtocol(o.mesh.Name, target).ref()
		if why != "" {
			return p, why
		}
		seen := map[string]bool{}
		var list []any
		for _, r := range o.of(target) {
			limit, why := limitOf(tree.Root(r.Body).Get("conf", "http"))
			if why != "" {
				return p, why
			}
			for _, s := range selectors(r, "sources") {
				rule := map[string]any{"default": map[string]any{"local": map[string]any{"http": tree.Clone(limit)}}}
				clients := []string{""}
				if len(s.named()) > 0 {
					client, _ := s.named().ref()
					if ids.why != "" {
						return p, ids.why
					}
					if clients, why = o.w.clientsOf(r, tree.Root(map[string]any{"targetRef": client}), ids); why != "" {
						return p, why
					}
					rule["matches"] = exactly(clients)
				}
				for _, id := range clients {
					if seen[id] {
						return p, "Several RateLimits limit the same clients, of which the most specific one applies: delete the others."
					}
					seen[id] = true
				}
				list = append(list, rule)
			}
		}
		if ref["kind"] == kuma.KindMesh {
			ref["kind"] = kuma.KindDataplane
		}
		o.add(&p, o.nameOf("destinations", target, i, len(targets)), map[string]any{"targetRef": ref, "rules": list})
	}
	return p, ""
}

// limitOf returns the limit of a MeshRateLimit.
func limitOf(conf tree.Node) (limit map[string]any, why string) {
	limit = map[string]any{"requestRate": map[string]any{"num": conf.Get("requests").Value(), "interval": conf.Get("interval").Value()}}
	answer := fields(conf.Get("onRateLimit"), "status")
	if headers := headerChanges(conf.Get("onRateLimit", "headers").Items(), false); len(headers) > 0 {
		answer["headers"] = headers
	}
	if len(answer) > 0 {
		limit["onRateLimit"] = answer
	}
	if !conf.Get("requests").Known() || !conf.Get("interval").Known() {
		return nil, "It has no limit."
	}
	return limit, ""
}

// traces returns policies with the backends that TrafficTraces select. Of several that select a proxy,
// the most specific one applies. Of policies as well, if the other one is for all proxies, and each says what to sample.
func (o olderResources) traces() (p proposal, why string) {
	p.unseen = "a " + o.policy + " also traces requests to services, and adds mesh and zone to the traces"
	return o.whole(p, func(r kuma.Resource) (map[string]any, string) {
		name, ok := tree.Root(r.Body).Get("conf", "backend").Text()
		if !ok {
			name, _ = tree.Root(o.mesh.Body).Get("tracing", "defaultBackend").Text()
		}
		settings, why := traceBackend(backendOf(o.mesh, "tracing", name))
		if why == "" && settings["sampling"] == nil && len(o.resources) > 1 {
			settings["sampling"] = map[string]any{"overall": json.Number("100")}
		}
		return settings, why
	})
}

// isForAll reports whether a resource selects all proxies by nothing but the service.
func isForAll(r kuma.Resource) bool {
	return !slices.ContainsFunc(selectors(r, "selectors"), func(s selector) bool { return !maps.Equal(s, everything) })
}

// patches returns policies with the modifications of ProxyTemplates. Of several that select a proxy,
// one applies, and of policies all do.
func (o olderResources) patches() (p proposal, why string) {
	return o.whole(p, func(r kuma.Resource) (map[string]any, string) {
		conf := tree.Root(r.Body).Get("conf")
		if imports := conf.Get("imports"); !tree.Equal(imports.Value(), []any{"default-proxy"}) || conf.Get("resources").Filled() {
			return nil, "It does more than modify the default configuration, which a MeshProxyPatch cannot."
		}
		list := tree.List(tree.Clone(conf.Get("modifications").Value()))
		for _, m := range list {
			for _, part := range tree.Object(m) {
				object := tree.Object(part)
				if operation := tree.Text(object["operation"]); operation != "" {
					object["operation"] = strings.ToUpper(operation[:1]) + operation[1:]
				}
			}
		}
		return map[string]any{"appendModifications": list}, ""
	})
}

// whole adds a policy for each selector of resources that configure proxies as a whole.
func (o olderResources) whole(p proposal, settings func(r kuma.Resource) (map[string]any, string)) (proposal, string) {
	for _, d := range o.w.proxiesOf(o.mesh.Name) {
		var found []kuma.Resource
		for _, r := range o.resources {
			if slices.ContainsFunc(selectors(r, "selectors"), func(s selector) bool { return slices.ContainsFunc(d.tags, s.selects) }) {
				found = append(found, r)
			}
		}
		oneForAll := len(found) == 2 && isForAll(found[0]) != isForAll(found[1])
		if len(found) > 1 && (o.policy != kinds.MeshTrace.Name || !oneForAll) {
			return p, found[0].Name + " and " + found[1].Name + " select Dataplane " + d.Name + ": the more specific one applies, and a " +
				o.policy + " is merged with others."
		}
	}
	for _, r := range o.resources {
		found, why := settings(r)
		if why != "" {
			return p, why
		}
		all := selectors(r, "selectors")
		for i, s := range all {
			ref, why := s.ref()
			if why != "" {
				return p, why
			}
			if gateway := o.w.gateway(o.mesh.Name, s); gateway != "" && p.unseen == "" {
				p.unseen = "Dataplane " + gateway + ", a builtin gateway, reads it as well"
			}
			o.add(&p, numbered(r.Name, i, len(all)), map[string]any{"targetRef": ref, "default": found})
		}
	}
	return p, ""
}
