package proxies_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	cluster "github.com/envoyproxy/go-control-plane/envoy/config/cluster/v3"
	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	gocmp "github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/impact"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/upgrade"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies/envoy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// compareStageTwo stores stage two of a rewriting on a control plane of Kuma 3.0, and compares what its proxies
// do, and those of 2.14 after stage one, with the proof of the rewriting: a proxy does something else exactly if
// the proof names it.
func (s *stages) compareStageTwo(t *testing.T, mesh string, result upgrade.Result, connected map[string]*proxies.Proxy) {
	t.Helper()
	t.Cleanup(func() { s.recent.Remove(context.WithoutCancel(t.Context()), mesh, result.StageTwo) })
	for attempts := 5; ; attempts-- {
		rejected := slices.DeleteFunc(s.storeStageTwo(t, result), func(r oracle.Rejection) bool { // which has no endpoints
			return r.Resource.Type == kuma.KindDataplane && tree.Object(r.Resource.Body["networking"])["gateway"] != nil
		})
		if len(rejected) == 0 {
			break
		}
		if attempts == 0 {
			t.Skipf("3.0 rejects %v", rejected) // what no decision of the test removes: the control planes would have other resources
		}
		s.decide(t, rejected)
		s.recent.Remove(t.Context(), mesh, result.StageTwo)
		result = s.apply(t, mesh)
	}
	removeInitialPolicies(t, s.recent, mesh, result.StageTwo)
	s.compareUpgraded(t, mesh, result, connected)
}

// compareUpgraded compares what is stored on both control planes.
func (s *stages) compareUpgraded(t *testing.T, mesh string, result upgrade.Result, connected map[string]*proxies.Proxy) {
	t.Helper()
	stored, err := awaitIdentities(t.Context(), s.recent, mesh, settles/6)
	if stored == nil {
		t.Fatal(err)
	}
	upgraded := startProxies(t, s.recent, stored)
	before, after := behavior(t, s.old, mesh, result, connected), behavior(t, s.recent, mesh, result, upgraded)
	named, silent := namedBy(result.Proof), map[string]bool{} // they may reach everything
	for _, r := range result.StageOne {
		if networking := tree.Object(r.Body["networking"]); r.Type == kuma.KindDataplane {
			isZoneProxy := networking["listeners"] != nil && networking["inbound"] == nil
			// The preview still reads gateways, and policies apply to them (kuma3.md §2).
			isEgress := slices.ContainsFunc(tree.Objects(networking["listeners"]), func(l map[string]any) bool { return l["type"] == kinds.ZoneEgress.Name })
			silent[r.Name] = networking["gateway"] != nil || isEgress || // what it forwards is not compared
				len(tree.List(networking["outbound"])) == 0 && !kinds.IsRedirected(r) && !isZoneProxy
		}
	}
	byWorkload := slices.ContainsFunc(result.StageOne, func(r kuma.Resource) bool {
		path, _ := tree.Root(r.Body).Get("spec", "spiffeID", "path").Text()
		return r.Type == kinds.MeshIdentity.Name && strings.Contains(path, kuma.LabelWorkload)
	})
	lacksIdentity := map[string]bool{} // for want of a label: neither control plane can configure it, which `_config` does not show
	for _, r := range result.StageOne {
		lacksIdentity[r.Name] = byWorkload && r.Type == kuma.KindDataplane && r.Labels[kuma.LabelWorkload] == ""
	}
	olderRemain := slices.ContainsFunc(result.Proof.NotCompared[1], func(what string) bool { return strings.Contains(what, "only 2.14 reads") })
	configured := sentTo(t.Context(), s.old, mesh, slices.Collect(maps.Keys(before)))
	maps.Copy(configured, sentTo(t.Context(), s.recent, mesh, slices.Collect(maps.Keys(after))))
	for name, is := range after {
		was := before[name]
		if was == nil || configured[name] == nil || lacksIdentity[name] { // or it has what it was sent before
			continue
		}
		isSentOnce := func(request, _ string) bool { // otherwise the client changes, or one of two listeners of a port
			_, inBefore := was[request]
			_, inAfter := is[request]
			return (strings.HasPrefix(request, "from ") || strings.HasPrefix(request, plaintextTo)) && inBefore != inAfter
		}
		maps.DeleteFunc(was, isSentOnce)
		maps.DeleteFunc(is, isSentOnce)
		s.upgraded.Add(1)
		diff := gocmp.Diff(was, is)
		changes := diff != ""
		if changes && named[name] == "" { // a service that refuses the client can lose its endpoints
			changes = !gocmp.Equal(withoutRefused(was), withoutRefused(is))
		}
		if changes && named[name] == "" && !olderRemain || !changes && named[name] != "" && !silent[name] && named[name] != unobserved {
			t.Errorf("%s changes by the proof: %q, by its configuration (-before +after):\n%.3000s", name, named[name], diff)
		} else if changes {
			s.changed.Add(1)
		}
	}
	if t.Failed() {
		t.Log(result.Proof)
	}
}

// storeStageTwo writes the documents of stage two to 3.0, and returns those that it rejects, which the report must name.
func (s *stages) storeStageTwo(t *testing.T, result upgrade.Result) (rejected []oracle.Rejection) {
	t.Helper()
	var described []kuma.Resource
	for _, r := range result.StageTwo {
		if _, ok := kinds.Find(r.Type); ok {
			described = append(described, withoutTagOutbounds(r))
		}
	}
	d := oracle.Deployment{Sites: []*oracle.Site{s.recent}}
	rejected, err := d.Store(t.Context(), d.Writes(described))
	testworld.NoError(t, err)
	for _, r := range rejected {
		if !slices.ContainsFunc(result.Report, func(i upgrade.Item) bool {
			return i.Key == r.Resource.Key() && (i.Action == upgrade.Manual || i.Action == upgrade.Kept)
		}) {
			t.Fatalf("3.0 rejects %s, which the report does not name: %s", r.Resource.Key(), r.Reason)
		}
	}
	return rejected
}

// decide deletes policies on 2.14 that 3.0 rejects in the form of stage two: an upgrade would keep them as they are stored.
func (s *stages) decide(t *testing.T, rejected []oracle.Rejection) {
	t.Helper()
	for _, r := range rejected {
		k, _ := kinds.Find(r.Resource.Type)
		if k.Policy == nil {
			t.Skipf("3.0 rejects %s: %s", r.Resource.Key(), r.Reason) // an upgrade keeps it, and the test cannot store it
		}
		name := r.Resource.Name
		for _, suffix := range []string{"", "-outbound", "-gateway"} { // parts of a divided policy
			if of, found := strings.CutSuffix(name, suffix); found {
				_ = s.old.Client.Delete(t.Context(), k, r.Resource.Mesh, of) // it may be stored under the other name only
				for _, older := range kinds.Older() {
					if older.Removed.Instead == "Use "+k.Name+"." {
						_ = s.old.Client.Delete(t.Context(), older, r.Resource.Mesh, strings.TrimLeft(of, "0123456789-"))
					}
				}
			}
		}
	}
}

// withoutTagOutbounds returns a Dataplane without outbounds by tags, which 3.0 does not read, and rejects in a write.
func withoutTagOutbounds(r kuma.Resource) kuma.Resource {
	if networking := tree.Object(r.Body["networking"]); r.Type == kuma.KindDataplane && networking["outbound"] != nil {
		r = r.Clone()
		networking = tree.Object(r.Body["networking"])
		networking["outbound"] = slices.DeleteFunc(tree.List(networking["outbound"]), func(o any) bool { return tree.Object(o)["backendRef"] == nil })
	}
	return r
}

// removeInitialPolicies deletes the policies that a control plane has created with a mesh and that are not among its
// resources: an upgrade creates none.
func removeInitialPolicies(t *testing.T, cp *oracle.Site, mesh string, resources []kuma.Resource) {
	t.Helper()
	stored, err := cp.Stored(t.Context(), mesh)
	testworld.NoError(t, err)
	for _, r := range stored {
		k, _ := kinds.Find(r.Type)
		if k.Policy == nil || k.Synced(r, cp.Info.ControlPlane) || slices.ContainsFunc(resources, func(other kuma.Resource) bool { return other.Key() == r.Key() }) {
			continue
		}
		testworld.NoError(t, cp.Client.Delete(t.Context(), k, mesh, r.Name))
	}
}

// unobserved is the reason for a proxy that only has other settings for what it receives, patches, another certificate, other
// host names, metrics, probes or what leaves the mesh, which requests of the mesh need not show, or that can be configured again, which had a
// configuration from before it was frozen.
const unobserved = "what requests need not show"

// namedBy returns the Dataplanes that changes name, with a reason: without those for telemetry, and without
// clients that have no listener for a service.
func namedBy(p upgrade.Proof) map[string]string {
	c, named := p.StageTwo, map[string]string{}
	add := func(reason string, names []string) {
		for _, name := range names {
			if cmp.Or(named[name], unobserved) == unobserved {
				named[name] = reason
			}
		}
	}
	for _, r := range c.Settings {
		switch {
		case slices.Contains([]string{kinds.MeshAccessLog.Name, kinds.MeshTrace.Name, kinds.MeshMetric.Name}, r.Type):
		case strings.Contains(phrase.JSON(r.Before), "kafka") && strings.Contains(phrase.JSON(r.After), "tcp"): // which only loses statistics
		case r.Type == kinds.MeshProxyPatch.Name, r.Type == kinds.MeshPassthrough.Name, r.Destination == impact.Outside,
			r.Direction == impact.From, r.Direction == impact.Rules,
			slices.Contains([]string{impact.CertificatePath, impact.ConfigurationPath, impact.HostNamesPath, "metrics", "probes"}, r.Path):
			add(unobserved, r.Dataplanes)
		default:
			add(fmt.Sprintf("%+v", r.Change), r.Dataplanes)
		}
	}
	for _, a := range c.Access {
		if a.Reachable {
			add(fmt.Sprintf("access to %v", a.Port), a.Dataplanes())
		}
	}
	for _, r := range c.Requests {
		add(fmt.Sprintf("requests %v to %v", r.Requests, r.Port), r.Clients)
	}
	add("idle gRPC connections", p.Idle)
	for _, f := range c.Frozen {
		add(unobserved, f.Dataplanes) // it can have a configuration from before the freeze
	}
	return named
}

// behavior describes what each proxy does with requests to each of its outbounds and to the virtual addresses of
// services, and with those that it receives, by what is requested.
func behavior(t *testing.T, cp *oracle.Site, mesh string, result upgrade.Result, connected map[string]*proxies.Proxy) (last map[string]map[string]string) {
	t.Helper()
	matches := (&requestWorld{world: world{resources: slices.Concat(result.StageOne, result.StageTwo)}}).givenMatches()
	same := 0
	err := oracle.Until(t.Context(), settleLimit, settlePause, "settled proxies", func(ctx context.Context) (bool, error) {
		stored, err := cp.Stored(ctx, mesh)
		if err != nil {
			return false, err
		}
		m := envoy.Mesh{}
		for name, p := range connected {
			if p.Responses(envoy.Listeners).Accepted == 0 {
				continue
			}
			if m[name], err = p.Accepted(); err != nil {
				return false, err
			}
		}
		now := map[string]map[string]string{}
		for name := range m {
			now[name] = map[string]string{}
		}
		for name := range m {
			receivePlaintext(m[name], stored, name, now[name])
			for to, r := range destinationsOf(m[name], stored, name) {
				for _, match := range matches {
					send(m, name, to, r, match, now)
				}
			}
		}
		if same++; !gocmp.Equal(last, now) {
			same = 0
		}
		last = now
		return same == settledRounds, nil
	})
	if err != nil {
		t.Log(err)
	}
	return last
}

// destinationsOf returns what a proxy can call, by a name that both releases have; what has none, such as a virtual
// address of a tag, by the name of the listener.
func destinationsOf(config *envoy.Config, stored []kuma.Resource, dataplane string) map[string]envoy.Request {
	all := map[string]envoy.Request{}
	redirects := false
	for _, r := range stored {
		if r.Type != kuma.KindDataplane || r.Name != dataplane {
			continue
		}
		networking := tree.Object(r.Body["networking"])
		redirects = networking["transparentProxying"] != nil
		for _, o := range slices.Concat(tree.Objects(networking["outbound"]), tree.Objects(networking["outbounds"])) {
			host := tree.Text(o["address"])
			if host == "" {
				host = "127.0.0.1"
			}
			all[fmt.Sprintf("%s:%d", host, tree.Int(o["port"]))] = envoy.Request{Host: host, Port: tree.Int(o["port"])}
		}
	}
	for _, r := range stored {
		if !redirects {
			break
		}
		for _, vip := range tree.Root(r.Reported).Find("status.vips[].ip") {
			address, _ := vip.Text()
			for _, port := range append(tree.Objects(r.Spec()["ports"]), tree.Object(r.Spec()["match"])) {
				if n := tree.Int(port["port"]); n != 0 {
					all[fmt.Sprintf("%s %s:%d", r.Type, r.DisplayName(), n)] = envoy.Request{Host: address, Port: n}
				}
			}
		}
	}
	isKnown := func(r envoy.Request) bool {
		return slices.ContainsFunc(slices.Collect(maps.Values(all)), func(known envoy.Request) bool { return known.Host == r.Host && known.Port == r.Port })
	}
	for _, name := range config.Outbounds() {
		address := config.Listeners[name].GetAddress().GetSocketAddress()
		if r := (envoy.Request{Host: address.GetAddress(), Port: int(address.GetPortValue())}); !isKnown(r) && strings.Count(r.Host, ":") == 0 {
			all[name] = r
		}
	}
	return all
}

const plaintextTo = "plaintext to port "

// receivePlaintext adds what a proxy does with requests from outside the mesh.
func receivePlaintext(config *envoy.Config, stored []kuma.Resource, dataplane string, all map[string]string) {
	for _, r := range stored {
		if r.Type != kuma.KindDataplane || r.Name != dataplane {
			continue
		}
		address, _ := tree.Root(r.Body).Get("networking", "address").Text()
		listeners := map[int]int{}
		for _, l := range config.Listeners {
			listeners[int(l.GetAddress().GetSocketAddress().GetPortValue())]++
		}
		for _, in := range tree.Root(r.Body).Find("networking.inbound[].port") {
			port := tree.Int(in.Value())
			if listeners[port] > 1 { // one of them takes the connections
				continue
			}
			a, err := config.Receive(envoy.Host{Address: address, Port: port}, envoy.Request{Method: "GET", Path: "/"})
			text := fmt.Sprintf("%s %s %s", a.Verdict, limitsOf(a.Timeouts), protectionOf(a.Filters))
			if err != nil { // its text contains names of listeners
				text = "not evaluated"
			}
			all[fmt.Sprint(plaintextTo, port)] = text
		}
	}
}

// send adds what proxies do with a request that meets a match.
func send(m envoy.Mesh, from, to string, r envoy.Request, match object, all map[string]map[string]string) {
	r.Method, r.Path, r.Headers, r.Query = "GET", "/", map[string]string{}, map[string]string{}
	if meet(&r, match); strings.Contains(r.Path, "?") {
		return
	}
	request := fmt.Sprint(to, " ", r.Method, " ", r.Path, " ", r.Headers, r.Query)
	outcomes, err := m.Send(from, r)
	if err != nil {
		if !strings.Contains(err.Error(), "passthrough") { // else it lets no request through, by listeners with other names
			all[from][request] = err.Error()
		}
		return
	}
	var texts []string
	for _, o := range outcomes {
		if o.Verdict == envoy.NoListener || o.Verdict == envoy.Passthrough || strings.Contains(o.Listener, "passthrough") { // the proxy does not know the destination
			return
		}
		texts = append(texts, sentText(m[from], o, r.Host))
		for _, h := range o.Hosts {
			if h.Arrival != nil && h.Arrival.Verdict == envoy.Allowed && all[h.Dataplane] != nil {
				all[h.Dataplane][fmt.Sprintf("from %s to port %d: %s", from, h.Port, request)] = limitsOf(h.Arrival.Timeouts) + protectionOf(h.Arrival.Filters)
			}
		}
	}
	slices.Sort(texts)
	all[from][request] = strings.Join(texts, "\n")
}

// sentText describes a share of the requests that a proxy sends, with the settings of the cluster.
func sentText(config *envoy.Config, o envoy.Outcome, host string) string {
	if o.Request.Host == host {
		o.Request.Host = ""
	}
	text := fmt.Sprintf("%s %s %d %s %s%s %v %v%s %s", o.Share.RatString(), o.Verdict, o.Status, o.Location, o.Request.Host, o.Request.Path, lower(o.Request.Headers), o.Response, protectionOf(o.Filters), limitsOf(o.Timeouts))
	if o.Retry != nil {
		text += fmt.Sprintf(" retry %+v", *o.Retry)
	}
	for _, mirror := range o.Mirrors {
		text += fmt.Sprintf(" mirror %s %s", mirror.Share.RatString(), hostsText(mirror.Hosts))
	}
	if c := config.Clusters[o.Cluster]; c != nil {
		settings := &cluster.Cluster{CircuitBreakers: c.GetCircuitBreakers(), OutlierDetection: c.GetOutlierDetection(), LbPolicy: c.GetLbPolicy(), LbConfig: c.GetLbConfig()}
		for _, check := range c.GetHealthChecks() {
			check, _ := proto.Clone(check).(*core.HealthCheck)
			if http := check.GetHttpHealthCheck(); http != nil {
				http.RequestHeadersToAdd = nil // the tags of the client
			}
			settings.HealthChecks = append(settings.HealthChecks, check)
		}
		decoded, _ := tree.DecodeJSON([]byte(protojson.Format(settings)))
		withLimits(tree.Object(decoded))
		text += " " + phrase.JSON(decoded)
	}
	return text + " " + hostsText(o.Hosts)
}

// refused matches the description of a host that refuses connections.
var refused = regexp.MustCompile(`[^\s\[]+ (` + string(envoy.Denied) + `|` + string(envoy.Closed) + `|` + string(envoy.HandshakeTLS) + `) TLS (true|false) ?`)

func withoutRefused(behavior map[string]string) map[string]string {
	out := map[string]string{}
	for request, text := range behavior {
		out[request] = refused.ReplaceAllString(text, "")
	}
	return out
}

func hostsText(hosts []envoy.Host) string {
	var texts []string
	for _, h := range hosts {
		text := fmt.Sprintf("%s:%d", h.Address, h.Port)
		if h.Arrival != nil {
			text = fmt.Sprintf("%s:%d %s", h.Dataplane, h.Port, h.Arrival.Verdict)
		}
		texts = append(texts, fmt.Sprintf("%s TLS %t", text, h.TLS != nil))
	}
	slices.Sort(texts)
	return fmt.Sprint(texts)
}
