package answer

import (
	"encoding/json"
	"math/big"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// Request is what happens to a request.
type Request struct {
	documentWarnings
	Verdict       string             `json:"verdict"`
	Reason        string             `json:"reason"`
	Listener      *GatewayListener   `json:"listener"`
	Route         *Route             `json:"route"`
	Filters       []string           `json:"filters"`
	Redirect      *request.Redirect  `json:"redirect"`
	Backends      []Backend          `json:"backends"`
	Mirrors       []Mirror           `json:"mirrors"`
	Timeouts      map[string]Timeout `json:"timeouts"`
	Retry         *Retry             `json:"retry"`
	Explanation   string             `json:"explanation"`
	NotConsidered []string           `json:"not_considered"`
	Clients       []ClientAnswer     `json:"clients"`
}

// ClientAnswer is the answer for some proxies of a service.
type ClientAnswer struct {
	Dataplanes  []string `json:"dataplanes"`
	Verdict     string   `json:"verdict"`
	Reason      string   `json:"reason"`
	Explanation string   `json:"explanation"`
}

// GatewayListener is the listener of a builtin gateway that takes a request.
type GatewayListener struct {
	Gateway     string  `json:"gateway"`
	Port        int     `json:"port"`
	Protocol    string  `json:"protocol"`
	Hostname    string  `json:"hostname"`
	Requests    *Rate   `json:"request_rate"`
	Connections *Rate   `json:"connection_rate"`
	Faults      []Fault `json:"faults"`
}

// Route is the rule of a route that takes a request.
type Route struct {
	Type      string `json:"type"`
	Name      string `json:"name"`
	KRI       string `json:"kri"`
	Entry     int    `json:"entry_index"`
	Rule      int    `json:"rule_index"`
	Condition string `json:"condition"`
}

// Backend is a service that gets a request.
type Backend struct {
	Name     string             `json:"name"`
	KRI      string             `json:"kri"`
	Port     int                `json:"port"`
	Tags     map[string]string  `json:"tags"`
	Percent  json.Number        `json:"percent"`
	Verdict  string             `json:"verdict"`
	Reason   string             `json:"reason"`
	Timeouts map[string]Timeout `json:"timeouts"`
	Proxies  []Proxy            `json:"proxies"`
}

// Proxy is a proxy of a service that gets a request.
type Proxy struct {
	Dataplane   string             `json:"dataplane"`
	Port        int                `json:"port"`
	Verdict     string             `json:"verdict"`
	Reason      string             `json:"reason"`
	TLS         bool               `json:"tls"`
	TLSMode     string             `json:"tls_mode,omitzero"`
	TLSReason   string             `json:"tls_reason,omitzero"`
	Policies    []string           `json:"policies"`
	Rule        *PermissionRule    `json:"permission_rule"`
	Timeouts    map[string]Timeout `json:"timeouts"`
	Requests    *Rate              `json:"request_rate"`
	Connections *Rate              `json:"connection_rate"`
	Faults      []Fault            `json:"faults"`
}

// PermissionRule is the part of a MeshTrafficPermission that decides.
type PermissionRule struct {
	Entry int    `json:"entry_index"`
	List  string `json:"list"`
	Match string `json:"match"`
}

// Rate is a limit.
type Rate struct {
	Number   int    `json:"num"`
	Interval string `json:"interval"`
	Status   int    `json:"status,omitzero"`
	Policy   string `json:"policy"`
}

// Fault is a fault that a proxy injects.
type Fault struct {
	Percent   json.Number `json:"percent"`
	Status    int         `json:"status,omitzero"`
	Delay     string      `json:"delay,omitzero"`
	Bandwidth string      `json:"bandwidth,omitzero"`
	Policy    string      `json:"policy"`
}

// Mirror is a service that gets copies of a request.
type Mirror struct {
	Name    string      `json:"name"`
	KRI     string      `json:"kri"`
	Port    int         `json:"port"`
	Percent json.Number `json:"percent"`
}

// Timeout is a timeout of a request or a connection.
type Timeout struct {
	Value  string `json:"value"`
	Policy string `json:"policy,omitzero"`
	Source string `json:"source"`
}

// Retry is how a failed request is repeated.
type Retry struct {
	Attempts   int               `json:"attempts"`
	Conditions []string          `json:"conditions"`
	PerTry     string            `json:"per_try_timeout"`
	Base       string            `json:"base_interval"`
	Max        string            `json:"max_interval"`
	Policy     string            `json:"policy"`
	Sources    map[string]string `json:"sources"`
}

// Succeeds reports whether the request reaches something.
func (r Request) Succeeds() bool {
	return r.Verdict == string(request.Allowed) || r.Verdict == string(request.Redirected) || r.Verdict == string(request.Passthrough)
}

// OfRequest returns what happens to a request.
func OfRequest(m input.Mesh, r request.Request) (Request, error) {
	m = m.InZones()
	snapshot, caveat := m.Snapshot()
	a, err := request.New(snapshot).Send(r)
	if err != nil {
		return Request{}, err
	}
	out := Request{
		documentWarnings: documentWarnings{m.Warnings}, Verdict: string(a.Verdict), Reason: a.Reason, Filters: a.Filters,
		NotConsidered: a.NotConsidered, Redirect: a.Redirect,
		Timeouts: timeoutsOf(a.Timeouts), Explanation: afterCaveat(caveat, strings.Join(phrase.Each(a.Explanation, phrase.Printable), "\n")),
	}
	if l := a.Listener; l != nil {
		out.Listener = &GatewayListener{
			l.Gateway.Name, l.Port, l.Protocol, l.VirtualHost, rateOf(l.Requests), rateOf(l.Connections),
			phrase.Each(l.Faults, faultOf),
		}
	}
	if r := a.Route; r != nil {
		out.Route = &Route{Type: r.Policy.Type, Name: r.Policy.Name, Entry: r.Entry, Rule: r.Rule, Condition: r.Condition}
		if policy := snapshot.Resource(r.Policy); policy != nil {
			out.Route.KRI = kinds.KRI(policy.ID())
		}
	}
	out.Backends = phrase.Each(a.Backends, func(b request.Backend) Backend {
		return Backend{
			Name: b.Name, KRI: portKRI(b.Port), Port: b.Port.Number, Tags: b.Tags, Percent: percentOf(b.Share),
			Verdict: string(b.Verdict), Reason: b.Reason, Timeouts: timeoutsOf(b.Timeouts), Proxies: phrase.Each(b.Proxies, proxyOf),
		}
	})
	out.Mirrors = phrase.Each(a.Mirrors, func(m request.Mirror) Mirror {
		return Mirror{m.Name, portKRI(m.Port), m.Port.Number, percentOf(m.Share)}
	})
	out.Clients = phrase.Each(a.Clients, func(c request.ClientAnswer) ClientAnswer {
		return ClientAnswer{c.Dataplanes, string(c.Verdict), c.Reason, strings.Join(phrase.Each(c.Explanation, phrase.Printable), "\n")}
	})
	if r := a.Retry; r != nil {
		out.Retry = &Retry{r.Attempts, r.On, r.PerTry.String(), r.Base.String(), r.Max.String(), r.By.Name, r.From.ByField()}
	}
	return out, nil
}

func proxyOf(p request.Proxy) Proxy {
	out := Proxy{
		Dataplane: p.Dataplane, Port: p.Inbound.Port, Verdict: string(p.Verdict), Reason: p.Reason, TLS: p.TLS, TLSMode: string(p.Security),
		TLSReason: p.Because, Policies: phrase.Each(p.By, func(key kuma.Key) string { return key.Name }), Timeouts: timeoutsOf(p.Timeouts),
		Requests: rateOf(p.Requests), Connections: rateOf(p.Connections), Faults: phrase.Each(p.Faults, faultOf),
	}
	if p.Rule.List != "" {
		out.Rule = &PermissionRule{p.Rule.Entry, listName(p.Rule.List), p.Rule.Match}
	}
	return out
}

// listName returns the name of a list of a MeshTrafficPermission in a configuration.
func listName(list string) string {
	if list == rules.ShadowDenyList {
		return "allow_with_shadow_deny"
	}
	return list
}

func rateOf(r *request.Rate) *Rate {
	if r == nil {
		return nil
	}
	return &Rate{r.Number, r.Interval.String(), r.Status, r.By.Name}
}

func faultOf(f request.Fault) Fault {
	out := Fault{Percent: percentOf(f.Share), Status: f.Status, Bandwidth: f.Bandwidth, Policy: f.By.Name}
	if f.Delay != 0 {
		out.Delay = f.Delay.String()
	}
	return out
}

func timeoutsOf(t request.Timeouts) map[string]Timeout {
	out := map[string]Timeout{}
	for name, timeout := range map[string]*request.Timeout{
		"connect": t.Connect, "request": t.Request, "stream_idle": t.StreamIdle, "idle": t.Idle, "max_stream": t.MaxStream,
		"max_connection": t.MaxConnection,
	} {
		if timeout != nil {
			out[name] = Timeout{timeout.Duration.String(), timeout.By.Name, string(timeout.Origin())}
		}
	}
	return out
}

// percentOf returns a share in percent, with 512 bits.
func percentOf(share *big.Rat) json.Number {
	percent := new(big.Rat).Mul(share, big.NewRat(100, 1))
	if percent.IsInt() {
		return json.Number(percent.Num().String())
	}
	return json.Number(new(big.Float).SetPrec(512).SetRat(percent).Text('g', -1))
}
