package access

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

const maxServices = 3 // in the name of a client

// ClientGroup are dataplanes of the same services with the same certificate, which reach the
// same services.
type ClientGroup struct {
	// Name is the services that they provide, with slashes between them, or the dataplane if
	// it provides none. If several groups provide the same ones, it contains the first
	// dataplane.
	Name       string
	Services   []string
	Dataplanes []string
	ReachesAll bool // they list no services, and so reach all

	proxy.Client
	outbounds *proxy.Outbounds
	routed    [2]error           // why it is not known where requests to services and by tags go
	misnamed  map[kuma.ID]Answer // external services for which the zone egress does not take what the proxies send
	untagged  map[string]bool    // values of kuma.io/service for which routes have no backends by tags
	zone      string
	class     int
}

// clientGroups groups the dataplanes, all or those with one of the names.
func (b *matrixBuilder) clientGroups(names []string) []ClientGroup {
	m := b.Mesh
	external := slices.DeleteFunc(slices.Clone(m.Services()), func(s *proxy.Service) bool { return !isExternal(s) })
	provided := map[string][]string{}
	for _, s := range m.Services() {
		for _, dataplane := range s.Members {
			provided[dataplane] = append(provided[dataplane], s.ID.Name)
		}
	}
	var groups []ClientGroup
	at := map[string]int{}
	for _, dataplane := range m.Dataplanes() {
		if m.IsZoneProxy(dataplane) {
			continue // no application sends requests from it
		}
		g := ClientGroup{Services: provided[dataplane], Client: m.Client(dataplane)}
		if len(names) > 0 && !slices.ContainsFunc(append(g.Services, dataplane), func(n string) bool { return slices.Contains(names, n) }) {
			continue
		}
		switch n := len(g.Services); {
		case n == 0:
			g.Name = dataplane
		case n > maxServices:
			g.Name = strings.Join(g.Services[:maxServices], "/") + " " + phrase.More(n-maxServices, "")
		default:
			g.Name = strings.Join(g.Services, "/")
		}
		g.Broken = cmp.Or(g.Broken, b.frozen[dataplane])
		g.outbounds = m.Outbounds(dataplane)
		g.ReachesAll = g.outbounds.Everything
		g.routed = [2]error{m.Routed(dataplane, false), m.Routed(dataplane, true)}
		if g.Identity != (kuma.Key{}) { // connections by tags fail
			g.untagged = map[string]bool{}
			for _, tag := range g.outbounds.Tags() {
				avoids, err := b.simulation.AvoidsTags(m.Name(), dataplane, tag)
				b.fail(err)
				g.untagged[tag] = avoids
			}
		}
		g.zone = m.Snapshot().Resource(kuma.Key{Type: kuma.KindDataplane, Mesh: m.Name(), Name: dataplane}).Zone()
		g.misnamed = b.misnamedBy(dataplane, external)
		key := fmt.Sprintf("%q %q %q %v %v %s %v", g.Name, g.Identification(), g.outbounds.Key(), g.routed, g.untagged, g.zone, g.misnamed)
		i, ok := at[key]
		if !ok {
			i = len(groups)
			at[key] = i
			groups = append(groups, g)
		}
		groups[i].Dataplanes = append(groups[i].Dataplanes, dataplane)
	}
	distinguish(groups)
	slices.SortStableFunc(groups, func(a, b ClientGroup) int { return strings.Compare(a.Name, b.Name) })
	return groups
}

func isExternal(s *proxy.Service) bool { return s.ID.Type == kuma.KindMeshExternalService }

// misnamedBy returns the external services for which a proxy asks a zone egress for another port than they have, with
// what follows from that.
func (b *matrixBuilder) misnamedBy(dataplane string, external []*proxy.Service) map[kuma.ID]Answer {
	found := map[kuma.ID]Answer{}
	for _, s := range external {
		for _, p := range s.Ports {
			if !b.Outbounds(dataplane).Has(s.ID, p.Number) {
				continue
			}
			wrong, known, err := b.simulation.Misnames(b.Name(), dataplane, rules.Port{Resource: s.ID, Section: p.Name, Number: p.Number})
			switch b.fail(err); {
			case !known:
				found[s.ID] = Answer{Verdict: proxy.Undecided, Reason: "references of the client to it have different ports"}
			case wrong:
				found[s.ID] = Answer{
					Verdict: proxy.TLSMismatch,
					Reason:  fmt.Sprintf("a reference of the client to it has another port than %d, which the zone egress rejects", p.Number),
				}
			}
		}
	}
	return found
}

// distinguish adds a dataplane to names that several groups have.
func distinguish(groups []ClientGroup) {
	named := map[string]int{}
	for _, g := range groups {
		named[g.Name]++
	}
	for i, g := range groups {
		if named[g.Name] > 1 {
			groups[i].Name += " (" + g.Dataplanes[0] + ")"
		}
	}
}

// classesOf numbers the clients on which all decisions are equal, and returns one of each.
func classesOf(groups []ClientGroup) []proxy.Client {
	var classes []proxy.Client
	at := map[string]int{}
	for i := range groups {
		key := groups[i].Identification()
		class, ok := at[key]
		if !ok {
			class = len(classes)
			at[key] = class
			classes = append(classes, groups[i].Client)
		}
		groups[i].class = class
	}
	return classes
}
