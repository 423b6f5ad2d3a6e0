package proxies_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/rollout"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/upgrade"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies/envoy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/randomworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// stages compares what proxies do before and after the stages of a rewriting to Kuma 3.0.
type stages struct {
	old, recent *oracle.Site // recent is nil without KUMA3_CP, and stage two is not compared

	documents, kept, changed, upgraded atomic.Int64
}

func startStages(t *testing.T) *stages {
	t.Helper()
	s := &stages{old: start(t)}
	if s.old.Info.Release.Kuma3() {
		t.Skip("stage one is for Kuma 2.14")
	}
	if os.Getenv("KUMA3_CP") != "" {
		s.recent = startBinary(t, "KUMA3_CP")
	}
	return s
}

// compare applies both stages to a mesh whose proxies are connected.
func (s *stages) compare(t *testing.T, mesh string, connected map[string]*proxies.Proxy) {
	t.Helper()
	var result upgrade.Result
	s.compareStageOne(t, mesh, connected, func() upgrade.Report {
		result = s.apply(t, mesh)
		return result.Report
	})
	if s.recent != nil {
		s.compareStageTwo(t, mesh, result, connected)
	}
}

func (s *stages) String() string {
	text := fmt.Sprintf("%d documents changed in stage one, %d proxies compared", s.documents.Load(), s.kept.Load())
	if s.recent != nil {
		text += fmt.Sprintf("; on 3.0 %d proxies compared, of which %d change", s.upgraded.Load(), s.changed.Load())
	}
	return text
}

// TestStages shows that stage one changes nothing that a proxy of Kuma 2.14 is sent, and that a proxy of 3.0
// does something else after stage two exactly if the proof says so.
func TestStages(t *testing.T) {
	s := startStages(t)
	meshes := oldMeshes(t)
	t.Run("meshes", func(t *testing.T) {
		for mesh, documents := range meshes {
			t.Run(mesh, func(t *testing.T) {
				t.Parallel()
				resources := slices.DeleteFunc(testworld.Resources(t, documents), func(r kuma.Resource) bool {
					return r.Type == "ProxyTemplate" // TestStageOneReplacesProxyTemplates
				})
				s.compare(t, mesh, startProxies(t, s.old, storeOlder(t, s.old, resources)))
			})
		}
	})
	t.Logf("%d meshes: %s", len(meshes), s)
}

// oldMeshes returns meshes as people have them on 2.14, by name.
func oldMeshes(t *testing.T) map[string]string {
	t.Helper()
	const exclusive = "name: older-exclusive\nmeshServices: {mode: Exclusive}\n"
	meshes := map[string]string{
		"shop":            testworld.OldStyle(t, "shop"),
		"older":           testworld.OlderKinds("older"),
		"older-exclusive": strings.Replace(testworld.OlderKinds("older-exclusive"), "name: older-exclusive\n", exclusive, 1),
	}
	files, err := filepath.Glob("../../analysis/upgrade/testdata/worlds/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		text := testworld.Text(t, file)
		meshes[testworld.Resources(t, text)[0].Name] = text
	}
	return meshes
}

// storeOlder stores resources, also those of the kinds that Kuma 3.0 removed.
func storeOlder(t *testing.T, cp *oracle.Site, resources []kuma.Resource) []kuma.Resource {
	t.Helper()
	var described []kuma.Resource
	for _, r := range resources {
		if _, ok := kinds.Find(r.Type); ok {
			described = append(described, r)
		}
	}
	d := oracle.Deployment{Sites: []*oracle.Site{cp}}
	rejected, err := d.Store(t.Context(), d.Writes(described))
	if err != nil || len(rejected) > 0 {
		t.Fatal(rejected, err)
	}
	for _, k := range kinds.Older() {
		for _, r := range resources {
			if r.Type != k.Name {
				continue
			}
			if _, _, err := cp.Client.Put(t.Context(), k, r); err != nil {
				t.Fatal(err)
			}
		}
	}
	return resources
}

// TestStageOneReplacesProxyTemplates compares what a proxy is sent, because `_config` does not show
// ProxyTemplates.
func TestStageOneReplacesProxyTemplates(t *testing.T) {
	cp := start(t)
	if cp.Info.Release.Kuma3() {
		t.Skip("stage one is for Kuma 2.14")
	}
	const mesh = "templates"
	documents := storeOlder(t, cp, testworld.Resources(t, `{type: Mesh, name: templates, skipCreatingInitialPolicies: ["*"]}
---
{type: Dataplane, mesh: templates, name: web, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web, kuma.io/protocol: http}}], outbound: [{port: 10001, tags: {kuma.io/service: web}}]}}
---
{type: ProxyTemplate, mesh: templates, name: web, selectors: [{match: {kuma.io/service: web}}], conf: {imports: [default-proxy], modifications: [
  {cluster: {operation: patch, match: {origin: outbound}, value: "connectTimeout: 13s"}}, {cluster: {operation: add, value: "{name: more, connectTimeout: 3s}"}},
  {listener: {operation: patch, match: {origin: inbound}, value: "perConnectionBufferLimitBytes: 77"}}]}}`))
	p := connect(t, cp, documents)["web"]
	sent := func() string {
		config, err := p.Accepted()
		testworld.NoError(t, err)
		var texts []string
		for name, cluster := range config.Clusters {
			texts = append(texts, fmt.Sprint(name, cluster.GetConnectTimeout()))
		}
		for name, listener := range config.Listeners {
			texts = append(texts, fmt.Sprint(name, listener.GetPerConnectionBufferLimitBytes()))
		}
		slices.Sort(texts)
		return strings.Join(texts, "\n")
	}
	before := sent()
	if !strings.Contains(before, "seconds:13") || !strings.Contains(before, "more") {
		t.Fatalf("the ProxyTemplate has no effect:\n%s", before)
	}
	result, err := upgrade.Rewrite(documents, upgrade.Options{ControlPlane: cp.Info.ControlPlane})
	testworld.NoError(t, err)
	template, _ := kinds.FindOlder("ProxyTemplate")
	testworld.NoError(t, cp.Client.Delete(t.Context(), template.Kind, mesh, "web"))
	for _, has := range []bool{false, true} {
		if has {
			for _, r := range result.StageOne {
				if rejection, err := cp.Put(t.Context(), r); err != nil || rejection != "" {
					t.Fatal(r.Key(), rejection, err)
				}
			}
		}
		testworld.NoError(t, oracle.Until(t.Context(), settles, time.Second, "the modified configuration", func(context.Context) (bool, error) { return strings.Contains(sent(), "more") == has, nil }))
	}
	if after := sent(); after != before {
		t.Errorf("the proxy is sent another configuration (-before +after):\n%s", cmp.Diff(before, after))
	}
}

// TestStagesOfRandomWorlds shows the same for the random worlds that the engine is compared
// with, for as many meshes as people write them, and for as many with older kinds, which it deletes if
// stage one replaces them. UPGRADE is their number, and SEED that of the first one.
func TestStagesOfRandomWorlds(t *testing.T) {
	began, s := time.Now(), startStages(t)
	worlds, first := setting(t, "UPGRADE", 20), setting(t, "SEED", 1)
	compare := func(t *testing.T, mesh string, world []kuma.Resource, startAll func(*testing.T, *oracle.Site, []kuma.Resource) map[string]*proxies.Proxy) {
		t.Helper()
		t.Run(mesh, func(t *testing.T) {
			t.Parallel()
			t.Cleanup(func() { s.old.Remove(context.WithoutCancel(t.Context()), mesh, world) })
			s.compare(t, mesh, startAll(t, s.old, world))
		})
	}
	t.Run("worlds", func(t *testing.T) {
		for i := range worlds {
			seed := uint64(first + i) //nolint:gosec // not negative
			mesh := fmt.Sprintf("u%d", seed)
			world := randomworld.New(seed, randomworld.Options{Mesh: mesh, Zone: s.old.Info.Zone, Release: s.old.Info.Release})
			for _, r := range world {
				if r.Labels[kuma.LabelOrigin] == kuma.OriginGlobal { // an upgrade keeps it, and the test writes to 3.0, which replaces it
					delete(r.Labels, kuma.LabelOrigin)
				}
				leaveOneInboundOnEachPort(r)
			}
			compare(t, mesh, slices.DeleteFunc(world, func(r kuma.Resource) bool { return affectsOtherMeshes(r) || removesListeners(r) }), startAll)
			written := newMeshWorld(seed, false)
			compare(t, written.mesh, slices.DeleteFunc(written.resources, isCopyOfZone), startAll)
			mesh += "-older"
			compare(t, mesh, testworld.Resources(t, randomworld.Older(seed, randomworld.Options{Mesh: mesh})), startOlder)
		}
	})
	t.Logf("%d worlds: %s", worlds, s)
	recordResult(t, s.old, began, fmt.Sprintf("make differ UPGRADE=%d CONFIG=1 SEED=%d", worlds, first), s.String())
}

// leaveOneInboundOnEachPort removes the inbounds of a Dataplane that share a port with an earlier one. Their listeners have one address:
// which of them a proxy of 3.0 accepts is not known.
func leaveOneInboundOnEachPort(r kuma.Resource) {
	networking, used := tree.Object(r.Body["networking"]), map[int]bool{}
	if inbounds := tree.List(networking["inbound"]); len(inbounds) > 1 {
		networking["inbound"] = slices.DeleteFunc(inbounds, func(in any) bool {
			port := tree.Int(tree.Object(in)["port"])
			defer func() { used[port] = true }()
			return used[port]
		})
	}
}

// startOlder stores a world with older kinds, and connects the proxies.
func startOlder(t *testing.T, cp *oracle.Site, world []kuma.Resource) map[string]*proxies.Proxy {
	t.Helper()
	return connect(t, cp, storeOlder(t, cp, world))
}

// isCopyOfZone reports whether a resource belongs to another zone: only the control plane of the test stores it, and stage two
// makes it a resource of its own. A zone ingress changes the weights of endpoints in all meshes.
func isCopyOfZone(r kuma.Resource) bool { return r.Zone() != "" || r.Type == kinds.ZoneIngress.Name }

// affectsOtherMeshes reports whether a resource has no mesh, or is a gateway that proxies of other
// meshes reach.
func affectsOtherMeshes(r kuma.Resource) bool {
	return r.Mesh == "" && r.Type != kuma.KindMesh || strings.Contains(phrase.JSON(r.Body), `"crossMesh":true`)
}

// removesListeners reports whether a patch, which the engine does not evaluate, removes listeners that proxies have before or after the upgrade.
func removesListeners(r kuma.Resource) bool {
	return slices.ContainsFunc(tree.Root(r.Body).Find("spec.default.appendModifications[].listener.operation"), func(n tree.Node) bool { return n.Value() == "Remove" })
}

// startAll stores what the control plane accepts of a world, and connects the proxies.
func startAll(t *testing.T, cp *oracle.Site, world []kuma.Resource) map[string]*proxies.Proxy {
	t.Helper()
	d := oracle.Deployment{Sites: []*oracle.Site{cp}}
	rejected, err := d.Store(t.Context(), d.Writes(world))
	testworld.NoError(t, err)
	return startProxies(t, cp, slices.DeleteFunc(slices.Clone(world), func(r kuma.Resource) bool {
		return slices.ContainsFunc(rejected, func(f oracle.Rejection) bool { return f.Resource.Key() == r.Key() || f.Resource.Type == kuma.KindMesh })
	}))
}

// startProxies connects the proxies of Dataplanes. Some of them never get a configuration.
func startProxies(t *testing.T, cp *oracle.Site, resources []kuma.Resource) map[string]*proxies.Proxy {
	t.Helper()
	connected := map[string]*proxies.Proxy{}
	for _, r := range resources {
		if r.Type != kuma.KindDataplane {
			continue
		}
		p, err := proxies.Start(t.Context(), cp, proxies.Options{Mesh: r.Mesh, Dataplane: r.Name, Workload: r.Labels[kuma.LabelWorkload]})
		testworld.NoError(t, err)
		t.Cleanup(func() { _ = p.Close() })
		connected[r.Name] = p
	}
	return connected
}

// compareStageOne compares the configuration of the proxies of a mesh before and after apply, which applies stage one
// of the rewriting. The control plane makes some configurations differently each
// time: a resource that takes an earlier value again while the mesh stays the same has not changed.
func (s *stages) compareStageOne(t *testing.T, mesh string, connected map[string]*proxies.Proxy, apply func() upgrade.Report) {
	t.Helper()
	cp, dataplanes := s.old, slices.Collect(maps.Keys(connected))
	was := readings{}
	configured := was.settle(t, cp, mesh, dataplanes)
	maps.DeleteFunc(was, func(proxy string, _ map[string][]any) bool { // broken by the mesh; `_config` shows some of what is not sent
		return configured[proxy] == nil || connected[proxy].Responses(envoy.Listeners).Accepted == 0
	})
	report := apply()
	is := readings{}
	last := is.settle(t, cp, mesh, dataplanes)
	different := map[string][]string{} // by proxy
	for proxy := range was {
		different[proxy] = was.unseen(proxy, last[proxy])
		if slices.ContainsFunc(report, func(i upgrade.Item) bool {
			return i.Key.Type == kuma.KindDataplane && i.Key.Name == proxy && strings.Contains(i.Text, "this adds listeners and host names")
		}) {
			different[proxy] = slices.DeleteFunc(different[proxy], func(name string) bool { return was[proxy][name] == nil || strings.HasSuffix(name, "dns") })
		}
	}
	isKept := func(_ string, unseen []string) bool { return len(unseen) == 0 }
	maps.DeleteFunc(different, isKept)
	err := oracle.Until(t.Context(), settleLimit, settlePause, "an earlier configuration", func(ctx context.Context) (bool, error) {
		now := sentTo(ctx, cp, mesh, slices.Collect(maps.Keys(different)))
		for proxy, unseen := range different {
			if now[proxy] == nil { // not read
				continue
			}
			still := was.unseen(proxy, now[proxy])
			different[proxy] = slices.DeleteFunc(unseen, func(name string) bool { return !slices.Contains(still, name) })
		}
		maps.DeleteFunc(different, isKept)
		return len(different) == 0, nil
	})
	for proxy, unseen := range different {
		for _, name := range unseen {
			before := slices.Concat(was[proxy][name], []any{nil})[0]
			for _, d := range tree.Diff(before, last[proxy][name]) {
				t.Errorf("%s is sent another configuration at %s, %s: %.300v, before %.300v (%v)", proxy, name, d.Path, phrase.JSON(d.B), phrase.JSON(d.A), err)
			}
		}
	}
	s.kept.Add(int64(len(was)))
}

// apply rewrites what is stored of a mesh, and writes stage one. It deletes what stage one replaces.
func (s *stages) apply(t *testing.T, mesh string) upgrade.Result {
	t.Helper()
	cp := s.old
	stored, err := cp.Stored(t.Context(), mesh)
	testworld.NoError(t, err)
	for _, k := range kinds.Older() {
		older, err := cp.Client.List(t.Context(), k, mesh)
		testworld.NoError(t, err)
		stored = append(stored, older...)
	}
	result, err := upgrade.Rewrite(stored, upgrade.Options{ControlPlane: cp.Info.ControlPlane})
	testworld.NoError(t, err)
	for _, r := range result.StageOne {
		if slices.ContainsFunc(stored, func(s kuma.Resource) bool { return tree.Equal(s.Document(), r.Document()) }) {
			continue
		}
		if rejection, err := cp.Put(t.Context(), r); err != nil || rejection != "" {
			t.Fatal(r.Key(), rejection, err)
		}
		s.documents.Add(1)
	}
	for _, i := range result.Report.Of(upgrade.Removed) {
		k, ok := kinds.FindOlder(i.Key.Type)
		if !ok {
			k.Kind, _ = kinds.Find(i.Key.Type)
		}
		waits := slices.ContainsFunc(result.Report.Of(upgrade.Deferred), func(d upgrade.Item) bool { return d.Key == i.Key })
		waits = waits || strings.Contains(i.Deletion, "elete it with ") || strings.Contains(i.Deletion, "the TrafficRoutes")
		if replaced := ok && i.Rewrite == "R15" && !waits && i.Key.Type != kinds.TrafficRoute; i.Path == "" && (i.Stage == 1 || replaced) {
			s.documents.Add(1)
			if err := cp.Client.Delete(t.Context(), k.Kind, i.Key.Mesh, i.Key.Name); err != nil {
				t.Fatal(i.Key, err)
			}
		}
	}
	return result
}

const (
	settleLimit = 3 * time.Minute
	settlePause = 5 * time.Second

	settledRounds = 5 // without a change
)

// readings holds the values that the resources of the configurations of proxies took, by proxy
// and by name of the resource. Null is the value of a resource that is missing.
type readings map[string]map[string][]any

// settle reads the configurations of proxies until they have not changed for a while, in which proxies
// also notice the certificates of others, or until the limit, because the control plane makes
// some of them differently each time. It returns the last ones, without proxies that get none.
func (r readings) settle(t *testing.T, cp *oracle.Site, mesh string, dataplanes []string) (last map[string]object) {
	t.Helper()
	return r.settleBy(t, func(ctx context.Context) map[string]object { return sentTo(ctx, cp, mesh, dataplanes) })
}

// settleBy is [readings.settle] of what read returns.
func (r readings) settleBy(t *testing.T, read func(context.Context) map[string]object) (last map[string]object) {
	t.Helper()
	same := 0
	err := oracle.Until(t.Context(), settleLimit, settlePause, "a settled configuration", func(ctx context.Context) (bool, error) {
		now := read(ctx)
		if same++; !cmp.Equal(last, now) {
			same = 0
		}
		for proxy, config := range now {
			if r[proxy] == nil {
				r[proxy] = map[string][]any{}
			}
			for _, name := range r.unseen(proxy, config) {
				r[proxy][name] = append(r[proxy][name], config[name])
			}
		}
		last = now
		return same == settledRounds, nil
	})
	if err != nil {
		t.Log(err)
	}
	return last
}

// unseen returns the names of the resources with a value in a configuration that they have not
// had in a reading.
func (r readings) unseen(proxy string, config object) (names []string) {
	all := object{}
	maps.Copy(all, config)
	for name := range r[proxy] {
		all[name] = config[name]
	}
	for name, value := range all {
		if !slices.ContainsFunc(r[proxy][name], func(seen any) bool { return cmp.Equal(seen, value) }) {
			names = append(names, name)
		}
	}
	return names
}

// sentTo returns the configuration of the proxies, without what differs although proxies do the
// same. It omits proxies that get none.
func sentTo(ctx context.Context, cp *oracle.Site, mesh string, dataplanes []string) map[string]object {
	now := map[string]object{}
	stored, err := cp.Stored(ctx, mesh)
	if err != nil {
		return now
	}
	clients := clientsOf(mesh, stored)
	for _, name := range dataplanes {
		answer, err := cp.Inspect(ctx, mesh, name, "_config")
		if err != nil { // a proxy that gets no configuration
			continue
		}
		config, _ := rollout.ReadEnvoyConfig(tree.Object(answer))
		now[name] = tree.Object(clients.withEffects(configOf(config)))
	}
	return now
}

// configOf returns a configuration without what differs although proxies do the same: names of
// routes, certificates, labels of endpoints, the workload that logs and traces name, and their
// order. What the telemetry of a MeshOpenTelemetryBackend reaches by way of kuma-dp, and the settings
// of metrics, are not compared, see kuma3.md §6.2.
func configOf(config rollout.EnvoyConfig) object {
	out := object{}
	for kind, resources := range config {
		for name, resource := range resources {
			if kind != "Secret" && !isTelemetry(name) && !strings.HasSuffix(name, "dynamicconfig") {
				out[kind+" "+name] = withoutNames(resource)
			}
		}
	}
	return out
}

// isTelemetry reports whether a name is that of a cluster or listener for telemetry.
func isTelemetry(name string) bool {
	return slices.ContainsFunc([]string{"system_meshmetric_otel_", "_kuma:metrics:opentelemetry:", "system_meshaccesslog_", "meshaccesslog:opentelemetry:", "system_meshtrace_", "meshtrace:opentelemetry"}, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// serviceName matches the server name of a MeshService on 2.14, a hash of which depends on labels.
var serviceName = regexp.MustCompile(`^a[0-9a-f]{16}\..*\.ms$`)

func withoutNames(v any) any {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "io.kuma.labels")
		if v["match"] != nil {
			delete(v, "name")
		}
		if serviceName.MatchString(tree.Text(v["sni"])) { // which only proxies of other zones read
			delete(v, "sni")
		}
		if v["idleTimeout"] == "3600s" { // the default of Envoy
			delete(v, "idleTimeout")
		}
		if isTelemetry(tree.Text(v["clusterName"])) {
			delete(v, "clusterName")
		}
		for _, labels := range []string{"envoy.lb", "envoy.transport_socket_match"} {
			delete(tree.Object(v[labels]), kuma.LabelDisplayName)
		}
		for key, value := range v {
			v[key] = withoutNames(value)
		}
		if routes, ok := v["routes"].([]any); ok {
			v["routes"] = withoutUnused(routes)
		}
		slices.SortFunc(tree.List(v["accessLog"]), func(a, b any) int { return strings.Compare(phrase.JSON(a), phrase.JSON(b)) })
	case []any:
		v = slices.DeleteFunc(v, func(item any) bool {
			return tree.Object(item)["key"] == "kuma.workload" || tree.Object(item)["tag"] == "kuma.workload"
		})
		for i, value := range v {
			v[i] = withoutNames(value)
		}
		return v
	}
	return v
}

// withoutUnused returns routes without those whose requests an earlier one takes all.
func withoutUnused(routes []any) (used []any) {
	for _, route := range routes {
		if !slices.ContainsFunc(used, func(earlier any) bool { return cmp.Equal(tree.Object(earlier)["match"], tree.Object(route)["match"]) }) {
			used = append(used, route)
		}
	}
	return used
}
