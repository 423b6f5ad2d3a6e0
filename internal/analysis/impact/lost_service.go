package impact

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// LostService is a service that is removed although dataplanes have outbounds to it.
type LostService struct {
	Service    kuma.Key
	Dataplanes []string // sorted
}

// lostServices returns the removed services that outbounds of remaining dataplanes refer
// to, if these find no other service after the change.
func (c *comparison) lostServices(dataplanes []string) []LostService {
	var lost []LostService
	for _, d := range c.differences {
		if d.operation == Removed && rules.IsDestination(d.key.Type) {
			lost = append(lost, LostService{Service: d.key})
		}
	}
	if lost == nil {
		return nil
	}
	for _, name := range dataplanes {
		for _, o := range rules.Outbounds(*c.after.Resource(kuma.Key{Type: kuma.KindDataplane, Mesh: c.after.mesh, Name: name})) {
			if len(c.after.Consumed(c.after.mesh, o)) > 0 || o.Tag != "" && c.after.HasServiceTag(c.after.mesh, o.Tag) {
				continue
			}
			before := c.before.Consumed(c.before.mesh, o)
			for i := range lost {
				if l := &lost[i]; slices.Contains(before, l.Service) && !slices.Contains(l.Dataplanes, name) {
					l.Dataplanes = append(l.Dataplanes, name)
				}
			}
		}
	}
	return slices.DeleteFunc(lost, func(l LostService) bool { return l.Dataplanes == nil })
}

// writeLost writes about services that are removed although they are used.
func (i Impact) writeLost(b *strings.Builder) {
	for n, l := range i.LostServices {
		if n == 0 {
			b.WriteString("\n")
		}
		if n == maxGroups {
			fmt.Fprintf(b, "%s\n", phrase.More(len(i.LostServices)-n, "removed services with outbounds to them"))
			return
		}
		have := "have outbounds"
		if len(l.Dataplanes) == 1 {
			have = "has an outbound"
		}
		fmt.Fprintf(b, "%s %s is removed; %s %s to it\n", l.Service.Type, l.Service.Name, phrase.Some(l.Dataplanes, maxNames, "dataplanes"), have)
	}
}
