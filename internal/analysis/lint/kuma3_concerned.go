package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// concerned finds out which proxies, services and clients the upgrade to Kuma 3.0 concerns.
type concerned struct {
	*mesh
	consumers map[kuma.Key][]string // dataplanes that name a service, by service
}

func newConcerned(m *mesh) *concerned {
	c := &concerned{mesh: m, consumers: map[kuma.Key][]string{}}
	for _, dp := range m.ofKind(kuma.KindDataplane) {
		for _, o := range rules.Outbounds(*dp) {
			for _, service := range m.Consumed(m.name, o) {
				if !slices.Contains(c.consumers[service], dp.Name) {
					c.consumers[service] = append(c.consumers[service], dp.Name)
				}
			}
		}
	}
	return c
}

// by returns the finding of a problem, with what it concerns.
func (c *concerned) by(p problem) Finding {
	f := p.finding()
	r := c.Resource(p.resource)
	if r == nil || p.detail != "" {
		return f
	}
	var proxies []string
	var sentences []string
	k, _ := kinds.Find(r.Type)
	switch {
	case k.Policy != nil:
		proxies, sentences = c.ofPolicy(r, p.Path)
	case r.Type == kuma.KindDataplane:
		proxies = []string{r.Name}
	case rules.IsDestination(r.Type):
		proxies, sentences = c.ofService(r)
	}
	f.Detail = strings.Join(sentences, " ")
	return f.on(len(proxies))
}

// ofPolicy returns the proxies that a policy applies to, before or after the upgrade, and
// which they are, with the destination or the clients of the entry at a path.
func (c *concerned) ofPolicy(policy *kuma.Resource, at tree.Path) (proxies, sentences []string) {
	now, then := c.Selected(policy.Key()), c.in3().Selected(policy.Key())
	proxies = union(now, then)
	switch {
	case len(proxies) == 0:
	case slices.Equal(now, then):
		sentences = append(sentences, list("Proxies", now))
	default:
		sentences = append(sentences, list("Proxies now", now), list("In Kuma 3.0", then))
	}
	if services := c.destinations(policy, at); len(services) > 0 {
		sentences = append(sentences, list("Destinations", services))
	}
	if len(at) == 2 && at[1] == "from" {
		sentences = append(sentences, list("Clients", c.clients(policy)))
	}
	return proxies, sentences
}

// destinations returns the services that the reference around a path resolves to.
func (c *concerned) destinations(policy *kuma.Resource, at tree.Path) []string {
	for p := at; len(p) > 1 && p[1] != "targetRef"; p = p.Parent() {
		n := tree.Root(tree.At(policy.Document(), p))
		if ref := n.Get("targetRef"); ref.Known() {
			n = ref
		}
		b := rules.ParseBackendRef(n)
		if !rules.IsDestination(b.Kind) && !rules.IsRoute(b.Kind) {
			continue
		}
		var names []string
		for _, t := range c.Resolve(*policy, b.WithoutSection(), 0) {
			names = union(names, []string{t.Resource.Local()})
		}
		return names
	}
	return nil
}

// clients returns the dataplanes that the entries of `from` name by tags.
func (c *concerned) clients(policy *kuma.Resource) []string {
	var names []string
	for _, n := range tree.Root(policy.Document()).Find("spec.from[].targetRef") {
		ref := kuma.ParseTargetRef(n.Value())
		tags := maps.Clone(ref.Tags)
		if ref.Name != "" {
			if tags == nil {
				tags = map[string]string{}
			}
			tags[kuma.TagService] = ref.Name
		}
		if selected, err := c.SelectDataplanes(c.name, rules.DataplaneSelector{Tags: tags}); err == nil {
			names = union(names, selected)
		}
	}
	return names
}

// ofService returns the proxies that a service concerns, and which of them serve or use it.
func (c *concerned) ofService(service *kuma.Resource) (proxies, sentences []string) {
	var serving []string
	if service.Type == kuma.KindMeshService {
		for _, dp := range c.ofKind(kuma.KindDataplane) {
			if c.serves(service, dp) {
				serving = append(serving, dp.Name)
			}
		}
	}
	if len(serving) > 0 {
		sentences = append(sentences, list("Proxies", serving))
	}
	clients := c.consumers[service.Key()]
	if len(clients) > 0 {
		sentences = append(sentences, list("Clients", clients))
	}
	return union(serving, clients), sentences
}

// serves reports whether a MeshService selects an inbound of a dataplane.
func (m *mesh) serves(service, dataplane *kuma.Resource) bool {
	return rules.SameZone(*service, *dataplane) && slices.ContainsFunc(tree.Root(dataplane.Body).Get("networking", "inbound").Items(), func(in tree.Node) bool {
		return rules.Serves(*service, *dataplane, tree.StringMap(in.Get("tags").Value()))
	})
}

// list returns a sentence with the first few of names.
func list(what string, names []string) string {
	if len(names) == 0 {
		return what + ": none."
	}
	return fmt.Sprintf("%s: %s.", what, some(names))
}

// union returns the names of both lists in ascending order.
func union(a, b []string) []string {
	all := append(slices.Clone(a), b...)
	slices.Sort(all)
	return slices.Compact(all)
}
