package proxies_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
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
)

// requestsPerWorld is how many requests are sent in one world.
const requestsPerWorld = 200

// missingPassthrough is in the error about a proxy that lets nothing through (matching.md §17.9).
var missingPassthrough = regexp.MustCompile(`no cluster "(self_transparentproxy_passthrough|outbound:passthrough)`)

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

func (c *coverage) log(t *testing.T) {
	t.Helper()
	for _, what := range slices.Sorted(maps.Keys(c.counts)) {
		t.Logf("%6d %s", c.counts[what], what)
	}
}

// TestRequests compares what happens to random requests in random worlds with what the
// configuration of the proxies does to them. REQUESTS is the number of requests, and SEED
// that of the first world.
func TestRequests(t *testing.T) {
	began, cp := time.Now(), start(t)
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
	covered.log(t)
	recordResult(t, cp, began, fmt.Sprintf("make differ REQUESTS=%d SEED=%d", requests, first), fmt.Sprintf("%d requests, stored and planned", worlds*requestsPerWorld))
	for _, what := range expectedCoverage(cp.Info.Release) {
		if want := requests / 100; covered.counts[what] < want && requests >= 10_000 {
			t.Errorf("only %d requests are about %q, want %d", covered.counts[what], what, want)
		}
	}
}

// expectedCoverage is what requests must be about.
func expectedCoverage(r kuma.Release) []string {
	expected := []string{
		"verdict allowed", "verdict denied", "verdict redirected", "verdict no_healthy_destination", "verdict tls_failed", "verdict mixed", "verdict unreachable", "verdict passthrough",
		"match Exact", "match PathPrefix", "match RegularExpression", "match without a path", "no route matches", "split",
		"match method", "match header Exact", "match header Prefix", "match header RegularExpression", "match header Present", "match header Absent", "match query Exact", "match query RegularExpression",
		"retries", "retries of a route", "timeout request", "timeout stream idle", "timeout connect", "timeout idle", "timeout max stream", "timeout max connection", "timeout of a route",
		"incoming timeout request", "incoming timeout stream idle", "incoming timeout connect", "incoming timeout idle", "incoming timeout max stream", "incoming timeout max connection",
		"filter rewrite", "filter redirect", "filter request headers", "filter response headers", "filter mirror",
		"permission of an Exact SPIFFE ID", "permission of a Prefix", "permission by default", "rate limit of requests", "rate limit of connections", "fault",
		"client with a MeshIdentity", "client without a certificate", "external service through an egress", "several inbounds on one port", "multi-zone service", "MeshTCPRoute",
	}
	if r.Kuma3() {
		return append(expected, "verdict error")
	}
	return append(expected, "verdict no_route", "permission of a Mesh", "permission of a MeshSubset", "client with a certificate of the mesh", "services by tags",
		"builtin gateway, HTTP", "builtin gateway, HTTPS", "builtin gateway, TCP", "host name of a route on a gateway", "limit or fault of a gateway", "delegated gateway", "verdict error", "external service by another port", "outbound by tags", "backend by tags", "host name of a service by tags")
}

func (w *requestWorld) compareRequests(t *testing.T, cp *oracle.Site, covered *coverage) {
	t.Helper()
	d := oracle.Deployment{Sites: []*oracle.Site{cp}}
	if rejected, err := d.Store(t.Context(), d.Writes(w.resources)); err != nil || len(rejected) > 0 {
		t.Fatalf("%v, %v", rejected, err)
	}
	stored := withIdentities(t, cp, w.mesh)
	simulation := simulationOf(cp, append(slices.Clone(stored), generatorsOf(w.resources)...))
	beforehand := simulationOf(cp, planned(w.resources, cp.Info.ControlPlane))
	clients, err := proxy.New(rules.NewSnapshotOfProxies(cp.Info.Release, stored), w.mesh)
	testworld.NoError(t, err)
	counts := map[string]int{}
	type asked struct {
		from, want string
		envoy.Request
	}
	var all []asked
	for range requestsPerWorld {
		from, to, r := w.requestByTags()
		called := engine.Service{Kind: to.kind, Name: to.service, Port: to.port}
		if to.kind == "" || w.IntN(2) == 0 {
			called = engine.Service{Host: r.Host, Port: r.Port}
		}
		called = w.calledByTags(from, r, called)
		sent := engine.Request{
			Mesh: w.mesh, Dataplane: from, Service: called,
			Method: r.Method, Path: r.Path, Host: r.Host, Headers: r.Headers, Query: r.Query,
		}
		answer, err := simulation.Send(sent)
		testworld.NoError(t, err)
		w.count(counts, clients.Client(from), r.Host, answer)
		if from == delegated {
			counts["delegated gateway"]++
		}
		want := strings.Join(w.answered(r, answer), "\n")
		early, err := beforehand.Send(sent)
		if got := strings.Join(w.answered(r, early), "\n"); err != nil || got != want {
			t.Fatalf("%s: %+v\nplanned:\n%s, %v\nstored:\n%s", from, r, got, err, want)
		}
		if isUndecided(answer) {
			continue
		}
		all = append(all, asked{from, want, r})
	}
	covered.add(counts)
	t.Cleanup(func() {
		for _, r := range w.resources {
			if _, isPolicy := r.Spec()["to"]; t.Failed() && (isPolicy || r.Spec()["ports"] != nil || r.Spec()["rules"] != nil || r.Type == "MeshIdentity" || r.Type == kuma.KindMeshGateway || r.Type == kuma.KindMesh) {
				t.Log(phrase.JSON(r.Document()))
			}
		}
	})
	frozen, err := simulation.Frozen(w.mesh, gateway)
	if w.gateway && err != nil {
		t.Fatal(err)
	}
	connected := connect(t, cp, slices.DeleteFunc(slices.Clone(stored), func(r kuma.Resource) bool {
		return frozen != nil && r.Type == kuma.KindDataplane && r.Name == gateway // TestFrozenGateways
	}))
	sent := func(p *proxies.Proxy, _ context.Context) (*envoy.Config, error) { return p.Accepted() } // _config takes longer
	numbered := portNumbers(w.resources)
	check := func(m envoy.Mesh) string {
		for _, a := range all {
			outcomes, err := m.Send(a.from, a.Request)
			if err != nil && missingPassthrough.MatchString(err.Error()) {
				outcomes, err = []envoy.Outcome{{Share: big.NewRat(1, 1), Verdict: envoy.Closed}}, nil
			}
			if err != nil {
				return err.Error()
			}
			if got := numbered(observed(m, a.Request, outcomes)); got != a.want {
				return fmt.Sprintf("%s: %+v\nproxies:\n%s\nengine:\n%s", a.from, a.Request, got, a.want)
			}
		}
		return ""
	}
	await(t, connected, sent, check)
	if err := oracle.Pause(t.Context(), 2*oracle.Cached); err != nil { // the first configuration can be generated without some of the policies
		t.Fatal(err)
	}
	await(t, connected, sent, check)
	for _, p := range connected {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
	cp.Remove(context.WithoutCancel(t.Context()), w.mesh, stored)
}

// isUndecided reports whether an answer says that it does not decide a part of it.
func isUndecided(a engine.Answer) bool {
	return a.Verdict == engine.Unknown || slices.ContainsFunc(a.Backends, func(b engine.Backend) bool { return b.Verdict == engine.Unknown }) ||
		slices.ContainsFunc(a.NotConsidered, func(text string) bool { return strings.Contains(text, "which may decide about timeouts") })
}

// simulationOf returns the engine for resources, as the preview of 3.0 behaves, which does not
// do all that is stated for 3.0.1.
func simulationOf(cp *oracle.Site, resources []kuma.Resource) engine.Simulation {
	simulation := engine.New(rules.NewSnapshotOfProxies(cp.Info.Release, resources).RestrictOutbound(false))
	simulation.EmptyFails, simulation.RestFails, simulation.DomainNeedsPort = false, false, false
	return simulation
}

// planned returns resources as the control plane will store them.
func planned(resources []kuma.Resource, cp kuma.ControlPlane) []kuma.Resource {
	c := def.StoreContext{ControlPlane: cp, Mesh: resources[0], Create: true}
	var all []kuma.Resource
	for _, r := range resources {
		k, _ := kinds.Find(r.Type)
		all = append(all, k.Store(r, c))
	}
	return all
}

// count counts what an answer is about.
func (w *requestWorld) count(counts map[string]int, client proxy.Client, host string, a engine.Answer) {
	about := map[string]bool{"verdict " + string(a.Verdict): true, "split": len(a.Backends) > 1, "retries": a.Retry != nil, "retries of a route": a.Retry != nil && a.Retry.ByRoute}
	about["undecided"] = isUndecided(a)
	about["no route matches"] = a.Route == nil && a.Destination.Number != 0
	about["services by tags"] = w.byTags && a.Backends != nil
	aboutTags(about, a)
	about["host name of a service by tags"] = strings.HasSuffix(host, ".mesh") && a.Tags != nil
	about["multi-zone service"] = a.Destination.Resource.Type == kuma.KindMeshMultiZoneService
	about["MeshTCPRoute"] = a.Route != nil && a.Route.Policy.Type == kuma.KindMeshTCPRoute
	if l := a.Listener; l != nil {
		about["builtin gateway, "+l.Protocol] = true
		about["host name of a route on a gateway"] = l.VirtualHost != "" && l.VirtualHost != l.Hostname
		about["limit or fault of a gateway"] = l.Requests != nil || l.Connections != nil || len(l.Faults) > 0
	}
	aboutMatch(about, a.Route)
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
			about["external service by another port"] = about["external service by another port"] || strings.Contains(p.Reason, "asks the zone egress")
			w.aboutProxy(about, p)
		}
		about["external service through an egress"] = about["external service through an egress"] || b.Name == external && len(b.Proxies) > 0
		ports := map[string]int{}
		for _, p := range b.Proxies {
			ports[fmt.Sprint(p.Dataplane, p.Inbound.Port)]++
			about["several inbounds on one port"] = about["several inbounds on one port"] || ports[fmt.Sprint(p.Dataplane, p.Inbound.Port)] > 1
		}
	}
	aboutClient(about, client)
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

// aboutMatch says what the match of a rule is about.
func aboutMatch(about map[string]bool, r *engine.Route) {
	if r == nil || r.Policy.Type != kuma.KindMeshHTTPRoute {
		return
	}
	path := "without a path"
	for condition := range strings.SplitSeq(r.Condition, " and ") {
		words := strings.Fields(condition)
		switch words[0] {
		case "path":
			path = typeOf(words[1:])
		case "method":
			about["match method"] = true
		case "header":
			about["match header "+typeOf(words[2:])] = true
		case "query":
			about["match query "+typeOf(words[3:])] = true
		}
	}
	about["match "+path] = true
}

// typeOf returns the type of a condition that ends with some words.
func typeOf(words []string) string {
	switch words[0] {
	case "prefix":
		if strings.HasPrefix(words[1], "/") {
			return "PathPrefix"
		}
		return "Prefix"
	case "matching":
		return "RegularExpression"
	case "present", "absent":
		return strings.ToUpper(words[0][:1]) + words[0][1:]
	default:
		return "Exact"
	}
}

// aboutClient says which certificate a client has.
func aboutClient(about map[string]bool, c proxy.Client) {
	switch {
	case c.Identity != kuma.Key{}:
		about["client with a MeshIdentity"] = true
	case len(c.Names) > 0:
		about["client with a certificate of the mesh"] = true
	default:
		about["client without a certificate"] = true
	}
}

func (w *requestWorld) aboutProxy(about map[string]bool, p engine.Proxy) {
	about["permission by default"] = about["permission by default"] || p.Verdict == engine.Denied && len(p.By) == 0
	if len(p.By) > 0 {
		text := phrase.JSON(w.specOf(p.By[0]))
		for what, part := range map[string]string{"an Exact SPIFFE ID": `"Exact"`, "a Prefix": `"Prefix"`, "a Mesh": `"kind":"Mesh"}}],"`, "a MeshSubset": `"MeshSubset"`} {
			about["permission of "+what] = about["permission of "+what] || strings.Contains(text, part)
		}
	}
	about["rate limit of requests"] = about["rate limit of requests"] || p.Requests != nil
	about["rate limit of connections"] = about["rate limit of connections"] || p.Connections != nil
	about["fault"] = about["fault"] || len(p.Faults) > 0
}

// specOf returns the spec of a policy.
func (w *requestWorld) specOf(key kuma.Key) object {
	i := slices.IndexFunc(w.resources, func(r kuma.Resource) bool { return r.Key() == key })
	return w.resources[i].Spec()
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

// answered describes an answer of the engine to a request.
func (w *requestWorld) answered(r envoy.Request, a engine.Answer) []string {
	shares := map[string]*big.Rat{}
	whole := big.NewRat(1, 1)
	var changes []string
	for _, c := range a.Forwarded.ResponseHeaders {
		changes = append(changes, strings.TrimSpace(c.Action+" "+strings.ToLower(c.Name)+" "+c.Value))
	}
	slices.Sort(changes)
	switch {
	case a.Redirect != nil:
		add(shares, whole, fmt.Sprintf("redirect %d %s %v", a.Redirect.Status, a.Redirect.Location, changes))
	case a.Verdict == engine.NoRoute:
		add(shares, whole, "no route")
	case a.Verdict == engine.Passthrough && slices.Contains(outside, r.Host):
		add(shares, whole, "passthrough")
	case a.Backends == nil:
		add(shares, whole, "closed")
	}
	for _, b := range a.Backends {
		if b.Verdict == engine.Failed {
			add(shares, b.Share, "500")
			continue
		}
		text := portText(b.Port)
		if b.Port.Resource.Name == external {
			text = external // its cluster has the port of the reference
		}
		if a.Forwarded.Path != "" {
			text += fmt.Sprintf(" %s%s %v %v", a.Forwarded.Host, a.Forwarded.Path, lower(a.Forwarded.Headers), changes)
		}
		if l := a.Listener; l != nil {
			text += protection(l.Protection)
		}
		text += "\n  " + timeouts(a.Timeouts, b.Timeouts)
		if r := a.Retry; r != nil {
			text += fmt.Sprintf("\n  retry %d %v per try %v backoff %v-%v", r.Attempts, slices.Sorted(slices.Values(r.On)), r.PerTry, r.Base, r.Max)
		}
		for _, m := range a.Mirrors {
			text += fmt.Sprintf("\n  mirror %s %s", m.Share.RatString(), portText(m.Port))
		}
		for _, p := range slices.SortedFunc(slices.Values(b.Proxies), func(a, b engine.Proxy) int {
			return cmp.Or(strings.Compare(a.Dataplane, b.Dataplane), cmp.Compare(a.Inbound.Port, b.Inbound.Port))
		}) {
			text += fmt.Sprintf("\n  %s tls %t %s", p.Dataplane, p.TLS, p.Verdict)
			if p.TLS && p.Verdict != engine.TLSFailed {
				text += " by " + w.decider(p)
			}
			if p.Verdict == engine.Allowed {
				text += " " + timeouts(p.Timeouts, p.Timeouts) + protection(p.Protection)
			}
		}
		add(shares, b.Share, text)
	}
	return lines(shares)
}

func (w *requestWorld) decider(p engine.Proxy) string {
	switch {
	case len(p.By) == 0:
		return "default"
	case w.specOf(p.By[0])["from"] == nil:
		return p.By[0].Name
	case p.Verdict == engine.Allowed: // the configuration does not name it
		return "MeshTrafficPermission"
	default:
		return "default"
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

// protection describes limits and faults.
func protection(p engine.Protection) string {
	var filters envoy.Filters
	if r := p.Requests; r != nil {
		filters.Requests = &envoy.Limit{Tokens: r.Number, Interval: r.Interval, Status: r.Status}
	}
	if r := p.Connections; r != nil {
		filters.Connections = &envoy.Limit{Tokens: r.Number, Interval: r.Interval}
	}
	for _, f := range p.Faults {
		kbps, _ := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.Replace(strings.ToLower(f.Bandwidth), "mbps", "000kbps", 1), "kbps")))
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

// observed describes what proxies do with a request.
func observed(m envoy.Mesh, r envoy.Request, outcomes []envoy.Outcome) []string {
	shares := map[string]*big.Rat{}
	for _, o := range outcomes {
		var changes []string
		for _, c := range o.Response {
			changes = append(changes, strings.TrimSpace(c.Action+" "+strings.ToLower(c.Name)+" "+c.Value))
		}
		slices.Sort(changes)
		switch o.Verdict {
		case envoy.Redirected:
			add(shares, o.Share, fmt.Sprintf("redirect %d %s %v", o.Status, o.Location, changes))
		case envoy.Answered:
			text := fmt.Sprint(o.Status)
			if o.Status == http.StatusServiceUnavailable && strings.Contains(o.Listener, "passthrough") { // a MeshPassthrough allows HTTP to another host
				text = "closed"
			}
			if o.Status == http.StatusNotFound { // of a gateway without any route
				text = string(envoy.NoRoute)
			}
			add(shares, o.Share, text)
		case envoy.NoListener, envoy.Passthrough:
			text := "passthrough"
			if !slices.Contains(outside, r.Host) { // to a VIP, or to an address without a listener
				text = "closed"
			}
			add(shares, o.Share, text)
		case envoy.Closed:
			add(shares, o.Share, "closed")
		case envoy.Forwarded:
			if strings.HasPrefix(o.Cluster, "meshpassthrough_") {
				add(shares, o.Share, "passthrough")
				continue
			}
			add(shares, o.Share, forwarded(m, o, changes))
		default:
			add(shares, o.Share, string(o.Verdict))
		}
	}
	return lines(shares)
}

func forwarded(m envoy.Mesh, o envoy.Outcome, changes []string) string {
	text := port(o.Cluster)
	if o.Request.Path != "" {
		text += fmt.Sprintf(" %s%s %v %v", o.Request.Host, o.Request.Path, lower(o.Request.Headers), changes)
	}
	text += protectionOf(o.Filters)
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
	hosts := slices.SortedFunc(slices.Values(o.Hosts), func(a, b envoy.Host) int {
		return cmp.Or(strings.Compare(a.Dataplane, b.Dataplane), cmp.Compare(a.Port, b.Port), strings.Compare(a.Address, b.Address))
	})
	for _, h := range hosts {
		if h.Arrival == nil && hasNoListener(m[egress], h, o.Request) { // it has no identity
			text += fmt.Sprintf("\n  %s tls %t %s", egress, h.TLS != nil, engine.TLSFailed)
			continue
		}
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

var gatewayHash = regexp.MustCompile(`-[0-9a-f]{16}$`)

// hasNoListener reports whether a zone egress is known to have none for a host.
func hasNoListener(egress *envoy.Config, h envoy.Host, r envoy.Request) bool {
	if egress == nil || h.Address != egressAddress {
		return false
	}
	arrival, err := egress.Receive(h, r)
	return err == nil && arrival.Verdict == envoy.NoListener
}

// external is the MeshExternalService.
const external = "ext"

// port returns name and port of a service from the name of a cluster: a KRI, or
// MESH_NAME_NAMESPACE_ZONE_msvc_PORT, on a gateway with a hash.
func port(cluster string) string {
	cluster = gatewayHash.ReplaceAllString(cluster, "")
	parts := strings.Split(cluster, "_")
	switch {
	case strings.Contains(cluster, "_"+external+"_"):
		return external
	case len(parts) == 6:
		return parts[1] + " " + parts[5]
	case len(parts) < 7:
		return hashOfTags.ReplaceAllString(cluster, "")
	default:
		return parts[5] + " " + parts[6]
	}
}
