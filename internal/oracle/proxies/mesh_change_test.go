package proxies_test

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/impact"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// TestChanges deletes resources of random meshes as people write them, one after the other, until it
// has made CHANGES changes. It compares which proxies the impact of each, and of taking it back,
// names with those whose configuration differs. SEED is that of the first world. The impact does not read zone ingresses.
func TestChanges(t *testing.T) {
	count, first := setting(t, "CHANGES", 3), setting(t, "SEED", 1)
	began, cp := time.Now(), start(t)
	const each = 3
	covered := &coverage{counts: map[string]int{}}
	t.Run("worlds", func(t *testing.T) {
		for i := range (count + each - 1) / each {
			w := newMeshWorld(uint64(first+i), cp.Info.Release.Kuma3()) //nolint:gosec // not negative
			t.Run(w.mesh, func(t *testing.T) {
				t.Parallel()
				w.compareChanges(t, cp, covered, each)
			})
		}
	})
	covered.log(t)
	recordResult(t, cp, began, fmt.Sprintf("make differ CHANGES=%d SEED=%d", count, first), fmt.Sprintf("%d changes, %d proxies", covered.counts["changes"], covered.counts["proxies"]))
}

// meshSide is a mesh on one side of a change.
type meshSide struct {
	snapshot *rules.Snapshot
	proxies  *proxy.Mesh
	configs  map[string]object // that proxies are sent; none for one that the control plane cannot configure
}

func (w *meshWorld) observe(t *testing.T, cp *oracle.Site) (side meshSide) {
	t.Helper()
	var stored []kuma.Resource
	side.configs = readings{}.settleBy(t, func(ctx context.Context) map[string]object {
		stored = input.Stored(w.mesh, cp.Info.ControlPlane, nil, withIdentities(t, cp, w.mesh), nil).Resources
		side.snapshot = rules.NewSnapshotFor(cp.Info.Release, append(stored, generatorsOf(w.resources)...)).RestrictOutbound(false)
		var err error
		if side.proxies, err = proxy.New(side.snapshot, w.mesh); err != nil {
			t.Fatal(err)
		}
		return sentTo(ctx, cp, w.mesh, slices.DeleteFunc(w.dataplaneNames(), side.keepsChanging))
	})
	services := map[string]string{} // by virtual address
	for _, r := range stored {
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
	for name, config := range side.configs {
		removeUnused(config)
		text := virtualAddresses.ReplaceAllStringFunc(phrase.JSON(config), named)
		text = weights.ReplaceAllString(tagsOfClient.ReplaceAllString(text, ""), "")
		decoded, err := tree.DecodeJSON([]byte(idleDefault.ReplaceAllString(text, "")))
		if err != nil {
			t.Fatal(err)
		}
		side.configs[name] = tree.Object(decoded)
	}
	return side
}

// What changes without effect: the virtual address of a service that is created again, which stands for its name, the header with the
// tags of a client, which proxies of a mesh with a MeshFaultInjection add, the idle timeout that Envoy has
// without one, and the weight of endpoints, which depends on the zone ingresses of all meshes.
var (
	virtualAddresses = regexp.MustCompile(`\b24[0-3](\.\d+){3}\b|::ffff:f[0-3][0-9a-f]{2}:[0-9a-f]+`)
	tagsOfClient     = regexp.MustCompile(`"requestHeadersToAdd":\[\{"header":\{"key":"x-kuma-tags","value":"[^"]*"\}\}\],?`)
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
		} else {
			others.WriteString(phrase.JSON(part))
		}
	}
	for name, key := range clusters {
		if !strings.Contains(others.String(), phrase.JSON(name)) {
			delete(config, key)
		}
	}
}

// keepsChanging reports whether the configuration of a proxy changes by itself, because the control plane draws a
// service or orders equal matches of a gateway.
func (s meshSide) keepsChanging(name string) bool {
	return name == gateway || slices.ContainsFunc(s.proxies.Outbounds(name).All, func(o proxy.Outbound) bool { return o.Drawn })
}

// isExempt reports whether a proxy is not compared: its configuration changes by itself, or it reaches everything and is
// not named for each service.
func (s meshSide) isExempt(name string, of kuma.Key) bool {
	return s.keepsChanging(name) || rules.IsDestination(of.Type) && s.proxies.Outbounds(name).Everything
}

func (w *meshWorld) compareChanges(t *testing.T, cp *oracle.Site, covered *coverage, changes int) {
	t.Helper()
	d := oracle.Deployment{Sites: []*oracle.Site{cp}}
	t.Cleanup(func() { cp.Remove(context.Background(), w.mesh, w.resources) })
	if _, err := d.Store(t.Context(), d.Writes(w.resources)); err != nil {
		t.Fatal(err)
	}
	for _, r := range w.resources {
		if r.Type != kuma.KindDataplane {
			continue
		}
		p, err := proxies.Start(t.Context(), cp, proxies.Options{Mesh: w.mesh, Dataplane: r.Name, Workload: r.Labels[kuma.LabelWorkload]})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = p.Close() })
	}
	removable := slices.DeleteFunc(slices.Clone(w.resources), func(r kuma.Resource) bool {
		return slices.Contains([]string{kuma.KindMesh, kuma.KindDataplane, kuma.KindMeshGateway, kinds.HostnameGenerator.Name, kinds.MeshIdentity.Name, kinds.ZoneIngress.Name, kinds.MeshZoneAddress.Name}, r.Type)
	})
	w.Shuffle(len(removable), func(i, j int) { removable[i], removable[j] = removable[j], removable[i] })
	before := w.observe(t, cp)
	for _, r := range removable[:min(changes, len(removable))] {
		k, _ := kinds.Find(r.Type)
		if err := cp.Client.Delete(t.Context(), k, r.Mesh, r.Name); err != nil {
			continue // the control plane has rejected it
		}
		after := w.observe(t, cp)
		covered.add(map[string]int{"changes": 1, "proxies": len(after.configs), "of " + r.Type: 1})
		w.compareChange(t, "delete", r.Key(), before, after, covered)
		w.compareChange(t, "create", r.Key(), after, before, covered)
		if t.Failed() {
			t.Log(phrase.JSON(r.Document()))
			return
		}
		before = after
	}
}

func (w *meshWorld) compareChange(t *testing.T, verb string, of kuma.Key, before, after meshSide, covered *coverage) {
	t.Helper()
	change := verb + " " + of.Local()
	i, err := impact.Compare(before.snapshot, after.snapshot, w.mesh)
	if err != nil {
		t.Fatal(err)
	}
	named := i.Changed()
	for _, r := range i.RequestsChanged {
		named = append(named, r.Clients...)
	}
	frozen := map[string]bool{}
	for _, f := range i.Frozen {
		for _, name := range f.Dataplanes {
			frozen[name] = true
		}
	}
	for _, name := range w.dataplaneNames() {
		was, is := before.configs[name], after.configs[name]
		switch {
		case before.isExempt(name, of) || after.isExempt(name, of):
			continue
		case was == nil || is == nil:
			if gone := was != nil && is == nil; gone != frozen[name] && (was != nil || is != nil) {
				t.Errorf("%s: %s is frozen by the impact: %t, configured before: %t, after: %t", change, name, frozen[name], was != nil, is != nil)
			}
			continue
		case frozen[name]:
			t.Errorf("%s: %s is frozen by the impact, and configured", change, name)
		}
		var different []string
		for _, d := range tree.Diff(was, is) {
			different = append(different, fmt.Sprintf("%s: %.300v, before %.300v", d.Path, phrase.JSON(d.B), phrase.JSON(d.A)))
		}
		silent := before.proxies.Outbounds(name).Assumed || of.Type == kinds.MeshTrafficPermission.Name // for what it may reach, and for clients that do not exist
		if changes := different != nil; changes != slices.Contains(named, name) && (changes || !silent) {
			t.Errorf("%s: %s changes by the impact: %t, by the configuration:\n%.2000s\nimpact:\n%s", change, name, !changes, strings.Join(different, "\n"), i.Summary())
		} else if changes {
			covered.add(map[string]int{"changed": 1})
		}
	}
}
