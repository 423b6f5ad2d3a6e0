package access

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
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
	untagged  map[string]bool    // values of kuma.io/service for which routes have no backends by tags
	misnamed  map[kuma.ID]Answer // services whose listener Envoy rejects, or that the zone egress may not find
	class     int
}

// clientGroups groups the dataplanes, all or those with one of the names.
func (b *matrixBuilder) clientGroups(names []string) []ClientGroup {
	m := b.Mesh
	provided := map[string][]string{}
	for _, s := range m.Services() {
		for _, dataplane := range s.Members {
			provided[dataplane] = append(provided[dataplane], s.ID.Name)
		}
	}
	var all []ClientGroup // of one Dataplane each
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
		g.misnamed = b.misnamedBy(dataplane)
		g.Dataplanes = []string{dataplane}
		all = append(all, g)
	}
	key := func(g ClientGroup) string {
		return fmt.Sprintf("%q %q %q %v %v %v", g.Name, g.Identification(), g.outbounds.Key(), g.routed, g.untagged, g.misnamed)
	}
	groups := phrase.Each(phrase.Grouped(all, key), func(same []ClientGroup) ClientGroup {
		g := same[0]
		g.Dataplanes = phrase.Each(same, func(g ClientGroup) string { return g.Dataplanes[0] })
		return g
	})
	distinguish(groups)
	slices.SortStableFunc(groups, func(a, b ClientGroup) int { return strings.Compare(a.Name, b.Name) })
	return groups
}

// misnamedBy returns the services to which a proxy has no listener that Envoy accepts, and the external ones for which it may ask a zone
// egress for another port than they have.
func (b *matrixBuilder) misnamedBy(dataplane string) map[kuma.ID]Answer {
	found := map[kuma.ID]Answer{}
	rejected, err := b.simulation.Rejected(b.Name(), dataplane)
	b.fail(err)
	for _, s := range b.Services() {
		if by := cmp.Or(rejected[s.ID], rejected[kuma.ID{Mesh: b.Name(), Name: s.Tag}]); by != "" {
			found[s.ID] = Answer{Verdict: proxy.Undecided, Reason: by}
		}
		switch misnamed, known := b.simulation.Misnames(b.Name(), dataplane, s.ID); {
		case !known:
			found[s.ID] = Answer{Verdict: proxy.Undecided, Reason: "references of the client to it have different ports"}
		case misnamed:
			found[s.ID] = Answer{
				Verdict: proxy.TLSMismatch, Reason: "references of the client to it have another port, which the zone egress rejects",
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
