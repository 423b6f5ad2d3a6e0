package proxies_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	engine "github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies/envoy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// requestsPerWorld is how many requests are sent in one world.
const requestsPerWorld = 200

// coverage counts what was compared.
type coverage struct {
	mu     sync.Mutex
	counts map[string]int
}

func (c *coverage) add(counts map[string]int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for what, n := range counts {
		c.counts[what] += n
	}
}

// TestRequests compares what happens to random requests in random worlds with what the
// configuration of the proxies does to them. REQUESTS is the number of requests, and SEED
// that of the first world.
func TestRequests(t *testing.T) {
	cp := start(t)
	requests, first := setting(t, "REQUESTS", 1000), setting(t, "SEED", 1)
	worlds := (requests + requestsPerWorld - 1) / requestsPerWorld
	covered := &coverage{counts: map[string]int{}}
	t.Run("worlds", func(t *testing.T) {
		for i := range worlds {
			w := newRequestWorld(uint64(first+i), cp.Info.Release.Kuma3()) //nolint:gosec // not negative
			t.Run(w.mesh, func(t *testing.T) {
				t.Parallel()
				w.compareRequests(t, cp, covered)
			})
		}
	})
	for _, what := range slices.Sorted(maps.Keys(covered.counts)) {
		t.Logf("%6d %s", covered.counts[what], what)
	}
	for _, what := range expectedCoverage(cp.Info.Release) {
		if want := requests / 100; covered.counts[what] < want && requests >= 10_000 {
			t.Errorf("only %d requests are about %q, want %d", covered.counts[what], what, want)
		}
	}
}

// expectedCoverage is what requests must be about.
func expectedCoverage(r kuma.Release) []string {
	expected := []string{
		"verdict allowed", "verdict denied", "verdict redirected", "verdict no_healthy_destination", "verdict tls_failed", "verdict mixed",
		"match Exact", "match PathPrefix", "match RegularExpression", "match without a path", "no route matches", "split",
		"retries", "retries of a route", "timeout request", "timeout stream idle", "timeout connect", "timeout idle", "timeout of a route",
		"incoming timeout request", "incoming timeout stream idle", "incoming timeout connect",
		"filter rewrite", "filter redirect", "filter request headers", "filter response headers",
		"permission of an Exact SPIFFE ID", "permission of a Prefix", "permission by default", "rate limit of requests", "rate limit of connections", "fault",
	}
	if r.Kuma3() {
		expected = append(expected, "verdict error", "filter mirror")
	}
	return expected
}

func (w *requestWorld) compareRequests(t *testing.T, cp *oracle.Site, covered *coverage) {
	t.Helper()
	d := oracle.Deployment{Sites: []*oracle.Site{cp}}
	if _, err := d.Store(t.Context(), d.Writes(w.resources)); err != nil {
		t.Fatal(err)
	}
	stored, err := cp.Stored(t.Context(), w.mesh)
	if err != nil {
		t.Fatal(err)
	}
	simulation := engine.New(rules.NewSnapshotFor(cp.Info.Release, append(slices.Clone(stored), generatorsOf(w.resources)...)))
	simulation.EmptyFails, simulation.RestFails = false, false // stated for 3.0.1, and not what the preview does
	counts := map[string]int{}
	type asked struct {
		from, want string
		envoy.Request
	}
	var all []asked
	for range requestsPerWorld {
		from, to, r := w.request()
		called := engine.Service{Kind: to.kind, Name: to.service, Port: to.port}
		if w.IntN(2) == 0 {
			called = engine.Service{Host: r.Host, Port: r.Port}
		}
		answer, err := simulation.Send(engine.Request{
			Mesh: w.mesh, Dataplane: from, Service: called,
			Method: r.Method, Path: r.Path, Host: r.Host, Headers: r.Headers, Query: r.Query,
		})
		if err != nil {
			t.Fatal(err)
		}
		w.count(counts, answer)
		all = append(all, asked{from, strings.Join(answered(answer), "\n"), r})
	}
	covered.add(counts)
	t.Cleanup(func() {
		for _, r := range w.resources {
			if _, isPolicy := r.Spec()["to"]; t.Failed() && (isPolicy || r.Spec()["ports"] != nil || r.Spec()["rules"] != nil || r.Type == "MeshIdentity" || r.Type == kuma.KindMesh) {
				t.Log(phrase.JSON(r.Document()))
			}
		}
	})
	connected := connect(t, cp, stored)
	sent := func(p *proxies.Proxy, _ context.Context) (*envoy.Config, error) { return p.Accepted() } // _config takes longer
	await(t, connected, sent, func(m envoy.Mesh) string {
		for _, a := range all {
			outcomes, err := m.Send(a.from, a.Request)
			if err != nil {
				return err.Error()
			}
			if got := strings.Join(observed(outcomes), "\n"); got != a.want {
				return fmt.Sprintf("%s: %+v\nproxies:\n%s\nengine:\n%s", a.from, a.Request, got, a.want)
			}
		}
		return ""
	})
	for _, p := range connected {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
	cp.Remove(context.WithoutCancel(t.Context()), w.mesh, stored)
}

// count counts what an answer is about.
func (w *requestWorld) count(counts map[string]int, a engine.Answer) {
	about := map[string]bool{"verdict " + string(a.Verdict): true, "split": len(a.Backends) > 1, "retries": a.Retry != nil, "retries of a route": a.Retry != nil && a.Retry.ByRoute}
	about["no route matches"] = a.Route == nil
	if a.Route != nil && a.Route.Policy.Type == kuma.KindMeshHTTPRoute {
		match := "without a path"
		for prefix, kind := range map[string]string{"path /": "Exact", "path prefix": "PathPrefix", "path matching": "RegularExpression"} {
			if strings.Contains(a.Route.Condition, prefix) {
				match = kind
			}
		}
		about["match "+match] = true
	}
	for _, f := range a.Filters {
		for _, kind := range []string{"rewrite", "redirect", "mirror", "request headers", "response headers"} {
			about["filter "+kind] = about["filter "+kind] || strings.HasPrefix(f, kind)
		}
	}
	aboutTimeouts(about, "timeout ", a.Timeouts)
	for _, b := range a.Backends {
		aboutTimeouts(about, "timeout ", b.Timeouts)
		for _, p := range b.Proxies {
			aboutTimeouts(about, "incoming timeout ", p.Timeouts)
			w.aboutProxy(about, p)
		}
	}
	for what, is := range about {
		if is {
			counts[what]++
		}
	}
}

func aboutTimeouts(about map[string]bool, prefix string, t engine.Timeouts) {
	for name, timeout := range map[string]*engine.Timeout{"connect": t.Connect, "request": t.Request, "stream idle": t.StreamIdle, "idle": t.Idle, "max stream": t.MaxStream, "max connection": t.MaxConnection} {
		if timeout != nil && timeout.By != (kuma.Key{}) {
			about[prefix+name] = true
			about[prefix+"of a route"] = about[prefix+"of a route"] || timeout.ByRoute
		}
	}
}

func (w *requestWorld) aboutProxy(about map[string]bool, p engine.Proxy) {
	about["permission by default"] = about["permission by default"] || p.Verdict == engine.Denied && len(p.By) == 0
	for _, r := range w.resources {
		if len(p.By) > 0 && r.Key() == p.By[0] {
			text := phrase.JSON(r.Spec())
			about["permission of an Exact SPIFFE ID"] = about["permission of an Exact SPIFFE ID"] || strings.Contains(text, "Exact")
			about["permission of a Prefix"] = about["permission of a Prefix"] || strings.Contains(text, "Prefix")
			about["permission by from"] = about["permission by from"] || r.Spec()["from"] != nil
		}
	}
	about["rate limit of requests"] = about["rate limit of requests"] || p.Requests != nil
	about["rate limit of connections"] = about["rate limit of connections"] || p.Connections != nil
	about["fault"] = about["fault"] || len(p.Faults) > 0
}

// lines adds up the shares of equal descriptions.
func lines(shares map[string]*big.Rat) []string {
	var out []string
	for _, text := range slices.Sorted(maps.Keys(shares)) {
		out = append(out, shares[text].RatString()+" "+text)
	}
	return out
}

func add(shares map[string]*big.Rat, share *big.Rat, text string) {
	if shares[text] == nil {
		shares[text] = new(big.Rat)
	}
	shares[text].Add(shares[text], share)
}

// answered describes an answer of the engine.
func answered(a engine.Answer) []string {
	shares := map[string]*big.Rat{}
	whole := big.NewRat(1, 1)
	var changes []string
	for _, c := range a.Forwarded.ResponseHeaders {
		changes = append(changes, strings.TrimSpace(c.Action+" "+c.Name+" "+c.Value))
	}
	slices.Sort(changes)
	switch {
	case a.Redirect != nil:
		add(shares, whole, fmt.Sprintf("redirect %d %s %v", a.Redirect.Status, a.Redirect.Location, changes))
	case a.Verdict == engine.NoRoute:
		add(shares, whole, "no route")
	case a.Backends == nil:
		add(shares, whole, "closed")
	}
	for _, b := range a.Backends {
		if b.Verdict == engine.Failed {
			add(shares, b.Share, "500")
			continue
		}
		text := fmt.Sprintf("%s %d", b.Port.Resource.Name, b.Port.Number)
		if b.Port.Resource.Name == external {
			text = external // its cluster has the port of the reference
		}
		if a.Forwarded.Path != "" {
			text += fmt.Sprintf(" %s%s %v %v", a.Forwarded.Host, a.Forwarded.Path, lower(a.Forwarded.Headers), changes)
		}
		text += "\n  " + timeouts(a.Timeouts, b.Timeouts)
		if r := a.Retry; r != nil {
			text += fmt.Sprintf("\n  retry %d %v per try %v backoff %v-%v", r.Attempts, slices.Sorted(slices.Values(r.On)), r.PerTry, r.Base, r.Max)
		}
		for _, m := range a.Mirrors {
			text += fmt.Sprintf("\n  mirror %s %s %d", m.Share.RatString(), m.Port.Resource.Name, m.Port.Number)
		}
		for _, p := range b.Proxies {
			text += fmt.Sprintf("\n  %s tls %t %s", p.Dataplane, p.TLS, p.Verdict)
			if p.TLS && p.Verdict != engine.TLSFailed {
				text += " by " + decider(p)
			}
			if p.Verdict == engine.Allowed {
				text += " " + timeouts(p.Timeouts, p.Timeouts) + protection(p)
			}
		}
		add(shares, b.Share, text)
	}
	return lines(shares)
}

func decider(p engine.Proxy) string {
	switch {
	case len(p.By) == 0:
		return "default"
	case p.By[0].Name == fromPolicy && p.Verdict == engine.Allowed:
		return "MeshTrafficPermission"
	case p.By[0].Name == fromPolicy:
		return "default"
	default:
		return p.By[0].Name
	}
}

// timeouts describes timeouts of a request and of the connection that it takes.
func timeouts(request, connection engine.Timeouts) string {
	t := envoy.Timeouts{Connect: connection.Connect.Duration}
	if request.Request != nil {
		t.Request, t.StreamIdle = request.Request.Duration, request.StreamIdle.Duration
	}
	if request.Idle != nil {
		t.Idle = request.Idle.Duration
	}
	if connection.Idle != nil {
		t.Idle = connection.Idle.Duration
	}
	if connection.MaxStream != nil {
		t.MaxStream = connection.MaxStream.Duration
	}
	if connection.MaxConnection != nil {
		t.MaxConnection = connection.MaxConnection.Duration
	}
	return limitsOf(t)
}

func limitsOf(t envoy.Timeouts) string {
	return fmt.Sprintf("connect %v request %v stream %v idle %v max %v connection %v", t.Connect, t.Request, t.StreamIdle, t.Idle, t.MaxStream, t.MaxConnection)
}

// protection describes the limits and faults of a proxy.
func protection(p engine.Proxy) string {
	var filters envoy.Filters
	if r := p.Requests; r != nil {
		filters.Requests = &envoy.Limit{Tokens: r.Number, Interval: r.Interval, Status: r.Status}
	}
	if r := p.Connections; r != nil {
		filters.Connections = &envoy.Limit{Tokens: r.Number, Interval: r.Interval}
	}
	for _, f := range p.Faults {
		kbps, _ := strconv.Atoi(strings.TrimSuffix(f.Bandwidth, " kbps"))
		filters.Faults = append(filters.Faults, envoy.Fault{Share: f.Share, Status: f.Status, Delay: f.Delay, Kbps: kbps})
	}
	return protectionOf(filters)
}

func protectionOf(f envoy.Filters) string {
	var parts []string
	for _, fault := range f.Faults {
		parts = append(parts, fmt.Sprintf(" fault %s %d %v %d", fault.Share.RatString(), fault.Status, fault.Delay, fault.Kbps))
	}
	slices.Sort(parts)
	if l := f.Requests; l != nil {
		parts = append(parts, fmt.Sprintf(" limit %d/%v %d", l.Tokens, l.Interval, l.Status))
	}
	if l := f.Connections; l != nil {
		parts = append(parts, fmt.Sprintf(" connections %d/%v", l.Tokens, l.Interval))
	}
	return strings.Join(parts, "")
}

func lower(headers map[string]string) map[string]string {
	out := map[string]string{}
	for name, value := range headers {
		out[strings.ToLower(name)] = value
	}
	delete(out, "x-kuma-tags") // beside a MeshFaultInjection, proxies of 2.14 add it
	return out
}

// observed describes what proxies do.
func observed(outcomes []envoy.Outcome) []string {
	shares := map[string]*big.Rat{}
	for _, o := range outcomes {
		var changes []string
		for _, c := range o.Response {
			changes = append(changes, strings.TrimSpace(c.Action+" "+c.Name+" "+c.Value))
		}
		slices.Sort(changes)
		switch o.Verdict {
		case envoy.Redirected:
			add(shares, o.Share, fmt.Sprintf("redirect %d %s %v", o.Status, o.Location, changes))
		case envoy.Answered:
			add(shares, o.Share, fmt.Sprint(o.Status))
		case envoy.Closed, envoy.NoListener, envoy.Passthrough: // to a VIP
			add(shares, o.Share, "closed")
		case envoy.Forwarded:
			add(shares, o.Share, forwarded(o, changes))
		default:
			add(shares, o.Share, string(o.Verdict))
		}
	}
	return lines(shares)
}

func forwarded(o envoy.Outcome, changes []string) string {
	text := port(o.Cluster)
	if o.Request.Path != "" {
		text += fmt.Sprintf(" %s%s %v %v", o.Request.Host, o.Request.Path, lower(o.Request.Headers), changes)
	}
	text += "\n  " + limitsOf(o.Timeouts)
	if r := o.Retry; r != nil {
		on := slices.DeleteFunc(slices.Clone(r.On), func(c string) bool { return c == "retriable-status-codes" })
		for _, status := range r.Statuses {
			on = append(on, fmt.Sprint(status))
		}
		slices.Sort(on)
		text += fmt.Sprintf("\n  retry %d %v per try %v backoff %v-%v", r.Attempts, on, r.PerTry, r.Base, r.Max)
	}
	for _, m := range o.Mirrors {
		text += fmt.Sprintf("\n  mirror %s %s", m.Share.RatString(), port(m.Cluster))
	}
	hosts := slices.SortedFunc(slices.Values(o.Hosts), func(a, b envoy.Host) int { return strings.Compare(a.Dataplane, b.Dataplane) })
	for _, h := range hosts {
		if h.Arrival == nil {
			text += fmt.Sprintf("\n  %s:%d is not part of the mesh", h.Address, h.Port)
			continue
		}
		verdict := map[envoy.Verdict]engine.Verdict{envoy.Allowed: engine.Allowed, envoy.Denied: engine.Denied, envoy.HandshakeTLS: engine.TLSFailed, envoy.Closed: engine.TLSFailed}[h.Arrival.Verdict]
		text += fmt.Sprintf("\n  %s tls %t %s", h.Dataplane, h.TLS != nil, verdict)
		if p := h.Arrival.Filters.Permission; p != nil {
			text += " by " + cmp.Or(service(p.Policy), "default") // no rules are empty
		} else if h.TLS != nil && verdict != engine.TLSFailed {
			text += " unchecked"
		}
		if h.Arrival.Verdict == envoy.Allowed {
			text += " " + limitsOf(h.Arrival.Timeouts) + protectionOf(h.Arrival.Filters)
		}
	}
	return text
}

// external is the MeshExternalService.
const external = "ext"

// port returns name and port of a service from the name of a cluster: a KRI, or
// MESH_NAME_NAMESPACE_ZONE_msvc_PORT.
func port(cluster string) string {
	parts := strings.Split(cluster, "_")
	switch {
	case strings.Contains(cluster, "_"+external+"_"):
		return external
	case len(parts) == 6:
		return parts[1] + " " + parts[5]
	case len(parts) < 7:
		return cluster
	case parts[6] == adminPort.name:
		return fmt.Sprintf("%s %d", parts[5], adminPort.number)
	default:
		return parts[5] + " " + parts[6]
	}
}
