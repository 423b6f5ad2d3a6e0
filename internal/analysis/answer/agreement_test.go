package answer_test

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/access"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/impact"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// agreementWorld is a mesh as a release reads it.
type agreementWorld struct {
	name, mesh string
	input      input.Mesh
	snapshot   *rules.Snapshot
}

func (w agreementWorld) with(resources []kuma.Resource) agreementWorld {
	w.input.Resources = resources
	w.snapshot, _ = w.input.Snapshot()
	return w
}

// agreementWorlds returns the recorded worlds that a test runs, and the documents that show what
// analyses have contradicted each other about, as each release reads them.
func agreementWorlds(t *testing.T) iter.Seq[agreementWorld] {
	t.Helper()
	return func(yield func(agreementWorld) bool) {
		n := 0
		next := func(name, mesh, release string, documents *input.Documents) bool {
			m := documents.Mesh(mesh, kuma.ParseRelease(release))
			s, _ := m.Snapshot()
			return yield(agreementWorld{name + " " + release, mesh, m, s})
		}
		for file := range strings.Lines(strings.Join(slices.Concat(
			testworld.Files(t, filepath.Join("testdata", "cases", "*.yaml")),
			testworld.Files(t, filepath.Join("..", "lint", "testdata", "*", "*.yaml")),
			testworld.Files(t, testworld.Path("examples", "take-over", "shop.yaml")),
		), "\n")) {
			file = strings.TrimSpace(file)
			for _, release := range []string{"2.14", "3.0"} {
				documents := input.OfKinds(lint.Kinds())
				for _, d := range testworld.Documents(t, testworld.Text(t, file)) {
					if d["mesh"] == nil && d["type"] != kuma.KindMesh && d["kind"] == nil && !strings.HasPrefix(fmt.Sprint(d["type"]), "Zone") && d["type"] != "HostnameGenerator" {
						d["mesh"] = "default"
					}
					if err := documents.Value(d, false); err != nil {
						continue // which is the subject of the document
					}
				}
				for _, mesh := range meshesOf(documents.Resources()) {
					if n++; (testworld.Runs(n) || !testing.Short()) && !next(filepath.Base(filepath.Dir(file))+"/"+filepath.Base(file), mesh, release, documents) {
						return
					}
				}
			}
		}
		for _, w := range testworld.GoldenSample(t) {
			m := input.Mesh{Name: w.Mesh, ControlPlane: kuma.ControlPlane{Mode: kuma.ModeZone, Zone: w.Zone, Release: w.Release}, Release: w.Release, Resources: w.Resources}
			if !yield(agreementWorld{name: w.Name, mesh: w.Mesh, input: m}.with(w.Resources)) {
				return
			}
		}
		for line := range recordedLines(t) {
			var w struct {
				ID, Release, Mesh string
				Documents         []any
			}
			testworld.NoError(t, json.Unmarshal(line, &w))
			documents := input.OfKinds(lint.Kinds())
			for _, d := range w.Documents {
				data, _ := json.Marshal(d)
				testworld.NoError(t, documents.Value(tree.Object(testworld.JSON(t, string(data))), false))
			}
			if n++; (testworld.Runs(n) || !testing.Short()) && !next(w.ID, w.Mesh, w.Release, documents) {
				return
			}
		}
	}
}

func meshesOf(resources []kuma.Resource) []string {
	var names []string
	for _, r := range resources {
		if r.Type == kuma.KindDataplane {
			names = append(names, r.Mesh)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func recordedLines(t *testing.T) iter.Seq[[]byte] {
	t.Helper()
	return func(yield func([]byte) bool) {
		file, err := os.Open(filepath.Join("..", "request", "testdata", "recorded.jsonl.gz"))
		testworld.NoError(t, err)
		defer file.Close()
		unzipped, err := gzip.NewReader(file)
		testworld.NoError(t, err)
		lines := bufio.NewScanner(unzipped)
		for lines.Buffer(nil, 1<<24); lines.Scan() && yield(lines.Bytes()); {
		}
	}
}

// TestAccessAgreesWithRequests checks that the access of each client to each port is what happens
// to its request.
func TestAccessAgreesWithRequests(t *testing.T) {
	t.Parallel()
	var c agreement
	for w := range agreementWorlds(t) {
		c.worlds++
		c.compare(t, w)
	}
	t.Logf("%d worlds, %d pairs, %d reachable, %d verdicts compared, %d proxies decided where the request is unknown", c.worlds, c.pairs, c.reachable, c.verdicts, c.unknown)
}

type agreement struct{ worlds, pairs, reachable, verdicts, unknown int }

func (c *agreement) compare(t *testing.T, w agreementWorld) {
	t.Helper()
	m, err := proxy.New(w.snapshot, w.mesh)
	if err != nil {
		t.Fatalf("%s: %v", w.name, err)
	}
	matrix, err := access.Of(m, access.Filter{})
	if err != nil {
		t.Logf("%s: %v", w.name, err) // such as policies that would exhaust a control plane
		return
	}
	services := map[kuma.ID][]*proxy.Service{}
	for _, s := range m.Services() {
		services[s.ID] = append(services[s.ID], s)
	}
	simulation := request.New(w.snapshot)
	for _, row := range matrix.Rows {
		for _, a := range row.Access {
			for _, port := range row.Ports {
				if len(services[port.Resource]) > 1 {
					continue // no reference can tell which one is called
				}
				for _, client := range a.Clients {
					for _, dataplane := range matrix.Clients[client].Dataplanes {
						c.comparePair(t, w, simulation, m, dataplane, services[port.Resource][0], port, a)
					}
				}
			}
		}
	}
}

// comparePair compares one client at one port. Its proxy may have a listener for the service, for
// the tag of the service, or for a MeshMultiZoneService that selects it.
func (c *agreement) comparePair(t *testing.T, w agreementWorld, sim request.Simulation, m *proxy.Mesh, dataplane string, service *proxy.Service, port rules.Port, a access.Access) {
	t.Helper()
	c.pairs++
	if len(w.snapshot.Listeners(w.mesh, dataplane)) > 0 {
		return // a builtin gateway, whose requests are those of its listeners
	}
	var ways []request.Service
	if port.Resource.Type != "" {
		ways = append(ways, request.Service{Kind: port.Resource.Type, Name: kinds.KRI(port.Resource), Port: port.Number})
		for _, r := range w.snapshot.Resources(w.mesh, kuma.KindMeshMultiZoneService) {
			if slices.Contains(w.snapshot.Behind(r.ID()), port.Resource) {
				for _, p := range w.snapshot.Ports(r.ID()) {
					if behind, ok := w.snapshot.PortBehind(p, *w.snapshot.Service(port.Resource)); ok && tree.Int(behind.Get("port").Value()) == port.Number {
						ways = append(ways, request.Service{Kind: r.Type, Name: kinds.KRI(r.ID()), Port: p.Number})
					}
				}
			}
		}
	}
	for _, o := range m.Outbounds(dataplane).All {
		if service.Tag != "" && o.Tags[kuma.TagService] == service.Tag {
			ways = append(ways, byTags(o))
		}
	}
	endpoints := service.Ports[slices.IndexFunc(service.Ports, func(p proxy.ServicePort) bool { return p.Number == port.Number })].Endpoints
	endpoint := func(p request.Proxy) bool {
		return slices.ContainsFunc(endpoints, func(e proxy.Endpoint) bool { return e.Dataplane == p.Dataplane && e.Port == p.Inbound.Port })
	}
	var answer, unprovided *request.Answer
	elsewhere := false
	for _, way := range ways {
		got, err := sim.Send(request.Request{Mesh: w.mesh, Dataplane: dataplane, Service: way})
		switch {
		case errors.Is(err, request.ErrAmbiguousService):
			return
		case errors.Is(err, request.ErrUnknownPort), errors.Is(err, request.ErrUnknownService):
			continue
		case err != nil:
			t.Errorf("%s: %s calls %s: %v", w.name, dataplane, way, err)
			return
		}
		if way.Host != "" && got.Route == nil && len(got.Backends) == 1 && len(got.Backends[0].Proxies) > 0 && !slices.ContainsFunc(got.Backends[0].Proxies, endpoint) {
			elsewhere = true
			continue // it arrives at other ports
		}
		if way.Host != "" && got.Route != nil && len(endpoints) == 0 {
			continue // it arrives at other ports, without the route
		}
		if way.Host != "" && got.Verdict == request.NoHealthy {
			unprovided = &got
			continue
		}
		if got.Verdict != request.Unreachable || strings.Contains(got.Reason, "does not listen for the service") {
			answer = &got
			break
		}
	}
	if answer == nil && !elsewhere {
		answer = unprovided
	}
	pair := fmt.Sprintf("%s: %s at %s %s:%d", w.name, dataplane, port.Resource.Type, port.Resource.Name, port.Number)
	if answer != nil && answer.Verdict == request.Unknown && len(answer.Backends) == 0 {
		if a.Reachable && a.Verdict.Connects() {
			t.Errorf("%s: access %s, request unknown: %s", pair, a.Verdict, answer.Reason)
		}
		return
	}
	if a.Reachable != (answer != nil) {
		t.Errorf("%s: reachable %t in access, and %t in requests", pair, a.Reachable, answer != nil)
		return
	}
	if answer == nil {
		return
	}
	c.reachable++
	if answer.Route != nil || len(answer.Backends) != 1 {
		return
	}
	backend := answer.Backends[0]
	verdicts := map[request.Verdict]bool{}
	for _, p := range backend.Proxies {
		if endpoint(p) {
			verdicts[p.Verdict] = true
		}
	}
	if len(verdicts) == 0 {
		verdicts[backend.Verdict] = true
	}
	if len(backend.Proxies) == 0 && backend.Verdict == request.Unknown {
		c.unknown++
		return
	}
	if len(backend.Proxies) > 0 && !slices.ContainsFunc(backend.Proxies, endpoint) {
		return // those of other services behind a MeshMultiZoneService
	}
	c.verdicts++
	if verdict := accessVerdicts[a.Verdict]; verdict == request.Mixed && len(verdicts) < 2 || verdict != request.Mixed && (!verdicts[verdict] || len(verdicts) > 1 && verdicts[request.Allowed]) {
		t.Errorf("%s: access %s (%s), request %s (%s), proxies %v", pair, a.Verdict, a.Reason, answer.Verdict, answer.Reason, verdicts)
	}
}

// byTags returns how an application calls an outbound by tags.
func byTags(o proxy.Outbound) request.Service {
	if o.Address.IsValid() {
		return request.Service{Host: o.Address.Addr().String(), Port: int(o.Address.Port())}
	}
	return request.Service{Host: o.Tags[kuma.TagService] + ".mesh"}
}

// accessVerdicts are the verdicts on requests that the verdicts of access correspond to.
var accessVerdicts = map[proxy.Verdict]request.Verdict{
	proxy.Allowed: request.Allowed, proxy.Unchecked: request.Allowed, proxy.Plaintext: request.Allowed,
	proxy.Denied: request.Denied, proxy.NoCertificate: request.TLSFailed, proxy.TLSMismatch: request.TLSFailed,
	proxy.NoConfiguration: request.Unknown, proxy.Undecided: request.Unknown,
	access.NoEndpoint: request.NoHealthy, access.Partly: request.Mixed,
}

// TestUnchangedProxiesSendTheSameRequests checks that a proxy which impact calls unchanged sends
// and receives requests as before, and that equal meshes, and those that differ in a policy for no
// proxy, do not change.
func TestUnchangedProxiesSendTheSameRequests(t *testing.T) {
	t.Parallel()
	worlds, unchanged, changed, requests := 0, 0, 0, 0
	for w := range agreementWorlds(t) {
		worlds++
		random := rand.New(rand.NewPCG(uint64(worlds), 1)) //nolint:gosec // reproducible
		shuffled := slices.Clone(w.input.Resources)
		random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		unused := testworld.Resource(t, `{type: MeshTimeout, mesh: `+w.mesh+`, name: a-unused, spec: {targetRef: {kind: Dataplane, labels: {of: nothing}}, to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]}}`)
		for what, after := range map[string]agreementWorld{"the same": w.with(shuffled), "an unused policy": w.with(append(slices.Clone(w.input.Resources), unused))} {
			i, err := impact.Compare(w.snapshot, after.snapshot, w.mesh)
			if err != nil {
				t.Fatalf("%s: %v", w.name, err)
			}
			if n := len(i.Groups) + len(i.Added) + len(i.Removed) + len(i.LostServices) + len(i.AccessGained) + len(i.AccessLost) + len(i.RequestsChanged); n > 0 {
				t.Errorf("%s: with %s: %s", w.name, what, i.Summary())
			}
		}
		fewer := slices.DeleteFunc(slices.Clone(w.input.Resources), func(r kuma.Resource) bool {
			return r.Type != kuma.KindMesh && r.Type != kuma.KindDataplane && random.IntN(8) == 0
		})
		after := w.with(fewer)
		i, err := impact.Compare(w.snapshot, after.snapshot, w.mesh)
		if err != nil {
			t.Fatalf("%s: %v", w.name, err)
		}
		changed += len(i.Changed())
		unchanged += len(i.Unchanged)
		var common []kuma.ID // services; what comes and goes does not change proxies
		for _, r := range w.snapshot.Services(w.mesh) {
			if after.snapshot.Service(r.ID()) != nil {
				common = append(common, r.ID())
			}
		}
		was, is := request.New(w.snapshot), request.New(after.snapshot)
		for _, dataplane := range i.Unchanged {
			before, err := sentBy(w, was, dataplane, common)
			if err != nil {
				t.Fatalf("%s: %v", w.name, err)
			}
			if before == nil {
				continue
			}
			now, err := sentBy(after, is, dataplane, common)
			if err != nil {
				t.Fatalf("%s: %v", w.name, err)
			}
			if now == nil {
				continue
			}
			for about, answer := range before {
				doubted := i.IsUncertain() && strings.HasPrefix(answer, "unknown") != strings.HasPrefix(now[about], "unknown")
				if requests++; answer != now[about] && !doubted {
					t.Errorf("%s: %s is unchanged, but %s was\n%s\nis\n%s", w.name, dataplane, about, answer, now[about])
				}
			}
			for about, answer := range now {
				if _, ok := before[about]; !ok && !strings.HasPrefix(about, "default ") { // a policy may have set what is the default
					t.Errorf("%s: %s is unchanged, but has %s: %s", w.name, dataplane, about, answer)
				}
			}
		}
	}
	t.Logf("%d worlds, %d proxies unchanged, %d changed, %d answers compared", worlds, unchanged, changed, requests)
}

// sentBy returns what a proxy does with requests, besides what other proxies do with them. It is nil
// if the proxy gets no configuration, which impact does not compare.
func sentBy(w agreementWorld, sim request.Simulation, dataplane string, common []kuma.ID) (map[string]string, error) {
	m, err := proxy.New(w.snapshot, w.mesh)
	if err != nil {
		return nil, err
	}
	frozen, err := sim.Frozen(w.mesh, dataplane)
	if err != nil {
		return nil, err
	}
	if broken := m.Client(dataplane).Broken; frozen != nil || broken != nil {
		return nil, nil //nolint:nilerr // not an error of the test
	}
	found := map[string]string{}
	defaults, err := sim.Defaults(w.mesh, dataplane)
	if err != nil {
		return nil, err
	}
	for _, d := range defaults {
		if d.To != (rules.Port{}) && !slices.Contains(common, d.To.Resource) {
			continue
		}
		found["default "+fmt.Sprint(d.Kind, " ", kinds.KRI(d.To.Resource), d.To.Number, " ", d.Inbound, " ", d.Path)] = fmt.Sprint(d.Value)
	}
	for _, o := range m.Outbounds(dataplane).All {
		if o.Tags == nil && !slices.Contains(common, o.Port.Resource) {
			continue
		}
		service := request.Service{Kind: o.Port.Resource.Type, Name: kinds.KRI(o.Port.Resource), Port: o.Port.Number}
		if o.Tags != nil {
			service = byTags(o)
		}
		for _, path := range []string{"/", "/v1", "/v2/x"} {
			a, err := sim.Send(request.Request{Mesh: w.mesh, Dataplane: dataplane, Service: service, Path: path})
			if errors.Is(err, request.ErrAmbiguousService) {
				continue
			}
			if err != nil {
				return nil, err
			}
			found[fmt.Sprintf("request to %s %s", service, path)] = withoutServers(a)
		}
	}
	for _, l := range w.snapshot.Listeners(w.mesh, dataplane) {
		host := strings.Replace(l.Hostname, "*", "a.example", 1)
		for _, path := range []string{"/", "/v1", "/v2/x"} {
			a, err := sim.Send(request.Request{Mesh: w.mesh, Dataplane: dataplane, Service: request.Service{Host: host, Port: l.Port}, Host: host, Path: path})
			if err != nil {
				return nil, err
			}
			found[fmt.Sprintf("request through %s %s", l, path)] = withoutServers(a)
		}
	}
	return found, nil
}

// withoutServers describes what the proxy of the client decides.
func withoutServers(a request.Answer) string {
	var b strings.Builder
	fmt.Fprint(&b, a.Filters, a.Redirect, a.Forwarded, timeouts(a.Timeouts))
	if a.Verdict == request.Unknown && a.Backends == nil {
		return "unknown: " + a.Reason
	}
	if a.Verdict == request.Unreachable || a.Verdict == request.NoRoute {
		fmt.Fprint(&b, a.Verdict)
	}
	if r := a.Retry; r != nil {
		fmt.Fprint(&b, r.Attempts, r.On, r.PerTry, r.Base, r.Max)
	}
	for _, backend := range a.Backends {
		fmt.Fprint(&b, backend.Name, " ", backend.Share, timeouts(backend.Timeouts))
	}
	for _, mirror := range a.Mirrors {
		fmt.Fprint(&b, mirror.Name, mirror.Share)
	}
	return b.String()
}

func timeouts(t request.Timeouts) string {
	text := ""
	for _, one := range []*request.Timeout{t.Connect, t.Request, t.StreamIdle, t.Idle, t.MaxStream, t.MaxConnection} {
		if one == nil {
			text += " -"
		} else {
			text += " " + one.Duration.String()
		}
	}
	return text
}

// TestFindingsAgreeWithProxies checks that what lint says about proxies is what requests say.
func TestFindingsAgreeWithProxies(t *testing.T) {
	t.Parallel()
	count := map[string]int{}
	for w := range agreementWorlds(t) {
		m, err := proxy.New(w.snapshot, w.mesh)
		if err != nil {
			t.Fatalf("%s: %v", w.name, err)
		}
		sim := request.New(w.snapshot)
		frozen := map[string]int{} // by the setting
		for _, dataplane := range m.Dataplanes() {
			f, err := sim.Frozen(w.mesh, dataplane)
			if err != nil {
				t.Fatalf("%s: %v", w.name, err)
			}
			if f != nil {
				frozen[fmt.Sprint(f.Resource, " ", f.Path)]++
			}
		}
		known := func(dataplane string) bool { o := m.Outbounds(dataplane); return !o.Assumed || len(o.All) > 0 }
		for _, f := range lint.Mesh(w.snapshot, w.mesh) {
			count[f.Code]++
			at := fmt.Sprint(f.Resource, " ", f.Path)
			switch f.Code {
			case "proxies-frozen":
				if f.Resource.Type == kinds.MeshProxyPatch.Name {
					continue // whether a proxy has an object to patch is not evaluated
				}
				if n, ok := frozen[at]; ok && n == f.Proxies {
					delete(frozen, at)
				} else if !rules.IsRoute(f.Resource.Type) || slices.ContainsFunc(w.snapshot.Selected(f.Resource), known) { // or else it is not known if they have the route
					t.Errorf("%s: proxies-frozen at %s for %d proxies: %s; frozen: %v", w.name, at, f.Proxies, f.Message, frozen)
				}
			case "unreachable-destination":
				for _, target := range targetsAt(w.snapshot, f) {
					for _, dataplane := range w.snapshot.Selected(f.Resource) {
						if f.Path[len(f.Path)-1] == "sectionName" {
							section := tree.At(w.snapshot.Resource(f.Resource).Document(), f.Path)
							named := func(l proxy.Outbound) bool { return l.Port.Resource == target && l.Section == section }
							if slices.ContainsFunc(m.Outbounds(dataplane).All, named) {
								t.Errorf("%s: unreachable-destination: %s, but %s has a listener by the name", w.name, f.Message, dataplane)
							}
							continue
						}
						if m.Outbounds(dataplane).HasService(target) {
							t.Errorf("%s: unreachable-destination: %s, but %s has a listener", w.name, f.Message, dataplane)
						}
						for _, p := range w.snapshot.Ports(target) {
							a, err := sim.Send(request.Request{Mesh: w.mesh, Dataplane: dataplane, Service: request.Service{Kind: target.Type, Name: kinds.KRI(target), Port: p.Number}})
							if err != nil || a.Verdict != request.Unreachable && (a.Verdict != request.Unknown || a.Backends != nil) {
								t.Errorf("%s: unreachable-destination: %s, but %s: %s %v", w.name, f.Message, dataplane, a.Verdict, err)
							}
						}
					}
				}
			case "dangling-outbound":
				count["dangling-outbound in "+fmt.Sprint(f.Path[:2])]++
				if len(f.Path) > 2 && f.Path[1] == "outbound" {
					outbound := tree.Root(w.snapshot.Resource(f.Resource).Body).Get("networking", "outbound").Items()[f.Path[2].(int)]
					for _, o := range m.Outbounds(f.Resource.Name).All {
						if o.Address == netip.AddrPortFrom(netip.MustParseAddr(cmp.Or(tree.Text(outbound.Get("address").Value()), "127.0.0.1")), uint16(tree.Int(outbound.Get("port").Value()))) { //nolint:gosec // a port
							to := request.Service{Host: o.Address.Addr().String(), Port: int(o.Address.Port())}
							a, err := sim.Send(request.Request{Mesh: w.mesh, Dataplane: f.Resource.Name, Service: to})
							if err != nil || a.Verdict != request.NoHealthy {
								t.Errorf("%s: dangling-outbound %s: %s, %v", w.name, f.Message, a.Verdict, err)
							}
						}
					}
				}
			}
		}
		for at, n := range frozen {
			t.Errorf("%s: %d proxies are frozen by %s, which lint does not say", w.name, n, at)
		}
	}
	t.Log(count)
}

// targetsAt returns the services to which the entry of a finding refers.
func targetsAt(s *rules.Snapshot, f lint.Finding) []kuma.ID {
	policy := s.Resource(f.Resource)
	ref := policy.ToRefs()[f.Path[2].(int)].WithoutSection() //nolint:forcetypeassert // an index
	var ids []kuma.ID
	for _, target := range s.Resolve(*policy, ref, 0) {
		ids = append(ids, s.Resource(target.Resource).ID())
	}
	return ids
}
