package impact

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// ReachablePath is the path of a [Change] of whether the proxy has a listener for a service
// that exists on both sides, or that its Dataplane lists, or lets traffic through to the
// destination [Outside]. The type of the change is Dataplane.
const ReachablePath = "reachable"

// CertificatePath is the path of a [Change] of the certificate of the proxy: another one, or its first one, if a label that the
// SPIFFE ID contains was missing. Values are its SPIFFE ID, or its issuer.
const CertificatePath = "certificate"

// TrustPath is the path of a [Change] of the trust domains that MeshTrusts give the proxy, a list.
const TrustPath = "trust"

// Outside is the destination of a change of everything that does not belong to the mesh. What a
// MeshPassthrough allows is a setting, and a change of its own.
const Outside = "outside"

// Values of a change with the path [ReachablePath], as JSON.
const (
	reachable    = "true"
	notReachable = "false"
)

// reachability compares the services that proxies reach.
type reachability struct {
	*comparison
	services []kuma.ID // that exist on both sides
	single   []kuma.ID // that exist on one side; they count only if a Dataplane lists them
	// filled are the provided ports of MeshMultiZoneServices that select a MeshService only after the change.
	filled map[kuma.ID][]int
	// otherMode is whether the mesh has other services by another mode.
	otherMode bool
	egresses  [2][]proxy.Endpoint // through which requests leave the mesh, before and after
	// changedTags are values of kuma.io/service of Dataplanes that differ themselves.
	changedTags func() []string
	known       sync.Map // lost and gained services as text -> *result
	different   func() map[kuma.ID][]serviceChange
}

func newReachability(c *comparison) *reachability {
	r := &reachability{comparison: c, filled: map[kuma.ID][]int{}}
	r.different, r.changedTags = sync.OnceValue(r.serviceChanges), sync.OnceValue(r.tagsOfOwn)
	mode := func(s *snapshot) any {
		return tree.Root(s.Resource(kuma.MeshKey(s.mesh)).Body).Get("meshServices", "mode").Value()
	}
	if c.before.Release() == c.after.Release() {
		r.otherMode = c.before.exists() && c.after.exists() && mode(c.before) != mode(c.after)
		r.egresses = [2][]proxy.Endpoint{c.before.egresses(), c.after.egresses()}
	}
	add := func(of, other *snapshot, both bool) {
		for _, service := range of.Resources(of.mesh, rules.DestinationKinds()...) {
			switch id := service.ID(); {
			case of.ids[id] != service:
			case other.ids[id] == nil:
				r.single = append(r.single, id)
			case both:
				r.services = append(r.services, id)
				if id.Type == kuma.KindMeshMultiZoneService && len(c.before.Behind(id)) == 0 {
					r.filled[id] = c.after.providedPorts(id)
				}
			}
		}
	}
	add(c.before, c.after, true)
	add(c.after, c.before, false)
	for _, list := range [][]kuma.ID{r.services, r.single} {
		slices.SortFunc(list, func(a, b kuma.ID) int { return cmp.Compare(kinds.KRI(a), kinds.KRI(b)) })
	}
	return r
}

// canChange reports whether a proxy can reach other services after the change.
func (r *reachability) canChange(dataplane string) bool {
	return r.own[dataplane] || r.changed[kuma.MeshKey(r.after.mesh)] || slices.Contains(r.reached, kinds.MeshPassthrough.Name) ||
		r.before.Release() != r.after.Release() || r.before.RestrictsOutbound() != r.after.RestrictsOutbound() ||
		r.egressesOf(dataplane, 0) != r.egressesOf(dataplane, 1) ||
		slices.ContainsFunc(r.differences, func(d difference) bool {
			return rules.IsDestination(d.key.Type) || d.key.Type == kinds.MeshIdentity.Name || d.key.Type == kinds.MeshTrust.Name
		}) || len(r.different()) > 0 || len(r.changedTags()) > 0
}

// compare returns the changes for a dataplane.
func (r *reachability) compare(dataplane string) *result {
	before, after, outside := r.before.proxies.Outbounds(dataplane), r.after.proxies.Outbounds(dataplane), r.outside(dataplane)
	renamed := r.renamed[dataplane]
	secure := len(r.before.proxies.Client(dataplane).Names)*len(r.after.proxies.Client(dataplane).Names) > 0
	namesPorts := secure && r.after.Release().Kuma3() // in server names
	isRenamed := func(id kuma.ID) bool { return isRenamed(renamed, id) }
	var lost, gained []section
	keepsAll := before.Everything && after.Everything // then new services count as gained by no proxy
	used, uses := r.before.usageOf(dataplane, ""), r.after.usageOf(dataplane, "")
	different := append(r.tagChanges(used, uses), r.affinityChanges(used, uses)...)
	for _, id := range r.services {
		was, is := before.HasService(id), after.HasService(id)
		tag := r.before.proxies.TagOf(id)
		for _, d := range r.different()[id] {
			number, _ := strconv.Atoi(d.name)
			switch {
			case d.path == NamePath && !namesPorts && before.Section(id, number) == after.Section(id, number), d.path == IdentityPath && !secure,
				d.path == PortPath && !after.Transparent && !uses.egress: // its listener has an address of its own
			case d.concerns(before) && d.concerns(after), d.path != HostNamesPath && used.connectsTo(id) && uses.connectsTo(id):
				different = append(different, d)
			}
		}
		if through, now := r.egressesOf(dataplane, 0), r.egressesOf(dataplane, 1); through != now &&
			id.Type == kuma.KindMeshExternalService && (was && is || used.backends[id] && uses.backends[id]) {
			different = append(different, serviceChange{section: section{id: id}, path: EgressPath, before: through, after: now})
		}
		switch {
		case isRenamed(id):
		case was && !is && (tag == "" || !after.HasTag(tag) || before.HasTag(tag)) && r.before.listens(dataplane, id):
			lost = append(lost, section{id: id})
		case is && (listensForAny(after, id, r.filled[id]) || !keepsAll && !was && (tag == "" || !before.HasTag(tag) || after.HasTag(tag))) &&
			r.after.listens(dataplane, id):
			gained = append(gained, section{id: id})
		}
	}
	for _, id := range r.single {
		isExternal := id.Type == kuma.KindMeshExternalService
		switch {
		case isExternal && used.egress && r.before.ids[id] != nil:
			lost = append(lost, section{id: id})
		case isExternal && uses.egress && r.after.ids[id] != nil:
			gained = append(gained, section{id: id})
		case (before.Everything || after.Everything) && !r.otherMode || isRenamed(id) || r.isLost(id, dataplane):
		case before.HasService(id) && r.before.listens(dataplane, id):
			lost = append(lost, section{id: id})
		case after.HasService(id) && r.after.listens(dataplane, id):
			gained = append(gained, section{id: id})
		}
	}
	if before.Key() != after.Key() {
		lost = append(lost, r.portsOnly(before, after, renamed)...)
		if !keepsAll {
			gained = append(gained, r.portsOnly(after, before, renamed)...)
		}
	}
	reaches := func(s *snapshot, o *proxy.Outbounds, tag string) bool {
		if before.Transparent && after.Transparent {
			return o.HasTag(tag) // of the host name NAME.mesh
		}
		return s.proxies.ReachesTag(o, tag)
	}
	for _, tag := range before.Tags() {
		_, isRenamed := renamed[tag]
		remains := r.after.HasServiceTag(r.after.mesh, tag) || r.after.Release().Kuma3() && !r.before.Release().Kuma3()
		if !isRenamed && remains && !reaches(r.after, after, tag) {
			lost = append(lost, section{id: kuma.ID{Mesh: r.after.mesh, Name: tag}})
		}
	}
	for _, tag := range after.Tags() {
		if !reaches(r.before, before, tag) && r.before.HasServiceTag(r.before.mesh, tag) {
			gained = append(gained, section{id: kuma.ID{Mesh: r.after.mesh, Name: tag}})
		}
	}
	silent := r.withoutListener(before, after, renamed)
	if !before.Transparent || !after.Transparent {
		different = slices.DeleteFunc(different, func(d serviceChange) bool { return d.path == HostNamesPath })
	}
	certificate, trust := r.certificate(dataplane), r.trust(dataplane)
	key := fmt.Sprint(lost, gained, silent, different, outside, certificate.identification(), trust.identification())
	return once(&r.known, key, func(all *result) {
		for _, d := range different {
			c := r.change(d.section, d.before, d.after)
			c.Path = d.path
			all.changes = append(all.changes, c)
		}
		for _, to := range lost {
			all.changes = append(all.changes, r.change(to, reachable, notReachable))
		}
		for _, to := range gained {
			all.changes = append(all.changes, r.change(to, notReachable, reachable))
		}
		for _, o := range silent {
			c := r.change(section{id: cmp.Or(o.Port.Resource, kuma.ID{Mesh: r.after.mesh, Name: o.Tags[kuma.TagService]})}, reachable, notReachable)
			c.Destination, c.about = c.Destination+", "+o.Address.String(), c.about+" at "+o.Address.String()
			all.changes = append(all.changes, c)
		}
		for _, c := range []*Change{certificate, trust} {
			if c != nil {
				all.changes = append(all.changes, *c)
			}
		}
		if outside != nil {
			all.changes = append(all.changes, Change{
				Type: kuma.KindDataplane, Direction: To, Destination: Outside, Path: ReachablePath, Cause: CauseSettings,
				Before: &Value{JSON: outside[0]}, After: &Value{JSON: outside[1]}, about: "destinations outside the mesh",
			})
		}
		slices.SortFunc(all.changes, compareChanges)
	})
}

// providedPorts returns the ports of a MeshMultiZoneService that have endpoints, which services of other zones count as.
func (s *snapshot) providedPorts(id kuma.ID) (numbers []int) {
	elsewhere := slices.ContainsFunc(s.Behind(id), func(to kuma.ID) bool { return rules.IsElsewhere(*s.ids[to]) })
	for _, p := range s.Ports(id) {
		if elsewhere || len(s.endpointsOf(proxy.Outbound{Port: p})) > 0 {
			numbers = append(numbers, p.Number)
		}
	}
	return numbers
}

// listensForAny reports whether a proxy has a listener for one of the ports of a service.
func listensForAny(o *proxy.Outbounds, id kuma.ID, ports []int) bool {
	return slices.ContainsFunc(ports, func(number int) bool { return o.Has(id, number) })
}

// isLost reports whether a service is removed to which a Dataplane still has an outbound.
func (r *reachability) isLost(id kuma.ID, dataplane string) bool {
	return slices.ContainsFunc(r.lost, func(l LostService) bool {
		return has(l.Dataplanes, dataplane) && r.before.Resource(l.Service) == r.before.ids[id]
	})
}

// certificate returns the change if the proxy gets a certificate after the change only, which was not possible before, or
// another one, as far as the release stays the same. It returns nil if there is none.
func (r *reachability) certificate(dataplane string) *Change {
	before, after := r.before.proxies.Client(dataplane), r.after.proxies.Client(dataplane)
	first := before.SPIFFEID() == ""
	if after.SPIFFEID() == "" || after.Broken != nil || first && before.Broken == nil || !first && r.before.Release() != r.after.Release() {
		return nil
	}
	issuer, by := r.after.issuerOf(after)
	c := &Change{
		Type: kuma.KindDataplane, Direction: Proxy, Destination: "proxy", Path: CertificatePath, Cause: CauseSettings,
		After: &Value{phrase.JSON(issuer.Name), Source{Type: issuer.Type, Name: issuer.Name, KRI: kinds.KRI(r.after.Resource(issuer).ID())}},
		about: "the proxy",
	}
	if first {
		return c
	}
	_, was := r.before.issuerOf(before)
	if before.SPIFFEID() != after.SPIFFEID() {
		was, by = before.SPIFFEID(), after.SPIFFEID()
	}
	if was == by {
		return nil
	}
	c.Before, c.After.JSON = &Value{JSON: phrase.JSON(was)}, phrase.JSON(by)
	return c
}

// trust returns the change if a proxy with a MeshIdentity trusts other certificates; nil if it does not.
func (r *reachability) trust(dataplane string) *Change {
	none := kuma.Key{}
	if r.before.proxies.Client(dataplane).Identity == none || r.after.proxies.Client(dataplane).Identity == none {
		return nil
	}
	domains, trusted := r.before.trusted()
	domainsAfter, trustedAfter := r.after.trusted()
	if trusted == trustedAfter {
		return nil
	}
	if slices.Equal(domains, domainsAfter) {
		domainsAfter = nil
	}
	return &Change{
		Type: kuma.KindDataplane, Direction: Proxy, Destination: "proxy", Path: TrustPath, Cause: CauseSettings,
		Before: &Value{JSON: phrase.JSON(domains)}, After: &Value{JSON: phrase.JSON(domainsAfter)}, about: "the proxy",
	}
}

// trusted returns the trust domains of the MeshTrusts, never nil, and text that is equal for equal certificate authorities.
func (s *snapshot) trusted() (domains []string, authorities string) {
	var all []string
	for _, r := range s.Resources(s.mesh, kinds.MeshTrust.Name) {
		domain := tree.Text(r.Spec()["trustDomain"])
		domains, all = append(domains, domain), append(all, domain+phrase.JSON(r.Spec()["caBundles"]))
	}
	return append([]string{}, phrase.Sorted(domains)...), fmt.Sprint(phrase.Sorted(all))
}

// identification is equal for equal changes of certificates.
func (c *Change) identification() string {
	if c == nil {
		return ""
	}
	return fmt.Sprint(c.Before, c.After)
}

// issuerOf returns what issues the certificate of a client, and describes it.
func (s *snapshot) issuerOf(c proxy.Client) (kuma.Key, string) {
	if c.Identity != (kuma.Key{}) {
		return c.Identity, c.Identity.Local()
	}
	mesh := kuma.MeshKey(s.mesh)
	backend, _ := tree.Root(s.Resource(mesh).Body).Get("mtls", "enabledBackend").Text()
	return mesh, fmt.Sprintf("backend %q of the mesh", backend)
}

// withoutListener returns the outbounds of services that a proxy still reaches, at addresses at which it no longer listens: where
// listeners have the names of services, only one of several outbounds to a port has one.
func (r *reachability) withoutListener(before, after *proxy.Outbounds, renamed map[string]rules.Destination) []proxy.Outbound {
	if !r.otherMode && r.before.Release() == r.after.Release() { // the Dataplane says it
		return nil
	}
	return slices.DeleteFunc(slices.Clone(before.All), func(o proxy.Outbound) bool {
		_, refers := renamed[o.Tags[kuma.TagService]]
		return !o.Address.IsValid() || !refers && !after.HasService(o.Port.Resource) ||
			slices.ContainsFunc(after.All, func(a proxy.Outbound) bool { return a.Address == o.Address })
	})
}

// portsOnly returns the ports that only the first of two proxies reaches, by number, of services that
// both reach.
func (r *reachability) portsOnly(first, second *proxy.Outbounds, renamed map[string]rules.Destination) (ports []section) {
	for _, p := range first.Ports() {
		if p.Resource.Type != kuma.KindMeshExternalService && second.HasService(p.Resource) &&
			!second.Has(p.Resource, p.Number) && !isRenamed(renamed, p.Resource) {
			ports = append(ports, section{p.Resource, strconv.Itoa(p.Number)})
		}
	}
	slices.SortFunc(ports, func(a, b section) int {
		return cmp.Or(cmp.Compare(kinds.KRI(a.id), kinds.KRI(b.id)), cmp.Compare(a.name, b.name))
	})
	return slices.Compact(ports)
}

func (r *reachability) change(to section, before, after string) Change {
	c := Change{
		Type: kuma.KindDataplane, Direction: To, Destination: kuma.TagService + "=" + to.id.Name, Path: ReachablePath, Cause: CauseSettings,
		Before: &Value{JSON: before}, After: &Value{JSON: after},
	}
	if to.id.Type == "" && to.name != "" { // the other tags
		c.Destination += ", " + to.name
	}
	if c.about = c.Destination; to.id.Type != "" {
		in := r.after
		if in.ids[to.id] == nil {
			in = r.before
		}
		c.Destination, c.about = kinds.KRI(to.id)+to.name, in.describe(to)
	}
	return c
}

// outside returns whether a transparent proxy lets traffic through to everything outside the mesh,
// before and after the change. It returns nil if that does not change, or if a MeshPassthrough sets
// both.
func (r *reachability) outside(dataplane string) []string {
	var modes [2]string
	bySetting := true
	for i, s := range []*snapshot{r.before, r.after} {
		if !kinds.IsRedirected(*s.Resource(kuma.Key{Type: kuma.KindDataplane, Mesh: s.mesh, Name: dataplane})) {
			return nil
		}
		mode := s.passthroughMode(dataplane)
		bySetting = bySetting && mode != ""
		modes[i] = cmp.Or(mode, s.defaultPassthrough())
	}
	switch {
	case bySetting || modes[0] == modes[1]:
		return nil
	case modes[1] == passesAll:
		return []string{notReachable, reachable}
	case modes[1] == passesNone:
		return []string{reachable, notReachable}
	default:
		return nil
	}
}

const passthroughMode = "passthroughMode" // in the conf of a MeshPassthrough

// Values of passthroughMode.
const passesAll, passesNone, passesMatched = "All", "None", "Matched"

// defaultPassthrough returns the mode of proxies that no MeshPassthrough selects (release3.md §6).
func (s *snapshot) defaultPassthrough() string {
	if s.RestrictsOutbound() ||
		tree.Root(s.Resource(kuma.MeshKey(s.mesh)).Body).Get("networking", "outbound", "passthrough").Value() == false {
		return passesNone
	}
	return passesAll
}

// passthroughMode returns the mode that MeshPassthroughs set for a proxy; empty if none applies.
func (s *snapshot) passthroughMode(dataplane string) string {
	match := s.Match(s.mesh, dataplane, kinds.MeshPassthrough.Name)
	if mode, ok := s.modes.Load(match); ok {
		return mode.(string) //nolint:forcetypeassert // stored below
	}
	found, _ := s.Rules(s.mesh, dataplane, kinds.MeshPassthrough.Name) // without peers, of which there can be too many
	mode := ""
	if found.ProxyRule != nil {
		set, _ := tree.Root(found.ProxyRule.Conf).Get(passthroughMode).Text()
		mode = cmp.Or(set, passesMatched)
	}
	s.modes.Store(match, mode)
	return mode
}

// AddsService reports whether the change is that the proxy reaches a service that it did not reach.
func (c Change) AddsService() bool {
	return c.Path == ReachablePath && c.Destination != Outside && c.After.JSON == reachable
}

// reachableLine describes a change with the path [ReachablePath].
func (c Change) reachableLine() string {
	switch isReachable := c.After.JSON == reachable; {
	case c.Destination == Outside && isReachable:
		return "the proxy lets traffic through now"
	case c.Destination == Outside:
		return "the proxy no longer lets traffic through"
	case isReachable:
		return "the proxy reaches it now"
	default:
		return "the proxy no longer reaches it"
	}
}
