package proxies_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/big"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	engine "github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies/envoy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// zoneProxies are the zone proxies of Kuma 2, which all meshes share, by zone: a world has two of the zones. Only east and west have an
// advertised address, and only east and north a ZoneEgress.
var zoneProxies = map[string]string{
	"east": `{type: ZoneIngress, name: in-east, networking: {address: 10.255.1.1, port: 10001, advertisedAddress: 203.0.113.1, advertisedPort: 10001}}
---
{type: ZoneEgress, name: out-east, networking: {address: 10.255.2.1, port: 10002}}`,
	"west": `{type: ZoneIngress, name: in-west, networking: {address: 10.255.1.2, port: 10001, advertisedAddress: 203.0.113.2, advertisedPort: 10001}}`,
	"north": `{type: ZoneIngress, name: in-north, networking: {address: 10.255.1.3, port: 10001}}
---
{type: ZoneEgress, name: out-north, networking: {address: 10.255.2.3, port: 10002}}`,
}

// leads returns whether an address is that of a way to another zone.
func leads(address string) bool {
	return strings.HasPrefix(address, "203.0.113.") || strings.HasPrefix(address, "10.255.2.")
}

// TestProxiesOfZones compares what happens to requests of the proxies of two zones, as the global control plane knows the zones, with the
// configuration of the proxies, in random meshes, until it has compared PROXIES of them. SEED is that of the first mesh.
func TestProxiesOfZones(t *testing.T) {
	began := time.Now()
	d, names := deployZoneProxies(t)
	global := d.Sites[0]
	count, first := setting(t, "PROXIES", 20), setting(t, "SEED", 1)
	covered := &coverage{counts: map[string]int{}}
	t.Run("worlds", func(t *testing.T) {
		for i, n := 0, 0; n < count; i++ {
			w := newZonesWorld(uint64(first+i), global.Info.Release.Kuma3(), names) //nolint:gosec // not negative
			n += len(w.dataplaneNames())
			t.Run(w.mesh, func(t *testing.T) {
				t.Parallel()
				w.compareZones(t, d, covered)
			})
		}
	})
	covered.log(t)
	recordResult(t, global, began, fmt.Sprintf("make differ ZONES=2 PROXIES=%d SEED=%d", count, first),
		fmt.Sprintf("%d proxies, %d requests", covered.counts["proxies"], covered.counts["decided requests"]))
}

// deployZoneProxies starts a global control plane and zones with their zone proxies.
func deployZoneProxies(t *testing.T) (d *oracle.Deployment, names []string) {
	t.Helper()
	names = slices.Sorted(maps.Keys(zoneProxies))
	d = deployZones(t, "KUMA_CP", names...)
	for _, zone := range names {
		for _, r := range testworld.Resources(t, zoneProxies[zone]) {
			if !d.Sites[0].Info.Release.Kuma3() {
				put(t, d.Zone(zone), r)
			}
		}
	}
	return d, names
}

// A zonesWorld is a mesh whose Dataplanes, MeshServices and some policies belong to two zones.
type zonesWorld struct {
	*meshWorld
	zones []string
}

func newZonesWorld(seed uint64, kuma3 bool, names []string) *zonesWorld {
	w := &zonesWorld{newPlainWorld(seed, kuma3), slices.Clone(names)}
	w.Shuffle(len(w.zones), func(i, j int) { w.zones[i], w.zones[j] = w.zones[j], w.zones[i] })
	w.zones = w.zones[:2]
	if w.one(3) {
		w.gateways()
	}
	if w.one(4) {
		w.addEgress()
	}
	if w.one(3) {
		w.addLocality()
	}
	if w.one(3) {
		w.addFailover()
	}
	if mesh := w.resources[0].Body; !kuma3 {
		mesh["routing"] = object{"zoneEgress": w.one(3) && mesh["mtls"] != nil, "localityAwareLoadBalancing": w.one(3)}
	}
	var all []kuma.Resource
	for _, r := range w.resources {
		w.qualify(r.Body)
		zones := []string{""}
		switch k, _ := kinds.Find(r.Type); {
		case (r.Type == kuma.KindMeshService || r.Type == kinds.HostnameGenerator.Name) && w.one(3):
			zones = w.zones
		case r.Type == kuma.KindMeshService || r.Type == kuma.KindDataplane || r.Type == kinds.HostnameGenerator.Name && w.one(4) || k.GlobalOwned && k.ZoneOwned == kuma.Always() && k.Scope == def.InMesh && r.Type != kinds.MeshIdentity.Name && w.one(4):
			zones = []string{pick(&w.world, w.zones...)}
		}
		for _, zone := range zones {
			all = append(all, inZone(r, zone))
		}
	}
	for i, zone := range w.zones {
		if w.one(2) || kuma3 && w.one(2) {
			all = append(all, inZone(kuma.Resource{Type: kinds.MeshZoneAddress.Name, Mesh: w.mesh, Name: "in", Body: object{"spec": object{"address": fmt.Sprintf("203.0.113.1%d", i), "port": number(10005)}}}, zone))
		}
	}
	w.resources = append(all, kuma.Resource{Type: kinds.HostnameGenerator.Name, Name: w.mesh + "-others", Body: object{"spec": object{
		"selector": object{"meshService": object{"matchLabels": object{kuma.LabelMesh: w.mesh, kuma.LabelOrigin: kuma.OriginGlobal}}}, "template": "{{ .DisplayName }}.{{ .Zone }}." + w.mesh,
	}}})
	return w
}

// inZone returns a resource as one of a zone.
func inZone(r kuma.Resource, zone string) kuma.Resource {
	if zone == "" {
		return r
	}
	labels := map[string]string{kuma.LabelZone: zone, kuma.LabelOrigin: kuma.OriginZone}
	maps.Copy(labels, r.Labels)
	r.Labels = labels
	if r.Type == kinds.HostnameGenerator.Name { // which both zones may have, and the global control plane then has two of
		r.Name += "-" + zone
	}
	return r
}

// addFailover adds a policy by which proxies send requests to other zones, or to none.
func (w *zonesWorld) addFailover() {
	failover := []any{}
	for range w.IntN(3) {
		to := object{"type": pick(&w.world, "Any", "None", "Only", "AnyExcept")}
		if to["type"] == "Only" || to["type"] == "AnyExcept" {
			to["zones"] = []any{pick(&w.world, w.zones...)}
		}
		f := object{"to": to}
		if w.one(2) {
			f["from"] = object{"zones": []any{pick(&w.world, w.zones...)}}
		}
		failover = append(failover, f)
	}
	locality := pick(&w.world, object{"disabled": true}, object{"crossZone": object{"failover": failover}}, object{"crossZone": object{"failover": failover}})
	w.add(kinds.MeshLoadBalancingStrategy.Name, "failover", object{"spec": object{"to": []any{object{
		"targetRef": pick(&w.world, object{"kind": kuma.KindMesh}, object{"kind": kuma.KindMeshMultiZoneService, "labels": object{"svc": "global"}}),
		"default":   object{"localityAwareness": locality},
	}}}})
}

// qualify makes references to MeshServices by labels ones to that of a zone, or by the label that the zone itself does not have on Kuma 2.
func (w *zonesWorld) qualify(v any) {
	o := tree.Object(v)
	labels := tree.Object(tree.Object(o["meshService"])["matchLabels"])
	if o["kind"] == kuma.KindMeshService {
		labels = tree.Object(o["labels"])
	}
	if name := labels["svc"]; name != nil {
		if !w.one(3) {
			labels[kuma.LabelZone] = pick(&w.world, w.zones...)
		}
		if w.one(3) {
			labels[kuma.LabelDisplayName] = name
			delete(labels, "svc")
		}
	}
	for _, key := range slices.Sorted(maps.Keys(o)) {
		w.qualify(o[key])
	}
	for _, e := range tree.List(v) {
		w.qualify(e)
	}
}

// connect stores the resources with the control planes that own them, and connects the proxies.
func (w *meshWorld) connect(t *testing.T, d *oracle.Deployment) (connected map[string]*proxies.Proxy, rejected []oracle.Rejection) {
	t.Helper()
	t.Cleanup(func() {
		for _, s := range slices.Backward(d.Sites) {
			s.Remove(context.Background(), w.mesh, d.SentTo(s, w.resources))
		}
		for _, r := range w.resources {
			if t.Failed() && os.Getenv("DOCS") != "" {
				t.Log(phrase.JSON(r.Document()))
			}
		}
	})
	rejected, err := d.Store(t.Context(), d.Writes(w.resources))
	testworld.NoError(t, err)
	connected = map[string]*proxies.Proxy{}
	for _, r := range w.resources {
		if r.Type != kuma.KindDataplane || slices.ContainsFunc(rejected, func(of oracle.Rejection) bool { return of.Resource.Key() == r.Key() }) {
			continue
		}
		withIdentities(t, d.Zone(r.Zone()), w.mesh)
		p, err := proxies.Start(t.Context(), d.Zone(r.Zone()), proxies.Options{Mesh: w.mesh, Dataplane: r.Name, Workload: r.Labels[kuma.LabelWorkload]})
		testworld.NoError(t, err)
		t.Cleanup(func() { _ = p.Close() })
		connected[r.Name] = p
	}
	return connected, rejected
}

// generatorsAt returns the HostnameGenerators of the world that a control plane has.
func (w *meshWorld) generatorsAt(cp *oracle.Site) []kuma.Resource {
	return slices.DeleteFunc(generatorsOf(w.resources), func(r kuma.Resource) bool {
		return r.Type == kinds.HostnameGenerator.Name && cp.Info.Mode != kuma.ModeGlobal && r.Zone() != "" && r.Zone() != cp.Info.Zone
	})
}

// namesAll reports whether the services of each kind have host names in a zone, by which requests call them.
func (w *meshWorld) namesAll(zone string) bool {
	generators := map[string]bool{} // of a kind of service, in the zone
	for _, g := range generatorsOf(w.resources) {
		kind := strings.TrimSuffix(g.Name, "-"+g.Zone())
		generators[kind] = generators[kind] || g.Zone() == "" || g.Zone() == zone
	}
	return !slices.Contains(slices.Collect(maps.Values(generators)), false)
}

func (w *zonesWorld) compareZones(t *testing.T, d *oracle.Deployment, covered *coverage) {
	t.Helper()
	connected, rejected := w.connect(t, d)
	testworld.NoError(t, oracle.Pause(t.Context(), settlePause)) // in which zones exchange their resources
	var counts map[string]int
	await(t, connected, func(p *proxies.Proxy, _ context.Context) (*envoy.Config, error) { return p.Accepted() }, func(m envoy.Mesh) (differences string) {
		counts, differences = w.differences(t, d.Sites[0], m)
		for _, zone := range w.zones {
			_, inZone := w.differences(t, d.Zone(zone), m)
			differences += inZone
		}
		return differences
	})
	counts["worlds"], counts["proxies"], counts["rejected"] = 1, len(connected), len(rejected)
	covered.add(counts)
}

// differences compares the requests of the Dataplanes that a control plane has, as it knows the mesh now.
func (w *zonesWorld) differences(t *testing.T, site *oracle.Site, m envoy.Mesh) (counts map[string]int, differences string) {
	t.Helper()
	stored, err := site.Stored(context.WithoutCancel(t.Context()), w.mesh)
	testworld.NoError(t, err)
	isGlobal := site.Info.Mode == kuma.ModeGlobal
	stored = append(stored, w.generatorsAt(site)...)
	for i, r := range stored {
		if r.Type != kuma.KindMesh {
			stored[i] = def.InZones(r, site.Info.ControlPlane)
		}
	}
	snapshot := rules.NewSnapshotOfProxies(site.Info.Release, stored).RestrictOutbound(false)
	if n := len(snapshot.Dataplanes(w.mesh)); isGlobal && n < len(m) {
		return nil, fmt.Sprintf("the global control plane has %d of %d Dataplanes", n, len(m))
	}
	mesh, err := proxy.New(snapshot, w.mesh)
	testworld.NoError(t, err)
	asking := w.requestWorld
	asking.resources = stored // policies of zones have other names
	var pairs []string
	for _, r := range stored {
		if name := r.DisplayName(); r.Name != name {
			pairs = append(pairs, r.Name, name)
		}
	}
	local, clusters := strings.NewReplacer(pairs...), map[string]string{}
	for _, r := range snapshot.Services(w.mesh) {
		for _, p := range snapshot.Ports(r.ID()) {
			clusters[kinds.KRI(p.Resource)+p.Section] = kinds.KRI(p.Resource) + strconv.Itoa(p.Number)
		}
	}
	own, simulation := envoy.Mesh{}, simulationOf(site, stored)
	for _, r := range snapshot.Resources(w.mesh, kuma.KindDataplane) {
		frozen, err := simulation.Frozen(w.mesh, r.Name)
		testworld.NoError(t, err)
		unlabeled := slices.ContainsFunc(mesh.Outbounds(r.Name).All, func(o proxy.Outbound) bool { // it may find a service of another zone instead
			return mesh.Unlabeled(r.Zone(), o.Port.Resource)&proxy.ByDataplane != 0
		})
		if config, ok := m[r.DisplayName()]; ok && frozen == nil && mesh.Client(r.Name).Broken == nil && w.namesAll(r.Zone()) && !unlabeled {
			own[r.DisplayName()] = config // others may keep what they got before their zone got all resources
		}
	}
	all := asking.givenRequests(t, simulation, snapshot, mesh)
	counts = map[string]int{"requests": len(all)}
	numbered, different := portNumbers(w.resources), []string(nil)
	for i := range all {
		a := &all[i]
		zone := snapshot.Resource(kuma.Key{Type: kuma.KindDataplane, Mesh: w.mesh, Name: a.from}).Zone()
		a.from = local.Replace(a.from)
		if a.want == "" {
			counts["unknown: "+local.Replace(a.undecided)]++
			continue
		}
		counts["decided requests"]++
		outcomes, err := m.Send(a.from, a.Request)
		if err != nil && missingPassthrough.MatchString(err.Error()) {
			outcomes, err = []envoy.Outcome{{Share: big.NewRat(1, 1), Verdict: envoy.Closed}}, nil
		}
		elsewhere := false
		for i := range outcomes {
			outcomes[i].Cluster = cmp.Or(clusters[outcomes[i].Cluster], outcomes[i].Cluster)
			if enterZone(m, &outcomes[i], a.answer, mesh, zone, isGlobal) {
				elsewhere = true
			}
		}
		got, want := numbered(observed(m, a.Request, outcomes)), local.Replace(a.want)
		if err != nil {
			got = err.Error()
		}
		if got != want || elsewhere != a.elsewhere && (isGlobal || elsewhere) {
			different = append(different, fmt.Sprintf("in the %s control plane, %s of %s: %+v\nproxies (fail over to the other zone: %t):\n%s\nengine (%t):\n%s", site.Info.Mode, a.from, zone, a.Request, elsewhere, got, a.elsewhere, want))
		}
	}
	return counts, strings.Join(append(different, unexpectedListeners(own, all)...), "\n")
}

// enterZone replaces hosts that are the way to the other zone with the endpoints there, and removes hosts that only get requests if others
// are not healthy. It reports whether there are any of these.
func enterZone(m envoy.Mesh, o *envoy.Outcome, a engine.Answer, mesh *proxy.Mesh, zone string, isGlobal bool) (failsOver bool) {
	var behind []proxy.Endpoint
	leavesMesh := a.Destination.Resource.Type == kuma.KindMeshExternalService
	for _, b := range a.Backends {
		if !isCluster(o.Cluster, b.Port) {
			continue
		}
		leavesMesh = b.Port.Resource.Type == kuma.KindMeshExternalService
		if b.Tags != nil {
			behind = append(behind, mesh.Tagged(b.Tags)...)
		} else {
			behind = append(behind, mesh.Entered(zone, mesh.Endpoints(b.Port), false)...)
		}
	}
	behind = slices.DeleteFunc(behind, func(e proxy.Endpoint) bool { return e.Resource.Zone() == zone })
	hosts := o.Hosts
	o.Hosts = nil
	for _, h := range hosts {
		if leads(h.Address) && !isGlobal { // it does not have the endpoints there
			failsOver = true
			continue
		}
		entered := []envoy.Host{h}
		if leads(h.Address) && !leavesMesh {
			entered = phrase.Each(behind, func(e proxy.Endpoint) envoy.Host {
				to := envoy.Host{Address: e.Inbound, Port: e.Port, TLS: h.TLS, Dataplane: e.Resource.DisplayName()}
				if h.TLS == nil { // an ingress forwards TLS only
					to.Arrival = &envoy.Arrival{Verdict: envoy.Closed}
				} else if arrival, err := m[to.Dataplane].Receive(to, o.Request); err == nil {
					to.Arrival = &arrival
				}
				return to
			})
		}
		if slices.ContainsFunc(hosts, func(of envoy.Host) bool { return of.Priority < h.Priority }) {
			failsOver = failsOver || len(entered) > 0
			continue
		}
		for _, to := range entered { // an ingress is an endpoint for each combination of tags
			if !slices.ContainsFunc(o.Hosts, func(of envoy.Host) bool { return of.Address == to.Address && of.Port == to.Port }) {
				o.Hosts = append(o.Hosts, to)
			}
		}
	}
	return failsOver
}

// isCluster reports whether a cluster is that of a port, see [port].
func isCluster(cluster string, of rules.Port) bool {
	parts := strings.Split(gatewayHash.ReplaceAllString(cluster, ""), "_")
	if len(parts) < 6 {
		return port(cluster) == of.Resource.Name
	}
	name := parts[1]
	if len(parts) > 6 {
		name = parts[5]
	}
	section := parts[len(parts)-1]
	return name == of.Resource.Name && parts[3] == of.Resource.Zone && section == strconv.Itoa(of.Number)
}
