package impact

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/access"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

const maxAccess = 10 // sentences about who can or cannot call services

// decidesAccess are the kinds that decide who can connect.
var decidesAccess = []string{
	kuma.KindMesh, kuma.KindDataplane, kuma.KindMeshService, kinds.MeshIdentity.Name,
	kinds.MeshTrafficPermission.Name, kinds.MeshTLS.Name,
}

// access returns which clients can call services after the change only, and which could do
// so before it only.
func (c *comparison) access() (gained, lost []access.Change) {
	decides := func(kind string) bool { return slices.Contains(decidesAccess, kind) }
	if !c.before.exists() || !c.after.exists() || !slices.ContainsFunc(c.compared, decides) ||
		c.before.Release() == c.after.Release() && !slices.ContainsFunc(c.differences, func(d difference) bool { return decides(d.key.Type) }) {
		return nil, nil
	}
	matrices := make([]access.Matrix, 2)
	inParallel(len(matrices), func(i int) {
		m, err := access.Of(c.before.sides[i].proxies, access.Filter{})
		c.before.fail(err)
		matrices[i] = m
	})
	for _, change := range access.Compare(matrices[0], matrices[1]) {
		if change.Gained() {
			gained = append(gained, change)
		} else {
			lost = append(lost, change)
		}
	}
	return gained, lost
}

// writeAccess writes who can no longer call services, and who can call them now, each with
// the same reason once.
func (i Impact) writeAccess(b *strings.Builder) {
	for _, list := range []struct {
		changes   []access.Change
		verb, way string
	}{{i.AccessLost, "can no longer call", "lose access"}, {i.AccessGained, "can now call", "gain access"}} {
		type sentence struct{ clients, reason string }
		sentenceOf := func(c access.Change) sentence {
			s := sentence{phrase.Some(c.Clients, maxNames, "clients"), c.After.By()}
			if !c.Reachable {
				s.reason += "; no outbound"
			}
			return s
		}
		if len(list.changes) > 0 {
			b.WriteString("\n")
		}
		more := "groups of clients " + list.way + " to services."
		writeFirst(b, phrase.Grouped(list.changes, sentenceOf), maxAccess, "", more, func(same []access.Change) string {
			ports := phrase.Each(same, func(c access.Change) string { return fmt.Sprintf("%s port %d", c.Port.Resource.Name, c.Port.Number) })
			s := sentenceOf(same[0])
			return fmt.Sprintf("%s %s %s (%s)", s.clients, list.verb, phrase.Some(ports, maxNames, "ports"), s.reason)
		})
	}
}

// Frozen are proxies for which the control plane cannot generate a configuration after the
// change, although it can before.
type Frozen struct {
	Dataplanes []string // sorted
	request.Frozen
}

// frozen returns the proxies that the change freezes, by the setting that is the reason.
func (c *comparison) frozen() []Frozen {
	if !c.after.exists() {
		return nil
	}
	var all []Frozen
	for _, name := range c.after.dataplanes {
		now, err := c.after.frozen(name)
		if c.after.fail(err); now == nil {
			continue
		}
		if has(c.before.dataplanes, name) {
			if was, err := c.before.frozen(name); was != nil || err != nil {
				continue
			}
		}
		all = append(all, Frozen{[]string{name}, *now})
	}
	groups := phrase.Grouped(all, func(f Frozen) string { return fmt.Sprint(f.Resource, f.Path, f.Reason) })
	return phrase.Each(groups, func(same []Frozen) Frozen {
		same[0].Dataplanes = slices.Concat(phrase.Each(same, func(f Frozen) []string { return f.Dataplanes })...)
		return same[0]
	})
}

// ConfigurationPath is the path of a [Change] of a proxy that the control plane can configure after the change only. Its value
// is the reason why it cannot before.
const ConfigurationPath = "configuration"

// configuredAgain returns the change of a proxy that can be configured again. If it gets its first certificate, that is the change.
func (c *comparison) configuredAgain(dataplane string, r *reachability) *result {
	was, err := c.before.frozen(dataplane)
	if c.before.fail(err); was == nil {
		return &result{}
	}
	is, err := c.after.frozen(dataplane)
	if first := r.certificate(dataplane); is != nil || err != nil || first != nil && first.Before == nil {
		return &result{}
	}
	by := Source{Type: was.Resource.Type, Name: was.Resource.Name}
	return &result{changes: []*Change{proxyChange(ConfigurationPath, &Value{phrase.JSON(was.Reason), by}, nil)}}
}

// frozen returns why a proxy does not get its configuration: because of a setting, or because it
// cannot have a certificate.
func (s *snapshot) frozen(dataplane string) (*request.Frozen, error) {
	found, err := s.simulation.Frozen(s.mesh, dataplane)
	client := s.proxies.Client(dataplane)
	if found != nil || err != nil || client.Broken == nil {
		return found, err
	}
	found = &request.Frozen{
		Resource: kuma.MeshKey(s.mesh), Path: tree.Path{"mtls"}, Reason: client.Broken.Error(),
		Advice: "Add what is missing.",
	}
	if client.Identity != (kuma.Key{}) {
		found.Resource, found.Path = client.Identity, tree.Path{"spec"}
	}
	return found, nil
}

func (i Impact) writeFrozen(b *strings.Builder) {
	for _, f := range i.Frozen {
		fmt.Fprintf(b, "\n%s, because %s (%s %q, `%s`). They keep the configuration that they have, and get no update at all. %s\n",
			phrase.Some(f.Dataplanes, maxNames, "dataplanes")+" can no longer be configured", f.Reason, f.Resource.Type, f.Resource.Name, f.Path,
			f.Advice)
	}
}

// LostService is a service that is removed although dataplanes have outbounds to it, or a
// MeshMultiZoneService that remains and no longer selects a MeshService.
type LostService struct {
	Service    kuma.Key
	Dataplanes []string // sorted
	Empty      bool     // the service remains
}

// String describes what is lost, as a clause.
func (l LostService) String() string {
	if l.Empty {
		return fmt.Sprintf("%s %s no longer selects a service", l.Service.Type, l.Service.Name)
	}
	return fmt.Sprintf("%s %s is removed", l.Service.Type, l.Service.Name)
}

// emptied returns the MeshMultiZoneServices that select a MeshService only before the change, with the
// dataplanes that have a listener for a port that it provided on both sides.
func (c *comparison) emptied(dataplanes []string) (all []LostService) {
	for _, r := range c.before.Resources(c.before.mesh, kuma.KindMeshMultiZoneService) {
		id := r.ID()
		if c.after.ids[id] == nil || len(c.before.Behind(id)) == 0 || len(c.after.Behind(id)) > 0 {
			continue
		}
		l, ports := LostService{Service: r.Key(), Empty: true}, c.before.providedPorts(id)
		for _, name := range dataplanes {
			if c.before.proxies.Outbounds(name).HasService(id) && listensForAny(c.after.proxies.Outbounds(name), id, ports) {
				l.Dataplanes = append(l.Dataplanes, name)
			}
		}
		if l.Dataplanes != nil {
			all = append(all, l)
		}
	}
	return all
}

// lostServices returns the removed services for which remaining dataplanes have outbounds with a
// listener, if these find no other service after the change, and the emptied ones.
func (c *comparison) lostServices(dataplanes []string) []LostService {
	var lost []LostService
	for _, d := range c.differences {
		if d.operation == Removed && rules.IsDestination(d.key.Type) {
			lost = append(lost, LostService{Service: d.key})
		}
	}
	emptied := c.emptied(dataplanes)
	if lost == nil {
		return emptied
	}
	for _, name := range dataplanes {
		for _, o := range rules.Outbounds(*c.after.Resource(kuma.Key{Type: kuma.KindDataplane, Mesh: c.after.mesh, Name: name})) {
			if len(c.after.Consumed(c.after.mesh, o)) > 0 || o.Tag != "" && c.after.HasServiceTag(c.after.mesh, o.Tag) {
				continue
			}
			before := c.before.Consumed(c.before.mesh, o)
			for i := range lost {
				l := &lost[i]
				listens := slices.Contains(before, l.Service) && c.before.listens(name, c.before.Resource(l.Service).ID())
				if listens && !slices.Contains(l.Dataplanes, name) {
					l.Dataplanes = append(l.Dataplanes, name)
				}
			}
		}
	}
	lost = append(emptied, slices.DeleteFunc(lost, func(l LostService) bool { return l.Dataplanes == nil })...)
	slices.SortStableFunc(lost, func(a, b LostService) int { return cmp.Compare(a.Service.Type, b.Service.Type) })
	return lost
}

// writeLost writes about services that are removed although they are used.
func (i Impact) writeLost(b *strings.Builder) {
	if len(i.LostServices) > 0 {
		b.WriteString("\n")
	}
	writeFirst(b, i.LostServices, maxGroups, "", "lost services with outbounds to them", func(l LostService) string {
		return fmt.Sprintf("%s; %s %s to it", l, phrase.Some(l.Dataplanes, maxNames, "dataplanes"),
			phrase.Form(len(l.Dataplanes), "has an outbound", "have outbounds"))
	})
}

// doubts adds a sentence about something that changes and is not compared, or that may change, unless there is nothing.
func (i *Impact) doubts(of []string, format string) {
	if len(of) > 0 {
		i.uncertain = true
		i.notes = append(i.notes, fmt.Sprintf(format, phrase.Some(of, maxNames, "")))
	}
}

// findOlder finds the resources of older kinds, which no release from 3.0 on has.
func (i *Impact) findOlder(c *comparison) {
	if c.before.Release().Kuma3() && c.after.Release().Kuma3() {
		return
	}
	var changed, others []kuma.Key
	for _, d := range c.differences {
		if _, ok := kinds.FindOlder(d.key.Type); ok && d.inBody {
			changed = append(changed, d.key)
		}
	}
	for _, k := range kinds.Older() {
		for _, r := range c.after.Resources(c.after.mesh, k.Name) {
			if !slices.Contains(changed, r.Key()) {
				others = append(others, r.Key())
			}
		}
	}
	if changed != nil {
		i.doubts([]string{proxy.NameOlder(changed)}, "Not considered, although changed: %s. This provider does not evaluate older kinds.")
	}
	if others != nil {
		i.notes = append(i.notes, fmt.Sprintf("Not considered: %s. This provider does not evaluate older kinds; they do not change.",
			proxy.NameOlder(others)))
	}
}

// findUnread finds other changes that are not compared.
func (i *Impact) findUnread(c *comparison) {
	if c.before.Release() != c.after.Release() {
		return
	}
	var unread []string
	was, is := c.before.Resource(kuma.MeshKey(c.before.mesh)), c.after.Resource(kuma.MeshKey(c.after.mesh))
	for _, name := range []string{
		"constraints", "logging", "metrics", "routing.defaultForbidMeshExternalServiceAccess", "routing.localityAwareLoadBalancing",
		"routing.zoneEgress", "tracing",
	} {
		of := func(mesh *kuma.Resource) any {
			value := tree.Root(mesh.Body).Find(name)[0].Value()
			if value == false {
				return nil
			}
			return value
		}
		if was != nil && is != nil && !tree.Equal(of(was), of(is)) {
			unread = append(unread, phrase.CodeSpan(name)+" of the Mesh")
		}
	}
	of := func(s *snapshot, kind def.Kind) map[kuma.Key]any {
		all := map[kuma.Key]any{}
		for _, r := range slices.Concat(s.Resources("", kind.Name), s.Resources(s.mesh, kind.Name)) {
			body := maps.Clone(r.Body)
			delete(body, "availableServices") // which follows from the Dataplanes
			all[r.Key()] = body
		}
		return all
	}
	for _, kind := range []def.Kind{kinds.MeshOpenTelemetryBackend, kinds.ZoneIngress, kinds.ZoneEgress, kinds.MeshZoneAddress} {
		was, is := of(c.before, kind), of(c.after, kind)
		all := maps.Clone(was)
		maps.Copy(all, is)
		for _, key := range slices.SortedFunc(maps.Keys(all), kuma.CompareKeys) {
			if !tree.Equal(was[key], is[key]) {
				unread = append(unread, fmt.Sprintf("%s %q", key.Type, key.Name))
			}
		}
	}
	i.doubts(unread, "Not considered, although changed: %s. This provider does not compare what they do.")
}

// findIdentities finds changes of the SPIFFE IDs that clients accept of services of other zones. A zone does not have their Dataplanes.
func (i *Impact) findIdentities(c *comparison) {
	checks := func(dataplane string) bool {
		return slices.ContainsFunc(c.before.sides, func(s *snapshot) bool {
			u := s.usageOf(dataplane, "")
			return len(s.proxies.Client(dataplane).Names) > 0 && u.usesCertificate() && u.checksIdentities()
		})
	}
	var changed []string
	for _, r := range c.before.Resources(c.before.mesh, kuma.KindMeshService) {
		is := c.after.Resource(r.Key())
		differs := func(field string) bool { return !tree.Equal(r.Spec()[field], is.Spec()[field]) }
		if is != nil && r.Labels[kuma.LabelOrigin] == kuma.OriginGlobal && slices.ContainsFunc([]string{"selector", "identities"}, differs) {
			changed = append(changed, kuma.Describe(r.Type, r.Name, ""))
		}
	}
	if changed != nil && c.before.Release() == c.after.Release() && slices.ContainsFunc(c.common, checks) {
		i.doubts(changed, "Not known: whether clients accept other SPIFFE IDs of %s. Another zone selects its Dataplanes. Ask the "+
			"global control plane.")
	}
}

// findUnlabeled finds what changes for proxies that may not find it, see [proxy.Mesh.Unlabeled].
func (i *Impact) findUnlabeled(c *comparison) {
	var unlabeled []string
	for _, s := range c.before.sides {
		find := func(id kuma.ID, clients []string) {
			for _, name := range clients {
				if s.proxies.Unlabeled(s.zoneOf(name), id)&^proxy.BySelector != 0 {
					unlabeled = append(unlabeled, kuma.Describe(id.Type, id.Name, ""))
				}
			}
		}
		for _, g := range i.Groups {
			for _, change := range g.Changes {
				find(change.target.section.id, g.Dataplanes)
			}
		}
		for _, l := range i.LostServices {
			if r := s.Resource(l.Service); r != nil {
				find(r.ID(), l.Dataplanes)
			}
		}
	}
	i.doubts(phrase.Sorted(unlabeled), "Not known: whether proxies find %s in their own zone by the label "+kuma.LabelDisplayName+
		", which the global control plane adds to all copies. Ask the control plane of the zone.")
}

// findAmbiguous finds routes with a backendRef whose services change, if it is not known which of them is the oldest.
func (i *Impact) findAmbiguous(c *comparison) {
	var ambiguous []string
	for _, route := range c.before.Resources(c.before.mesh, rules.RouteKinds()...) {
		for _, ref := range rules.BackendRefs(*route) {
			was, is := c.before.Resolve(*route, ref.WithoutSection(), 0), c.after.Resolve(*route, ref.WithoutSection(), 0)
			if !slices.Equal(was, is) && (c.before.IsAmbiguous(*route, ref) || c.after.IsAmbiguous(*route, ref)) {
				ambiguous = append(ambiguous, route.Key().Local())
			}
		}
	}
	i.doubts(phrase.Sorted(ambiguous), "Not known: where requests by %s go. A backendRef selects several services, of which the control "+
		"plane uses the oldest one.")
}

// findUnbalanced finds builtin gateways with a change of load balancers that differ between their listeners.
func (i *Impact) findUnbalanced(c *comparison) {
	for _, name := range c.common {
		was, is := c.before.balancers(name), c.after.balancers(name)
		if !slices.Equal(was, is) && isContested(was, is) {
			i.unbalanced = append(i.unbalanced, name)
		}
	}
	i.doubts(i.unbalanced, "Not known: the loadBalancer of %s. Policies set different ones for the listeners of a gateway. Kuma uses one of "+
		"them for all listeners, and which one can change. Set the same for all listeners.")
}

// isContested reports whether listeners have different balancers on one side of a change.
func isContested(before, after []string) bool {
	return max(len(phrase.Sorted(before)), len(phrase.Sorted(after))) > 1
}

// balancers returns the loadBalancer of each listener of a builtin gateway that has one. That of any of them decides about connections to
// services through all (matching.md §18.4).
func (s *snapshot) balancers(dataplane string) (all []string) {
	if s.proxies == nil || !s.proxies.IsBuiltinGateway(dataplane) {
		return nil
	}
	found, err := s.Outline(s.mesh, dataplane, kinds.MeshLoadBalancingStrategy.Name)
	s.fail(err)
	for _, o := range found.Outgoing() {
		if r, ok := o.ByTags(nil); ok && o.Listener != nil {
			if balancer := tree.Root(r.Merge()).Get("loadBalancer"); balancer.Known() {
				all = append(all, phrase.JSON(balancer.Value()))
			}
		}
	}
	return all
}

// IsUncertain reports whether resources change that are not compared, or whether it is not known if a proxy changes.
func (i Impact) IsUncertain() bool { return i.uncertain }
