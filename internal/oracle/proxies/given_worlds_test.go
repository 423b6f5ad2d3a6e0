package proxies_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	engine "github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
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

// TestGivenWorlds compares what happens to requests in the worlds of YAML files with what the
// configuration of the proxies does to them: those of each Dataplane through each of its outbounds, of
// transparent proxies for each host name, and to the listeners of builtin gateways. They have the paths,
// methods, headers and parameters of the matches of routes. It also compares the rules of each
// Dataplane. FILES is a pattern of file names, by default that of the worlds of the command's tests,
// and each mesh of a file is a world. Worlds that the control plane rejects are skipped.
func TestGivenWorlds(t *testing.T) {
	began, cp := time.Now(), start(t)
	pattern := cmp.Or(os.Getenv("FILES"), "../../command/testdata/*/*.yaml")
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	covered := &coverage{counts: map[string]int{}}
	t.Run("worlds", func(t *testing.T) {
		worlds := 0
		for _, file := range files {
			all := testworld.Resources(t, testworld.Text(t, file))
			for _, of := range meshesOf(all) {
				w := &requestWorld{world: world{mesh: fmt.Sprintf("g%d", worlds)}}
				w.resources = inMesh(all, of, w.mesh)
				worlds++
				t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml")+"/"+of, func(t *testing.T) {
					t.Parallel()
					w.compareGiven(t, cp, covered, false)
				})
			}
		}
	})
	covered.log(t)
	if inside, err := filepath.Rel(testworld.Path("..", ".."), pattern); err == nil { // what others can repeat
		pattern = inside
	}
	recordResult(t, cp, began, "make differ FILES='"+pattern+"'", fmt.Sprintf("%d requests in %d worlds", covered.counts["decided requests"], covered.counts["worlds"]))
}

// TestProxies compares in the same way until it has compared PROXIES proxies, in random worlds of a
// mesh as people write them. SEED is that of the first world.
func TestProxies(t *testing.T) {
	began, cp := time.Now(), start(t)
	count, first := setting(t, "PROXIES", 20), setting(t, "SEED", 1)
	covered := &coverage{counts: map[string]int{}}
	t.Run("worlds", func(t *testing.T) {
		for i, n := 0, 0; n < count; i++ {
			w := newMeshWorld(uint64(first+i), cp.Info.Release.Kuma3()) //nolint:gosec // not negative
			n += len(w.dataplaneNames())
			t.Run(w.mesh, func(t *testing.T) {
				t.Parallel()
				w.compareGiven(t, cp, covered, true)
			})
		}
	})
	covered.log(t)
	recordResult(t, cp, began, fmt.Sprintf("make differ PROXIES=%d SEED=%d", count, first), fmt.Sprintf("%d proxies, %d requests", covered.counts["proxies"], covered.counts["decided requests"]))
}

// meshesOf returns the names of the meshes that have resources.
func meshesOf(all []kuma.Resource) []string {
	names := map[string]bool{}
	for _, r := range all {
		if r.Mesh != "" {
			names[r.Mesh] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// inMesh returns the resources of one mesh, with another name of the mesh.
func inMesh(all []kuma.Resource, of, mesh string) []kuma.Resource {
	out := []kuma.Resource{{Type: kuma.KindMesh, Name: mesh, Body: object{}}}
	for _, r := range all {
		r.Labels = maps.Clone(r.Labels)
		switch delete(r.Labels, kuma.LabelMesh); {
		case r.Type == kuma.KindMesh && r.Name == of:
			r.Name = mesh
			out[0] = r
		case r.Mesh == of:
			r.Mesh = mesh
			out = append(out, r)
		}
	}
	for _, kind := range []string{kuma.KindMeshService, kuma.KindMeshExternalService, kuma.KindMeshMultiZoneService} {
		selector := strings.ToLower(kind[:1]) + kind[1:]
		out = append(out, kuma.Resource{Type: kinds.HostnameGenerator.Name, Name: mesh + "-" + strings.ToLower(kind), Body: object{"spec": object{
			"selector": object{selector: object{"matchLabels": object{kuma.LabelMesh: mesh}}}, "template": "{{ .DisplayName }}." + mesh,
		}}})
	}
	return out
}

// compareGiven compares the requests in a world. Documents that the control plane rejects are left
// out if some may be, and otherwise the whole world.
func (w *requestWorld) compareGiven(t *testing.T, cp *oracle.Site, covered *coverage, some bool) {
	t.Helper()
	d := oracle.Deployment{Sites: []*oracle.Site{cp}}
	t.Cleanup(func() { cp.Remove(context.Background(), w.mesh, w.resources) })
	if rejected, err := d.Store(t.Context(), d.Writes(w.resources)); err != nil || len(rejected) > 0 && !some {
		t.Skip("this release rejects the world", rejected, err)
	}
	if err := oracle.Pause(t.Context(), 2*oracle.Cached); err != nil { // services are generated
		t.Fatal(err)
	}
	// The control plane can be about to generate services.
	stored := input.Stored(w.mesh, cp.Info.ControlPlane, nil, withIdentities(t, cp, w.mesh), nil).Resources
	simulation := simulationOf(cp, append(slices.Clone(stored), generatorsOf(w.resources)...))
	snapshot := rules.NewSnapshotFor(cp.Info.Release, append(slices.Clone(stored), generatorsOf(w.resources)...)).RestrictOutbound(false) // the preview does not
	compareRules(t, cp, snapshot, w.mesh)
	clients, err := proxy.New(snapshot, w.mesh)
	testworld.NoError(t, err)
	broken := map[string]bool{}
	rejected := map[string]bool{} // not by the control plane, but by Envoy
	for _, r := range stored {
		if r.Type != kuma.KindDataplane {
			continue
		}
		cause, err := simulation.Frozen(w.mesh, r.Name)
		testworld.NoError(t, err)
		broken[r.Name] = cause != nil || clients.Client(r.Name).Broken != nil
		rejected[r.Name] = cause != nil && strings.Contains(cause.Reason, "only backends without a weight")
	}
	t.Cleanup(func() {
		for _, r := range stored {
			if t.Failed() {
				t.Log(phrase.JSON(r.Document()))
			}
		}
	})
	all := w.givenRequests(t, simulation, snapshot, clients)
	counts := map[string]int{"worlds": 1, "proxies": len(broken), "requests": len(all), "broken proxies": len(slices.DeleteFunc(slices.Collect(maps.Values(broken)), func(is bool) bool { return !is }))}
	for _, a := range all {
		switch {
		case a.want != "":
		case broken[a.from]:
			counts["requests of broken proxies"]++
		default:
			counts["unknown requests"]++
			counts["unknown: "+a.undecided]++
		}
		counts["lines of answers"] += strings.Count(a.want, "\n") + 1
	}
	asked := all
	all = slices.DeleteFunc(slices.Clone(all), func(a givenRequest) bool { return a.want == "" })
	counts["decided requests"] = len(all)
	covered.add(counts)
	for _, r := range stored {
		if broken[r.Name] && !rejected[r.Name] && r.Type == kuma.KindDataplane {
			expectNothing(t, cp, r)
		}
	}
	if len(all) == 0 {
		return
	}
	connected := connect(t, cp, slices.DeleteFunc(slices.Clone(stored), func(r kuma.Resource) bool { return broken[r.Name] }))
	sent := func(p *proxies.Proxy, _ context.Context) (*envoy.Config, error) { return p.Accepted() } // _config takes longer
	numbered := portNumbers(stored)
	check := func(m envoy.Mesh) string {
		var differences []string
		for _, a := range all {
			outcomes, err := m.Send(a.from, a.Request)
			if err != nil && missingPassthrough.MatchString(err.Error()) {
				outcomes, err = []envoy.Outcome{{Share: big.NewRat(1, 1), Verdict: envoy.Closed}}, nil
			}
			got := ""
			if err == nil {
				got = numbered(observed(m, a.Request, outcomes))
			} else {
				got = err.Error()
			}
			elsewhere := throughIngress.MatchString(got) // where the engine does not evaluate the request
			if got = throughIngress.ReplaceAllString(got, ""); got != a.want || elsewhere != a.elsewhere {
				differences = append(differences, fmt.Sprintf("%s: %+v\nproxies (leaves the zone: %t):\n%s\nengine (%t):\n%s", a.from, a.Request, elsewhere, got, a.elsewhere, a.want))
			}
		}
		return strings.Join(append(differences, unexpectedListeners(m, asked)...), "\n")
	}
	await(t, connected, sent, check)
	if err := oracle.Pause(t.Context(), 2*oracle.Cached); err != nil { // the first configuration can be generated without some of the policies
		t.Fatal(err)
	}
	await(t, connected, sent, check)
}

// compareRules compares the rules of each Dataplane, once the control plane has the services that it
// generates.
func compareRules(t *testing.T, cp *oracle.Site, s *rules.Snapshot, mesh string) {
	t.Helper()
	for _, dataplane := range s.Dataplanes(mesh) {
		a, err := s.Dataplane(mesh, dataplane)
		testworld.NoError(t, err)
		listed, err := tree.DecodeJSON([]byte(phrase.JSON(a.Listed())))
		testworld.NoError(t, err)
		var differences []string
		err = oracle.Until(t.Context(), settles/6, time.Second/2, "equal rules", func(ctx context.Context) (bool, error) {
			actual, err := cp.Rules(ctx, mesh, dataplane)
			differences = testworld.AnswerDifferences(dataplane, testworld.ComparableAnswer(listed), testworld.ComparableAnswer(actual))
			return len(differences) == 0, err
		})
		if err != nil {
			t.Errorf("%v:\n%s", err, strings.Join(differences, "\n"))
		}
	}
}

// unexpectedListeners returns the listeners for an application that none of the requests uses.
func unexpectedListeners(m envoy.Mesh, asked []givenRequest) (all []string) {
	used := map[string]bool{}
	for _, a := range asked {
		outcomes, _ := m.Send(a.from, a.Request) // compared elsewhere
		for _, o := range outcomes {
			used[a.from+" "+o.Listener] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		for _, l := range m[name].Outbounds() {
			if !used[name+" "+l] {
				all = append(all, fmt.Sprintf("%s has the listener %s", name, l))
			}
		}
	}
	return all
}

// expectNothing checks that a new proxy gets no configuration. The control plane can generate one as
// long as it does not know all that is stored.
func expectNothing(t *testing.T, cp *oracle.Site, dataplane kuma.Resource) {
	t.Helper()
	err := oracle.Until(t.Context(), settles/3, oracle.Cached, "a proxy without configuration", func(ctx context.Context) (bool, error) {
		p, err := proxies.Start(ctx, cp, proxies.Options{Mesh: dataplane.Mesh, Dataplane: dataplane.Name, Workload: dataplane.Labels[kuma.LabelWorkload]})
		if err != nil {
			return false, err
		}
		defer p.Close()
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		return p.Await(ctx, func() bool { return p.Responses(envoy.Listeners).Accepted > 0 }) != nil, nil
	})
	if err != nil {
		t.Errorf("%s gets a configuration: %v", dataplane.Name, err)
	}
}

// portNumbers returns a function that joins lines, with the numbers of ports for their names, which some clusters have, and for those
// that a reference to a MeshExternalService lacks.
func portNumbers(resources []kuma.Resource) func([]string) string {
	var pairs []string
	for _, r := range resources {
		ports := tree.Objects(r.Spec()["ports"])
		if match, ok := r.Spec()["match"].(object); ok {
			ports = append(ports, match)
		}
		for _, p := range ports {
			if name := tree.Text(p["name"]); name != "" || r.Type == kuma.KindMeshExternalService {
				for _, end := range []string{" ", "\n"} {
					pairs = append(pairs, fmt.Sprint(" ", r.DisplayName(), " ", name, end), fmt.Sprint(" ", r.DisplayName(), " ", tree.Int(p["port"]), end))
				}
			}
		}
	}
	replacer := strings.NewReplacer(pairs...)
	return func(lines []string) string {
		return strings.TrimSuffix(replacer.Replace(strings.Join(lines, "\n")+"\n"), "\n")
	}
}

type givenRequest struct {
	from, want string // want is empty if the engine does not decide
	answer     engine.Answer
	undecided  string // why it does not
	elsewhere  bool   // Dataplanes of other zones can take it
	envoy.Request
}

// throughIngress is what is observed of requests to another zone.
var throughIngress = regexp.MustCompile(`\n  10\.8\.\d+\.\d+:10001 is not part of the mesh`)

// givenRequests returns the requests in a world, and what the engine says about them.
func (w *requestWorld) givenRequests(t *testing.T, simulation engine.Simulation, s *rules.Snapshot, outbounds *proxy.Mesh) []givenRequest {
	t.Helper()
	var all []givenRequest
	for _, d := range s.Resources(w.mesh, kuma.KindDataplane) {
		for _, called := range w.calledBy(t, s, d, outbounds.Outbounds(d.Name)) {
			for _, match := range w.givenMatches() {
				r := called
				r.Method, r.Path, r.Headers, r.Query = "GET", "/", map[string]string{}, map[string]string{}
				if meet(&r, match); strings.Contains(r.Path, "?") {
					continue // of an expression that meet does not solve
				}
				answer, err := simulation.Send(engine.Request{
					Mesh: w.mesh, Dataplane: d.Name, Service: engine.Service{Host: r.Host, Port: r.Port}, Method: r.Method, Path: r.Path, Host: r.Host, Headers: r.Headers, Query: r.Query,
				})
				testworld.NoError(t, err)
				asked := givenRequest{from: d.Name, Request: r, answer: answer}
				asked.elsewhere = leavesZone(&answer)
				if !isUndecided(answer) && !leavesOut(answer) {
					asked.want = strings.Join(w.answered(r, answer), "\n")
				} else {
					asked.undecided = undecided(answer)
				}
				all = append(all, asked)
			}
		}
	}
	return all
}

// leavesZone reports whether Dataplanes of other zones can take the request, if that is known. Such backends then count as ones
// without proxies.
func leavesZone(a *engine.Answer) bool {
	known := func(text string) bool {
		return strings.Contains(text, "Dataplanes of ") && !strings.Contains(text, "which may have")
	}
	leaves := slices.ContainsFunc(a.NotConsidered, known)
	for i, b := range a.Backends {
		if b.Verdict == engine.Unknown && strings.Contains(b.Reason, "through a zone ingress") && known(b.Reason) {
			leaves, a.Backends[i].Verdict = true, engine.NoHealthy
			if a.Verdict == engine.Unknown {
				a.Verdict = engine.Mixed
			}
		}
	}
	return leaves
}

// undecided returns why the engine does not decide a request: the reasons of what is unknown, or else what is not considered.
func undecided(a engine.Answer) string {
	var reasons []string
	add := func(v engine.Verdict, reason string) {
		if v == engine.Unknown && !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
	}
	if a.Backends == nil {
		add(a.Verdict, a.Reason)
	}
	for _, b := range a.Backends {
		if b.Proxies == nil {
			add(b.Verdict, b.Reason)
		}
		for _, p := range b.Proxies {
			add(p.Verdict, p.Reason)
		}
	}
	return cmp.Or(strings.Join(reasons, " "), strings.Join(a.NotConsidered, ", "))
}

// leavesOut reports whether an answer leaves out policies that the configuration of proxies has, or
// the answer of a proxy without a configuration.
func leavesOut(a engine.Answer) bool {
	isPolicy := func(text string) bool {
		return strings.HasPrefix(text, kinds.MeshProxyPatch.Name) || strings.HasPrefix(text, kinds.MeshFaultInjection.Name)
	}
	return slices.ContainsFunc(a.NotConsidered, isPolicy) || slices.ContainsFunc(a.Backends, func(b engine.Backend) bool {
		return slices.ContainsFunc(b.Proxies, func(p engine.Proxy) bool { return p.Verdict == engine.Unknown })
	})
}

// calledBy returns what can be called through a proxy.
func (w *requestWorld) calledBy(t *testing.T, s *rules.Snapshot, dataplane *kuma.Resource, outbounds *proxy.Outbounds) []envoy.Request {
	t.Helper()
	var all []envoy.Request
	for _, o := range outbounds.All {
		switch {
		case o.Address.IsValid():
			all = append(all, envoy.Request{Host: o.Address.Addr().String(), Port: int(o.Address.Port())})
		case o.Tags != nil:
			all = append(all, envoy.Request{Host: o.Tags[kuma.TagService] + ".mesh", Port: 80})
		default:
			host := o.Port.Resource.Name + "."
			if service := s.Service(o.Port.Resource); rules.IsElsewhere(*service) || !rules.SameZone(*dataplane, *service) {
				host += service.Zone() + "."
			}
			all = append(all, envoy.Request{Host: host + w.mesh, Port: o.Port.Number})
		}
	}
	address, _ := tree.Root(dataplane.Body).Get("networking", "address").Text()
	for _, l := range s.Listeners(w.mesh, dataplane.Name) {
		for _, host := range append(w.routeHosts(), l.Hostname) {
			r := envoy.Request{Host: strings.Replace(host, "*", "other.example", 1), Address: address, Port: l.Port}
			if l.IsEncrypted() {
				r.Protocol = envoy.HTTPS
			}
			if !slices.ContainsFunc(all, func(o envoy.Request) bool { return o.Host == r.Host && o.Address == r.Address && o.Port == r.Port }) {
				all = append(all, r)
			}
		}
	}
	return all
}

// routeHosts returns the host names of routes.
func (w *requestWorld) routeHosts() (all []string) {
	for _, r := range w.resources {
		for _, name := range tree.Root(r.Spec()).Find("to[].hostnames[]") {
			if host, ok := name.Text(); ok && !slices.Contains(all, host) {
				all = append(all, host)
			}
		}
	}
	return all
}

// givenMatches returns the matches of all routes, and one that meets none.
func (w *requestWorld) givenMatches() []object {
	all := []object{{}, {"path": object{"value": "/none"}}}
	for _, r := range w.resources {
		for _, entry := range tree.Objects(r.Spec()["to"]) {
			for _, rule := range tree.Objects(entry["rules"]) {
				all = append(all, tree.Objects(rule["matches"])...)
			}
		}
	}
	return all
}
