package impact

import (
	"maps"
	"slices"
	"strconv"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// renamedOutbounds returns the services to which outbounds refer after the change that select proxies by a
// value of kuma.io/service before it, at the same address and with the same proxies.
func (c *comparison) renamedOutbounds() map[string]map[string]rules.Destination {
	out := map[string]map[string]rules.Destination{}
	if !c.before.exists() || !c.after.exists() {
		return out
	}
	for dataplane := range c.own {
		before, after := c.before.proxies.Outbounds(dataplane), c.after.proxies.Outbounds(dataplane)
		if before == nil || after == nil { // it is added or removed
			continue
		}
		for _, b := range before.All {
			tag := b.Tags[kuma.TagService]
			if len(b.Tags) != 1 || !b.Address.IsValid() {
				continue
			}
			for _, a := range after.All {
				if a.Tags == nil && a.Address == b.Address && slices.Equal(c.before.withTag(tag), c.after.proxies.Members(a.Port.Resource)) {
					if out[dataplane] == nil {
						out[dataplane] = map[string]rules.Destination{}
					}
					out[dataplane][tag] = rules.Destination{Resource: a.Port.Resource, Section: a.Section}
				}
			}
		}
	}
	return out
}

func isRenamed(renamed map[string]rules.Destination, id kuma.ID) bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(renamed)), func(to rules.Destination) bool { return to.Resource == id })
}

// renamedChanges compares the endpoints of outbounds by a tag with those of the ports to which the same outbounds refer after the change.
func (p *proxyReachability) renamedChanges() (changes []*Change) {
	for _, tag := range slices.Sorted(maps.Keys(p.renamed)) {
		to := p.renamed[tag]
		for _, o := range p.is.All {
			if o.Port.Resource == to.Resource && o.Section == to.Section {
				byTag := proxy.Outbound{Tags: map[string]string{kuma.TagService: tag}}
				was, is := p.was.inboundsOf(byTag, p.after), p.is.inboundsOf(o, p.before)
				changes = append(changes, p.difference(section{id: to.Resource}, EndpointsPath, was, is)...)
			}
		}
	}
	return changes
}

// inboundsOf returns the inbounds to which an outbound leads, of Dataplanes on both sides.
func (s *snapshot) inboundsOf(o proxy.Outbound, other *snapshot) (inbounds []string) {
	for _, e := range s.endpointsOf(o) {
		if has(other.dataplanes, e.Dataplane) {
			inbounds = append(inbounds, e.Dataplane+" port "+strconv.Itoa(e.Port))
		}
	}
	return phrase.Sorted(inbounds)
}

// withTag returns the names of the dataplanes with a value of kuma.io/service.
func (s *snapshot) withTag(service string) []string {
	inbounds := s.proxies.Inbounds(map[string]string{kuma.TagService: service})
	return phrase.Sorted(phrase.Each(inbounds, func(e proxy.Endpoint) string { return e.Dataplane }))
}

// renamed compares what applies by a tag before the change with the rules for the services to which the same outbounds
// refer after it.
func (d *ruleComparison) renamed() {
	byTag := indexPeers(d.byTag)
	seen := map[string]map[section]bool{}
	for _, dataplane := range slices.Sorted(maps.Keys(d.of.renamed)) {
		for tag, to := range d.of.renamed[dataplane] {
			at := section{to.Resource, to.Section}
			if d.after.sections[at] == nil {
				at.name = ""
			}
			if seen[tag][at] {
				continue
			}
			if seen[tag] == nil {
				seen[tag] = map[section]bool{}
			}
			seen[tag][at] = true
			was, is := byTag.settings(kuma.TagService+"="+tag, map[string]string{kuma.TagService: tag}), d.after.settings(to, nil)
			c := Change{Direction: To, Destination: kinds.KRI(at.id) + at.name, about: d.after.describe(at)}
			for _, uses := range [][2]bool{{true, true}, {true, false}, {false, true}} { // a tag can have another protocol
				c.target = target{section: at, implied: uses == [2]bool{true, true}, renamed: tag, uses: uses}
				sides := [2]*settings{}
				for i, s := range []*settings{was, is} {
					if uses[i] {
						sides[i] = s
					}
				}
				d.difference(c, sides[0], sides[1])
			}
		}
	}
}
