package proxies_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/impact"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	engine "github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// TestChanges deletes and edits resources of random meshes as people write them, one after the other, until it
// has made CHANGES changes. It compares which proxies the impact of each, and of taking it back,
// names with those whose configuration differs. SEED is that of the first world. The impact does not read zone ingresses.
func TestChanges(t *testing.T) {
	compareChanges(t, "make differ", &oracle.Deployment{Sites: []*oracle.Site{start(t)}}, func(seed uint64, kuma3 bool) (*meshWorld, []string) {
		return newMeshWorld(seed, kuma3), nil
	})
}

// TestChangesOfZones is [TestChanges] for meshes of two zones, with the impact as the global control plane and as each zone knows the mesh.
func TestChangesOfZones(t *testing.T) {
	d, names := deployZoneProxies(t)
	compareChanges(t, "make differ ZONES=2", d, func(seed uint64, kuma3 bool) (*meshWorld, []string) {
		w := newZonesWorld(seed, kuma3, names)
		return w.meshWorld, w.zones
	})
}

// compareChanges compares the changes of random meshes of a control plane and some of its zones.
func compareChanges(t *testing.T, command string, d *oracle.Deployment, newWorld func(seed uint64, kuma3 bool) (w *meshWorld, zones []string)) {
	t.Helper()
	count, first := setting(t, "CHANGES", 3), setting(t, "SEED", 1)
	began, cp := time.Now(), d.Sites[0]
	const each = 3
	covered := &coverage{counts: map[string]int{}}
	t.Run("worlds", func(t *testing.T) {
		for i := range (count + each - 1) / each {
			w, zones := newWorld(uint64(first+i), cp.Info.Release.Kuma3()) //nolint:gosec // not negative
			sites := append([]*oracle.Site{cp}, phrase.Each(zones, d.Zone)...)
			t.Run(w.mesh, func(t *testing.T) {
				t.Parallel()
				w.compareChanges(t, &oracle.Deployment{Sites: sites}, covered, each)
			})
		}
	})
	covered.log(t)
	recordResult(t, cp, began, fmt.Sprintf("%s CHANGES=%d SEED=%d", command, count, first), fmt.Sprintf("%d changes, %d proxies", covered.counts["changes"], covered.counts["proxies"]))
}

// meshSide is a mesh on one side of a change, as one control plane knows it.
type meshSide struct {
	site     *oracle.Site
	stored   []kuma.Resource
	snapshot *rules.Snapshot
	proxies  *proxy.Mesh
	configs  map[string]object // that proxies are sent, by the display name of the Dataplane; none for one that the control plane cannot configure
}

// observe returns the mesh as the control planes know it, with the configuration of all its proxies.
func (w *meshWorld) observe(t *testing.T, d *oracle.Deployment) (sides []meshSide) {
	t.Helper()
	configs := readings{}.settleBy(t, func(ctx context.Context) map[string]object {
		sides = phrase.Each(d.Sites, func(cp *oracle.Site) meshSide { return w.sideOf(t, cp) })
		all := map[string]object{}
		for _, side := range sides {
			if side.site.Info.Mode != kuma.ModeGlobal {
				sent := sentTo(ctx, side.site, w.mesh, slices.DeleteFunc(slices.Clone(side.snapshot.Dataplanes(w.mesh)), side.keepsChanging))
				side.removeIneffective(t, sent)
				maps.Copy(all, sent)
			}
		}
		return all
	})
	for i := range sides {
		sides[i].configs = configs
	}
	return sides
}

func (w *meshWorld) sideOf(t *testing.T, cp *oracle.Site) meshSide {
	t.Helper()
	stored, err := cp.Stored(t.Context(), w.mesh)
	testworld.NoError(t, err)
	if cp.Info.Mode != kuma.ModeGlobal { // where a MeshIdentity has no status
		stored = withIdentities(t, cp, w.mesh)
	}
	side := meshSide{site: cp, stored: input.Stored(w.mesh, cp.Info.ControlPlane, nil, stored, nil).InZones().Resources}
	side.snapshot = rules.NewSnapshotOfProxies(cp.Info.Release, append(side.stored, w.generatorsAt(cp)...)).RestrictOutbound(false)
	side.proxies, err = proxy.New(side.snapshot, w.mesh)
	testworld.NoError(t, err)
	return side
}

// removeIneffective removes what changes without effect from configurations that proxies are sent.
func (s meshSide) removeIneffective(t *testing.T, configs map[string]object) {
	t.Helper()
	services := map[string]string{} // by virtual address
	for _, r := range s.stored {
		for _, vip := range tree.Root(r.Reported).Find("status.vips[].ip") {
			address, _ := vip.Text()
			services[address] = r.Type + " " + r.Name
			if ip, err := netip.ParseAddr(address); err == nil && ip.Is4() {
				b := ip.As4()
				services[fmt.Sprintf("::ffff:%02x%02x:%x", b[0], b[1], int(b[2])<<8|int(b[3]))] = r.Type + " " + r.Name
			}
		}
	}
	named := func(address string) string { return cmp.Or(services[address], address) }
	for name, config := range configs {
		removeUnused(config)
		removeUnusedTags(config)
		for key, part := range config {
			if strings.HasPrefix(key, "Listener ") {
				delete(tree.Object(part), "metadata") // tags and labels of the Dataplane
			}
			if tree.Root(part).Get("address", "socketAddress", "portValue").Value() == json.Number("0") { // proxies.md §4
				delete(config, key)
			}
		}
		text := externalClusters.ReplaceAllString(virtualAddresses.ReplaceAllStringFunc(phrase.JSON(config), named), `$1"`)
		text = weights.ReplaceAllString(tagsOfClient.ReplaceAllString(egressNames.ReplaceAllString(text, ""), ""), "")
		decoded, err := tree.DecodeJSON([]byte(idleDefault.ReplaceAllString(text, "")))
		testworld.NoError(t, err)
		configs[name] = tree.Object(decoded)
	}
}

// What changes without effect: the virtual address of a service that is created again, which stands for its name, the header with the
// tags of a client, which proxies of a mesh with a MeshFaultInjection add, the idle timeout that Envoy has
// without one, the weight of endpoints, which depends on the zone ingresses of all meshes, the port in the name of the cluster of a
// MeshExternalService, and the server name by which a zone egress finds it for clients with a certificate of the mesh, which contains a
// hash and the port.
var (
	virtualAddresses = regexp.MustCompile(`\b24[0-3](\.\d+){3}\b|::ffff:f[0-3][0-9a-f]{2}:[0-9a-f]+`)
	tagsOfClient     = regexp.MustCompile(`"requestHeadersToAdd":\[\{"header":\{"key":"x-kuma-tags","value":"[^"]*"\}\}\],?`)
	egressNames      = regexp.MustCompile(`,"sni":"a[0-9a-f]{16}\.[^"]*\.mes"`)
	externalClusters = regexp.MustCompile(`(_extsvc)_\d+"`)
	weights          = regexp.MustCompile(`,?"loadBalancingWeight":\d+`)
	idleDefault      = regexp.MustCompile(`"idleTimeout":"3600s",|,"idleTimeout":"3600s"`)
)

// removeUnused removes clusters that nothing else of the configuration names: a rule of a route for another
// destination has them as backends.
func removeUnused(config object) {
	var others strings.Builder
	clusters := map[string]string{} // keys by name
	for key, part := range config {
		if name, ok := strings.CutPrefix(key, "Cluster "); ok {
			clusters[name] = key
		} else if !strings.HasPrefix(key, "ClusterLoadAssignment ") {
			others.WriteString(phrase.JSON(part))
		}
	}
	for name, key := range clusters {
		if !strings.Contains(others.String(), phrase.JSON(name)) {
			delete(config, key)
			delete(config, "ClusterLoadAssignment "+name)
		}
	}
}

// removeUnusedTags removes the tags of endpoints by which their cluster does not select them.
func removeUnusedTags(config object) {
	for key, part := range config {
		name, ok := strings.CutPrefix(key, "ClusterLoadAssignment ")
		if !ok {
			continue
		}
		cluster := phrase.JSON([]any{tree.Object(config["Cluster "+name])["lbSubsetConfig"], tree.Object(config["Cluster "+name])["transportSocketMatches"]})
		for _, endpoints := range tree.Root(part).Find("endpoints[].lbEndpoints[].metadata.filterMetadata") {
			for _, tags := range tree.Object(endpoints.Value()) {
				maps.DeleteFunc(tree.Object(tags), func(tag string, _ any) bool { return !strings.Contains(cluster, phrase.JSON(tag)) })
			}
		}
	}
}

// keepsChanging reports whether the configuration of a proxy changes by itself, because the control plane draws a
// service or orders equal matches of a gateway.
func (s meshSide) keepsChanging(name string) bool {
	return name == gateway || slices.ContainsFunc(s.proxies.Outbounds(name).All, func(o proxy.Outbound) bool { return o.Drawn })
}

// isExempt reports whether a proxy is not compared: its configuration changes by itself, or it reaches everything and is
// not named for each service, which a Dataplane can add.
func (s meshSide) isExempt(name string, of kuma.Key, other meshSide) bool {
	o := s.proxies.Outbounds(name)
	everything := o.Everything || o.Transparent && slices.Equal(o.Tags(), s.proxies.VirtualTags(""))
	services := func(s meshSide) string {
		return fmt.Sprint(phrase.Each(s.proxies.Services(), func(s *proxy.Service) string {
			return fmt.Sprint(s.ID, phrase.Each(s.Ports, func(p proxy.ServicePort) string { return p.Name }))
		}), s.proxies.VirtualTags(""))
	}
	return s.keepsChanging(name) || o.Everything && rules.IsDestination(of.Type) ||
		everything && of.Type == kuma.KindDataplane && services(s) != services(other)
}

func (w *meshWorld) compareChanges(t *testing.T, d *oracle.Deployment, covered *coverage, changes int) {
	t.Helper()
	w.addConnectionPolicies()
	w.connect(t, d)
	changed := slices.Clone(w.resources)
	w.Shuffle(len(changed), func(i, j int) { changed[i], changed[j] = changed[j], changed[i] })
	if w.one(3) { // those of connections first
		slices.SortStableFunc(changed, func(a, b kuma.Resource) int {
			return cmp.Compare(strings.Index(b.Name, "of-connections"), strings.Index(a.Name, "of-connections"))
		})
	} else if w.one(2) { // policies first
		slices.SortStableFunc(changed, func(a, b kuma.Resource) int { return cmp.Compare(len(a.ToRefs()), len(b.ToRefs())) * -1 })
	}
	before := w.observe(t, d)
	for _, r := range changed {
		cp := d.Zone(r.Zone())
		edited, isEdit := w.edit(r)
		if isEdit {
			if rejection, err := cp.Put(t.Context(), edited); rejection != "" || err != nil {
				t.Logf("%s %v: %s", rejection, err, phrase.JSON(edited.Document()))
				continue
			}
		} else if k, _ := kinds.Find(r.Type); slices.Contains(kept, r.Type) || w.kuma3 && r.Type == kinds.HostnameGenerator.Name ||
			cp.Client.Delete(t.Context(), k, r.Mesh, r.Name) != nil {
			continue // the control plane has rejected it
		}
		w.resources = slices.DeleteFunc(slices.Clone(w.resources), func(o kuma.Resource) bool { // which the judge does not list
			return !isEdit && r.Type == kinds.HostnameGenerator.Name && o.Name == r.Name
		})
		after := w.observe(t, d)
		covered.add(map[string]int{"changes": 1, "proxies": len(after[0].configs), "of " + r.Type: 1})
		verb, back := "delete", "create"
		if isEdit {
			verb, back = "edit", "edit back"
		}
		for i := range before {
			w.compareChange(t, verb, r.Key(), before[i], after[i], covered)
			w.compareChange(t, back, r.Key(), after[i], before[i], covered)
		}
		if t.Failed() {
			t.Log(phrase.JSON(r.Document()), phrase.JSON(edited.Document()))
			return
		}
		if before = after; changes == 1 {
			return
		}
		changes--
	}
}

// kept are the kinds that are not deleted. Nor are HostnameGenerators of Kuma 3.0, where the comparison leaves out the listener with host names.
var kept = []string{kuma.KindMesh, kuma.KindDataplane, kuma.KindMeshGateway, kinds.MeshIdentity.Name, kinds.ZoneIngress.Name, kinds.MeshZoneAddress.Name}

// edit returns a resource as someone edits it, and false if it is deleted instead.
func (w *meshWorld) edit(r kuma.Resource) (kuma.Resource, bool) {
	r.Body, r.Labels = tree.Object(tree.Clone(any(r.Body))), maps.Clone(r.Labels)
	ports := tree.Objects(tree.Object(r.Body["spec"])["ports"])
	switch routing := tree.Object(r.Body["routing"]); {
	case r.Type == kuma.KindMesh && routing != nil && w.one(2):
		name := pick(&w.world, "localityAwareLoadBalancing", "zoneEgress")
		routing[name] = routing[name] != true
	case r.Type == kuma.KindMesh && !w.kuma3 && !kinds.ExclusiveMeshServices(r): // in mode Exclusive, all listeners have other names
		r.Body["meshServices"] = object{"mode": pick(&w.world, "Disabled", "Everywhere", "ReachableBackends")}
	case r.Type == kuma.KindMeshExternalService && w.one(2):
		tree.Object(tree.Object(r.Body["spec"])["match"])["port"] = number(81)
	case r.Type == kuma.KindMeshService && w.one(2):
		ports[0]["name"] = pick(&w.world, "other", "http")
	case r.Type == kuma.KindDataplane && r.Name != gateway:
		networking := tree.Object(r.Body["networking"])
		inbounds := tree.List(networking["inbound"])
		if len(inbounds) == 0 {
			return r, false
		}
		in := tree.Object(inbounds[0])
		tags := tree.Object(in["tags"])
		switch n := w.IntN(4); {
		case n == 0:
			r.Labels["version"] = "v3"
		case n == 1 && !w.kuma3:
			inbounds = append(inbounds, object{"port": number(8085), "tags": object{kuma.TagService: "extra"}})
		case tags == nil:
			inbounds = append(inbounds, object{"port": number(8085)})
		case n == 2:
			tags["version"] = pick(&w.world, "v1", "v2")
		default:
			tags["rack"] = "r1"
		}
		networking["inbound"] = inbounds
	default:
		return r, w.editPolicy(r)
	}
	return r, true
}

// editPolicy replaces which proxies a policy selects, what its first entry is for or what that sets, and reports whether it does.
func (w *meshWorld) editPolicy(r kuma.Resource) bool {
	spec := tree.Object(r.Body["spec"])
	entries := tree.Objects(spec["to"])
	draws := w.connectionPolicies()
	maps.Copy(draws, map[string]func(object) object{
		kuma.KindMeshHTTPRoute: w.routeRules, kuma.KindMeshTCPRoute: w.tcpRules, kinds.MeshTimeout.Name: w.timeoutEntry, kinds.MeshRetry.Name: w.retryEntry,
	})
	draw := draws[r.Type]
	switch k, _ := kinds.Find(r.Type); {
	case k.Policy == nil || w.one(3):
		return false
	case r.Type == kinds.MeshTrafficPermission.Name && spec["rules"] != nil && w.one(2):
		spec["rules"] = []any{w.world.permission("rules")}
	case draw == nil || len(entries) == 0 || w.one(3):
		spec["targetRef"] = w.selected()
	default:
		other := tree.Objects(tree.Object(w.spec(draw)["spec"])["to"])[0]
		field := pick(&w.world, slices.Sorted(maps.Keys(other))...)
		entries[0][field] = other[field]
	}
	return true
}

func (w *meshWorld) compareChange(t *testing.T, verb string, of kuma.Key, before, after meshSide, covered *coverage) {
	t.Helper()
	change := fmt.Sprintf("%s control plane %s: %s %s", before.site.Info.Mode, before.site.Info.Zone, verb, of.Local())
	i, err := impact.Compare(before.snapshot, after.snapshot, w.mesh)
	testworld.NoError(t, err)
	named := i.Changed()
	for _, r := range i.RequestsChanged {
		named = append(named, r.Clients...)
	}
	if i.IsUncertain() {
		covered.add(map[string]int{"uncertain": 1})
	}
	frozen := map[string]bool{}
	for _, f := range i.Frozen {
		for _, name := range f.Dataplanes {
			frozen[name] = true
		}
	}
	for _, r := range before.snapshot.Resources(w.mesh, kuma.KindDataplane) {
		name := r.Name
		was, is := before.configs[r.DisplayName()], after.configs[r.DisplayName()]
		switch {
		case before.isExempt(name, of, after) || after.isExempt(name, of, before):
			continue
		case before.proxies.Client(name).Broken != nil && after.proxies.Client(name).Broken != nil: // it has or loses an early configuration
			continue
		case was == nil || is == nil:
			if gone := was != nil && is == nil; gone != frozen[name] && (was != nil || is != nil) {
				t.Errorf("%s: %s is frozen by the impact: %t, configured before: %t, after: %t", change, name, frozen[name], was != nil, is != nil)
			}
			if was == nil && is != nil && !slices.Contains(named, name) {
				t.Errorf("%s: %s is configured again, and the impact does not name it:\n%s", change, name, i.Summary())
			}
			continue
		case frozen[name]:
			t.Errorf("%s: %s is frozen by the impact, and configured", change, name)
		}
		var different []string
		for _, d := range tree.Diff(was, is) {
			different = append(different, fmt.Sprintf("%s: %.300v, before %.300v", d.Path, phrase.JSON(d.B), phrase.JSON(d.A)))
		}
		// For what it may reach, for clients that do not exist, and for services whose protocol other zones decide.
		silent := before.proxies.Outbounds(name).Assumed || allows(i, name) || before.lacksProtocol(name)
		if changes := different != nil; changes != slices.Contains(named, name) && (changes || !silent) && !i.IsUncertain() {
			t.Errorf("%s: %s changes by the impact: %t, by the configuration:\n%.2000s\nimpact:\n%s", change, name, !changes, strings.Join(different, "\n"), i.Summary())
		} else if changes {
			covered.add(map[string]int{"changed": 1})
		}
	}
}

// lacksProtocol reports whether the protocol of a service that a proxy reaches by a tag is not known.
func (s meshSide) lacksProtocol(dataplane string) bool {
	o := s.proxies.Outbounds(dataplane)
	return slices.ContainsFunc(o.Tags(), func(service string) bool {
		_, known := engine.New(s.snapshot).ProtocolByTag(s.proxies.Name(), dataplane, service)
		return !known
	})
}

// allows reports whether the only changes of a proxy are the clients that it allows.
func allows(i impact.Impact, name string) bool {
	has := func(names []string) bool { return slices.Contains(names, name) }
	return !slices.ContainsFunc(i.RequestsChanged, func(r impact.RequestChange) bool { return has(r.Clients) }) &&
		!slices.ContainsFunc(i.Groups, func(g impact.Group) bool {
			return has(g.Dataplanes) && slices.ContainsFunc(g.Changes, func(c *impact.Change) bool { return c.Type != kinds.MeshTrafficPermission.Name })
		})
}
