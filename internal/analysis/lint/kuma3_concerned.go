package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// concerned finds out which proxies, services and clients the upgrade to Kuma 3.0 concerns.
type concerned struct {
	*mesh
	dataplanes []*kuma.Resource
	consumers  map[kuma.Key][]string // dataplanes that name a service, by service
	about      map[kuma.Key]concern
}

func newConcerned(m *mesh) *concerned {
	c := &concerned{mesh: m, dataplanes: m.ofKind(kuma.KindDataplane), consumers: map[kuma.Key][]string{}, about: map[kuma.Key]concern{}}
	for _, dp := range c.dataplanes {
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

// concern are the proxies that a change of a resource concerns.
type concern struct {
	proxies   int
	sentences []string // which ones
}

// by returns the finding of a problem, with what it concerns.
func (c *concerned) by(p problem) Finding {
	f := p.finding()
	r := c.Resource(p.resource)
	if r == nil || p.detail != "" {
		return f
	}
	about, known := c.about[p.resource]
	if !known {
		about = c.of(r)
		c.about[p.resource] = about
	}
	sentences := slices.Clone(about.sentences)
	if k, _ := kinds.Find(r.Type); k.Policy != nil {
		if services := c.destinations(r, p.Path); len(services) > 0 {
			sentences = append(sentences, list("Destinations", services))
		}
		if clients, some := c.clients(r); some && len(p.Path) == 2 && p.Path[1] == "from" {
			sentences = append(sentences, list("Clients", clients))
		}
	}
	f.Detail = strings.Join(sentences, " ")
	return f.on(about.proxies)
}

// of returns what a change of a resource concerns.
func (c *concerned) of(r *kuma.Resource) concern {
	k, _ := kinds.Find(r.Type)
	switch {
	case k.Policy != nil:
		return c.ofPolicy(r.Key())
	case r.Type == kuma.KindDataplane:
		return concern{proxies: 1}
	case rules.IsDestination(r.Type):
		return c.ofService(r)
	default:
		return concern{}
	}
}

// ofPolicy returns the proxies that a policy applies to, before or after the upgrade.
func (c *concerned) ofPolicy(policy kuma.Key) concern {
	now, then := c.Selected(policy), c.in3().Selected(policy)
	switch {
	case len(now)+len(then) == 0:
		return concern{}
	case slices.Equal(now, then):
		return concern{len(now), []string{list("Proxies", now)}}
	default:
		return concern{len(phrase.Sorted(slices.Concat(now, then))), []string{list("Proxies now", now), list("In Kuma 3.0", then)}}
	}
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
		return phrase.Sorted(phrase.Each(c.Resolve(*policy, b.WithoutSection(), 0), func(t rules.Target) string { return t.Resource.Local() }))
	}
	return nil
}

// clients returns the dataplanes that the entries of `from` name by tags, and whether these
// are not all clients.
func (c *concerned) clients(policy *kuma.Resource) (names []string, some bool) {
	for _, n := range tree.Root(policy.Document()).Find("spec.from[].targetRef") {
		ref := kuma.ParseTargetRef(n.Value())
		tags := map[string]string{}
		if ref.Name != "" {
			tags[kuma.TagService] = ref.Name
		}
		maps.Copy(tags, ref.Tags)
		if selected, err := c.SelectDataplanes(c.name, rules.DataplaneSelector{Tags: tags}); err == nil {
			names, some = append(names, selected...), some || len(tags) > 0
		}
	}
	return phrase.Sorted(names), some
}

// ofService returns the proxies of a service, and those that name it as a destination.
func (c *concerned) ofService(service *kuma.Resource) concern {
	var serving []string
	if service.Type == kuma.KindMeshService {
		for _, dp := range c.dataplanes {
			if rules.Selects(*service, *dp) {
				serving = append(serving, dp.Name)
			}
		}
	}
	clients := c.consumers[service.Key()]
	about := concern{proxies: len(phrase.Sorted(slices.Concat(serving, clients)))}
	if len(serving) > 0 {
		about.sentences = append(about.sentences, list("Proxies", serving))
	}
	if len(clients) > 0 {
		about.sentences = append(about.sentences, list("Clients", clients))
	}
	return about
}

// list returns a sentence with the first few of names.
func list(what string, names []string) string {
	if len(names) == 0 {
		return what + ": none."
	}
	return fmt.Sprintf("%s: %s.", what, some(names))
}
