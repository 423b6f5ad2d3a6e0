package proxies_test

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies/envoy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// base is the world of each fact: the services web, api and db, with one Dataplane
// each. The proxy of web has outbounds to api on port 11000 and to db on 11001.
func base() string {
	var documents strings.Builder
	documents.WriteString("{type: Mesh, name: MESH, skipCreatingInitialPolicies: ['*'], meshServices: {mode: Exclusive}}\n")
	for i, name := range []string{"web", "api", "db"} {
		fmt.Fprintf(&documents, `---
type: MeshService
mesh: MESH
name: %[1]s
labels: {app: %[1]s}
spec:
  selector: {dataplaneLabels: {matchLabels: {app: %[1]s}}}
  ports: [{port: 80, targetPort: 9000, appProtocol: http}, {port: 81, targetPort: 9001, appProtocol: tcp}, {port: 82, targetPort: 9002, appProtocol: grpc}]
---
type: Dataplane
mesh: MESH
name: %[1]s
labels: {app: %[1]s}
networking:
  address: 127.0.0.%[2]d
  inbound:
  - {port: 9000, name: main, protocol: http, tags: {kuma.io/service: %[1]s, kuma.io/protocol: http}}
  - {port: 9001, name: tcp, protocol: tcp, tags: {kuma.io/service: %[1]s, kuma.io/protocol: tcp}}
  - {port: 9002, name: grpc, protocol: grpc, tags: {kuma.io/service: %[1]s, kuma.io/protocol: grpc}}
  outbound:
  - {port: 11000, backendRef: {kind: MeshService, name: api, port: 80}}
  - {port: 11001, backendRef: {kind: MeshService, name: db, port: 80}}
  - {port: 11002, backendRef: {kind: MeshService, name: api, port: 81}}
  - {port: 11003, backendRef: {kind: MeshService, name: api, port: 82}}
`, name, i+1)
	}
	return documents.String()
}

// Parts of worlds.
const (
	identity = `---
{type: MeshIdentity, mesh: MESH, name: identity, spec: {selector: {dataplane: {matchLabels: SELECTOR}}, spiffeID: {trustDomain: td, path: '/{{ label "app" }}'},
  provider: {type: Bundled, bundled: {autogenerate: {enabled: true}, insecureAllowSelfSigned: true, meshTrustCreation: Enabled}}}}
`
	allowAll = `---
{type: MeshTrafficPermission, mesh: MESH, name: all, spec: {rules: [{default: {allow: [{spiffeID: {type: Prefix, value: "spiffe://td"}}]}}]}}
`
)

// mutual turns on mutual TLS of the mesh, which Kuma 3.0 does not have.
const mutual = `---
{type: Mesh, name: MESH, skipCreatingInitialPolicies: ['*'], meshServices: {mode: Exclusive}, mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}}
`

// withIdentity returns a MeshIdentity for the Dataplanes with labels.
func withIdentity(labels string) string { return strings.ReplaceAll(identity, "SELECTOR", labels) }

// everyone is a MeshIdentity for all Dataplanes.
var everyone = withIdentity("{}")

// policy returns a policy with a spec in YAML.
func policy(kind, name, spec string) string {
	return fmt.Sprintf("---\n{type: %s, mesh: MESH, name: %s, spec: {%s}}\n", kind, name, spec)
}

// toAPI is the target api of an entry of `to`.
const toAPI = "targetRef: {kind: MeshService, labels: {app: api}}"

// httpRoute returns an HTTP route for api with rules.
func httpRoute(name string, rules ...string) string {
	return policy("MeshHTTPRoute", name, "to: [{"+toAPI+", rules: ["+strings.Join(rules, ", ")+"]}]")
}

func rule(match, conf string) string { return "{matches: [{" + match + "}], default: {" + conf + "}}" }

func path(kind, value string) string { return "path: {type: " + kind + ", value: " + value + "}" }

func to(backends ...string) string {
	var refs []string
	for _, b := range backends {
		name, weight, _ := strings.Cut(b, " ")
		name, port, _ := strings.Cut(name, ":")
		refs = append(refs, fmt.Sprintf("{kind: MeshService, labels: {app: %s}, port: %s, weight: %s}", name, cmp.Or(port, "80"), cmp.Or(weight, "1")))
	}
	return "backendRefs: [" + strings.Join(refs, ", ") + "]"
}

// ask is a request of web, and what happens to it as show describes it.
type ask struct {
	request, want string
	want3         string // on Kuma 3.0, if that is different
}

// fact is a fact about proxies.
type fact struct {
	name, documents string
	only            string // release, "" for both
	show            func(envoy.Outcome) string
	asks            []ask
}

// request reads "METHOD PATH", or "TCP /" for a connection, and settings: port=, host= and
// from=, ?NAME= for a parameter of the query, and NAME= for a header.
func request(text string) (from string, r envoy.Request) {
	fields := strings.Fields(text)
	from, r = "web", envoy.Request{Host: "127.0.0.1", Port: 11000, Method: fields[0], Path: fields[1], Headers: map[string]string{}, Query: map[string]string{}}
	for _, f := range fields[2:] {
		key, value, _ := strings.Cut(f, "=")
		switch {
		case key == "port":
			_, _ = fmt.Sscan(value, &r.Port)
		case key == "host":
			r.Host = value
		case key == "from":
			from = value
		case strings.HasPrefix(key, "?"):
			r.Query[key[1:]] = value
		default:
			r.Headers[key] = value
		}
	}
	if r.Method == "TCP" {
		r.Protocol, r.Method, r.Path = envoy.TCP, "", ""
	}
	return from, r
}

// service returns the name of the service in the name of a cluster or policy.
func service(kri string) string {
	parts := strings.Split(kri, "_")
	if len(parts) < 6 {
		return kri
	}
	return parts[5]
}

// everything describes where a request goes and what happens there.
func everything(o envoy.Outcome) string { return strings.TrimSpace(target(o) + " " + access(o)) }

// target describes where a request goes.
func target(o envoy.Outcome) string {
	switch o.Verdict {
	case envoy.Forwarded:
		return o.Share.RatString() + " " + service(o.Cluster) + o.Request.Path
	case envoy.Redirected:
		return fmt.Sprintf("%s %d %s", o.Share.RatString(), o.Status, o.Location)
	case envoy.Answered:
		return fmt.Sprintf("%s %d", o.Share.RatString(), o.Status)
	default:
		return o.Share.RatString() + " " + string(o.Verdict)
	}
}

// access describes who decides at the hosts.
func access(o envoy.Outcome) string {
	var parts []string
	for _, h := range o.Hosts {
		if h.Arrival == nil {
			parts = append(parts, "elsewhere")
			continue
		}
		text := string(h.Arrival.Verdict)
		if p := h.Arrival.Filters.Permission; p != nil {
			text += " by " + service(p.Policy)
			if p.Shadow != nil && !p.Shadow.Allowed {
				text += ", shadow denied by " + service(p.Shadow.Policy)
			}
		}
		if h.Arrival.Reason != "" {
			text = h.Arrival.Reason
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " and ")
}

// limits describes timeouts and retries.
func limits(o envoy.Outcome) string {
	t := o.Timeouts
	text := fmt.Sprintf("connect %v request %v stream %v idle %v max %v", t.Connect, t.Request, t.StreamIdle, t.Idle, t.MaxStream)
	if o.Retry != nil {
		text += fmt.Sprintf(" retry %d %s %v", o.Retry.Attempts, strings.Join(o.Retry.On, ","), o.Retry.Statuses)
	}
	return text
}

// arrival describes timeouts, limits and faults at the hosts.
func arrival(o envoy.Outcome) string {
	if len(o.Hosts) == 0 || o.Hosts[0].Arrival == nil {
		return "nowhere"
	}
	a := o.Hosts[0].Arrival
	text := fmt.Sprintf("connect %v request %v stream %v idle %v", a.Timeouts.Connect, a.Timeouts.Request, a.Timeouts.StreamIdle, a.Timeouts.Idle)
	if l := a.Filters.Requests; l != nil {
		text += fmt.Sprintf(" limit %d/%v %d", l.Tokens, l.Interval, l.Status)
	}
	if l := a.Filters.Connections; l != nil {
		text += fmt.Sprintf(" connections %d/%v", l.Tokens, l.Interval)
	}
	for _, f := range a.Filters.Faults {
		text += fmt.Sprintf(" fault %s %d %v", f.Share.RatString(), f.Status, f.Delay)
	}
	return text
}

// mirrors describes the copies of requests.
func mirrors(o envoy.Outcome) string {
	var parts []string
	for _, m := range o.Mirrors {
		parts = append(parts, m.Share.RatString()+" "+service(m.Cluster)+" "+access(envoy.Outcome{Hosts: m.Hosts}))
	}
	return target(o) + " mirror " + strings.Join(parts, " and ")
}

// TestFacts checks facts about what proxies do, each in a mesh of its own. They must
// still be true when the control plane has noticed which proxies have certificates.
func TestFacts(t *testing.T) {
	cp := start(t)
	kuma3 := cp.Info.Release.Kuma3()
	for i, f := range facts() {
		if f.only != "" && kuma3 != (f.only == "3.0") {
			continue
		}
		mesh := fmt.Sprintf("m%d", i)
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			resources := store(t, cp, strings.ReplaceAll(base()+f.documents, "MESH", mesh))
			connected := connect(t, cp, resources)
			eventually(t, connected, func(m envoy.Mesh) string { return f.check(m, mesh, kuma3) })
			testworld.NoError(t, oracle.Pause(t.Context(), 12*time.Second))
			eventually(t, connected, func(m envoy.Mesh) string { return f.check(m, mesh, kuma3) })
		})
	}
}

// check returns the first difference, "" if there is none.
func (f fact) check(m envoy.Mesh, mesh string, kuma3 bool) string {
	for _, a := range f.asks {
		a.request = strings.ReplaceAll(a.request, "MESH", mesh)
		if kuma3 && a.want3 != "" {
			a.want = a.want3
		}
		from, r := request(a.request)
		outcomes, err := m.Send(from, r)
		if err != nil {
			return err.Error()
		}
		var parts []string
		for _, o := range outcomes {
			parts = append(parts, f.show(o))
		}
		if got := strings.Join(parts, "; "); got != a.want {
			return fmt.Sprintf("%s: %s, want %s", a.request, got, a.want)
		}
	}
	return ""
}

// TestFrozenProxies shows that a route that the control plane cannot build keeps all
// proxies of the mesh from getting any update.
func TestFrozenProxies(t *testing.T) {
	cp := start(t)
	resources := store(t, cp, strings.ReplaceAll(base(), "MESH", "m"))
	connected := connect(t, cp, resources)
	store(t, cp, strings.ReplaceAll(httpRoute("r", rule(path("Exact", "/x"),
		`filters: [{type: RequestRedirect, requestRedirect: {}}, {type: RequestMirror, requestMirror: {backendRef: {kind: MeshService, labels: {app: db}, port: 80}}}]`)), "MESH", "m"))
	for name, p := range connected {
		err := oracle.Until(t.Context(), 20*time.Second, time.Second/2, "the failure", func(ctx context.Context) (bool, error) {
			_, err := p.Config(ctx)
			return err != nil, nil
		})
		if err != nil {
			t.Errorf("%s: _config: %v", name, err)
		}
	}
	before := connected["db"].Responses(envoy.Listeners)
	store(t, cp, strings.ReplaceAll(policy("MeshTimeout", "in", "rules: [{default: {http: {requestTimeout: 3s}}}]"), "MESH", "m"))
	testworld.NoError(t, oracle.Pause(t.Context(), 6*time.Second))
	if got := connected["db"].Responses(envoy.Listeners); got != before {
		t.Errorf("a proxy got an update: %+v, before %+v", got, before)
	}
	answer, err := cp.Rules(t.Context(), "m", "db")
	if err != nil || !strings.Contains(fmt.Sprint(answer), "requestTimeout:3s") {
		t.Errorf("_rules does not have the policy: %v, %v", answer, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	store(t, cp, strings.ReplaceAll(base(), "MESH", "m"))
	testworld.NoError(t, connected["db"].Close())
	if p, err := proxies.Connect(ctx, cp, proxies.Options{Mesh: "m", Dataplane: "db"}); err == nil {
		t.Error("a proxy that connects later gets a configuration")
		_ = p.Close()
	}
}

// TestClientsOfEgress shows that a client with a MeshIdentity gets no configuration on 2.14 if
// it sends requests through a zone egress without one: a Dataplane, or a ZoneEgress if no Dataplane is one.
func TestClientsOfEgress(t *testing.T) {
	cp := start(t)
	toExternal := httpRoute("r", rule(path("Exact", "/x"), "backendRefs: [{kind: MeshExternalService, labels: {app: ext}, port: 443}]"))
	store(t, cp, strings.ReplaceAll(base()+zoneEgress+withIdentity("{app: out}"), "MESH", "outbound"))
	store(t, cp, strings.ReplaceAll(base()+zoneEgress+withIdentity("{app: web}")+toExternal, "MESH", "backend"))
	store(t, cp, strings.ReplaceAll(base()+zoneEgress+withIdentity("{}"), "MESH", "beside"))
	parts := strings.SplitAfter(zoneEgress, "---\n") // without the Dataplane that is an egress
	store(t, cp, strings.ReplaceAll(base()+"---\n"+parts[1]+parts[3]+withIdentity("{app: out}"), "MESH", "zone"))
	store(t, cp, "{type: ZoneEgress, name: egress, networking: {address: 10.0.0.99, port: 10002}}")
	for _, mesh := range []string{"outbound", "backend", "beside", "zone"} {
		withIdentities(t, cp, mesh)
	}
	// A proxy that connects at once can get the configuration from before the MeshIdentity.
	testworld.NoError(t, oracle.Pause(t.Context(), 5*time.Second))
	for client, gets := range map[string]bool{"outbound/out": false, "outbound/web": true, "backend/web": false, "backend/out": true, "beside/out": true, "zone/out": false, "zone/web": true} {
		mesh, name, _ := strings.Cut(client, "/")
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		p, err := proxies.Connect(ctx, cp, proxies.Options{Mesh: mesh, Dataplane: name})
		cancel()
		if want := gets || cp.Info.Release.Kuma3(); (err == nil) != want {
			t.Errorf("%s gets a configuration: should be %t: %v", client, want, err)
		}
		if err == nil {
			_ = p.Close()
		}
	}
}
