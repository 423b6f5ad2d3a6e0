package rollout

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Status is the status of a proxy as control planes count it.
type Status string

// Statuses, the worst first.
const (
	Offline           Status = "offline"            // not connected, or no inbound is ready
	Unknown           Status = "unknown"            // its zone is not connected to the global control plane
	PartiallyDegraded Status = "partially_degraded" // connected, but some inbounds are not ready
	Online            Status = "online"
)

// Statuses returns all statuses, the worst first.
func Statuses() []Status { return []Status{Offline, Unknown, PartiallyDegraded, Online} }

// Proxy is what a control plane knows about a proxy. Times and versions are zero where
// it does not know them.
type Proxy struct {
	Type       string // of the resource: Dataplane, ZoneIngress or ZoneEgress
	Mesh, Name string
	Zone       string
	// ZoneOffline reports whether the rest is only what its zone has sent last.
	ZoneOffline bool
	Status      Status

	Connected bool
	// Since is when it connected or, if it is not connected, when it disconnected.
	Since                time.Time
	ControlPlaneInstance string

	KumaDP, Envoy string // versions
	Incompatible  bool   // the control plane does not support one of the versions
	Features      []string
	// ResolvesNames reports whether DNS requests of the application are redirected to kuma-dp.
	ResolvesNames bool
	// OwnsDataplane reports whether kuma-dp was started with the document of the Dataplane:
	// the control plane writes it when the proxy connects, and deletes it when it is gone.
	OwnsDataplane bool

	Responses       Responses
	UnreadyInbounds []string // sections: names, or ports without a name
	Inbounds        int

	Certificate *Certificate // nil for none
}

// Responses count the responses with configuration since the proxy connected.
type Responses struct {
	Total   Counts
	Types   map[string]Counts // by type of resources: cds, lds, rds and eds
	Updated time.Time         // when the last response was sent or answered
}

// Counts are numbers of responses.
type Counts struct{ Sent, Acknowledged, Rejected int64 }

// Pending is the number of responses that the proxy has not answered.
func (c Counts) Pending() int64 { return max(0, c.Sent-c.Acknowledged-c.Rejected) }

// Certificate is the certificate with which a proxy identifies itself.
type Certificate struct {
	Issuer            string // backend of the mesh, or KRI of the MeshIdentity
	Expires           time.Time
	LastRegeneration  time.Time
	Regenerations     int64
	SupportedBackends []string // that it trusts: backends, or KRIs of MeshTrusts
}

// fields are the names of the fields of an overview.
var fields = map[string]struct{ resource, insight string }{
	kuma.KindDataplane: {"dataplane", "dataplaneInsight"},
	"ZoneIngress":      {"zoneIngress", "zoneIngressInsight"},
	"ZoneEgress":       {"zoneEgress", "zoneEgressInsight"},
}

// ReadProxy reads the overview of the proxy of a resource of a kind. It reports values of
// the wrong form.
func ReadProxy(kind string, overview map[string]any) (Proxy, error) {
	r := reader{}
	resource, insight := tree.Object(overview[fields[kind].resource]), tree.Object(overview[fields[kind].insight])
	p := Proxy{
		Type: kind, Mesh: tree.Text(overview["mesh"]), Name: tree.Text(overview["name"]),
		Zone: cmp.Or(tree.StringMap(overview["labels"])[kuma.LabelZone], tree.Text(resource["zone"])),
	}
	metadata := tree.Object(insight["metadata"])
	p.Features = slices.Sorted(slices.Values(tree.Strings(metadata["features"])))
	p.ResolvesNames = resolvesNames(resource, metadata)
	p.OwnsDataplane = tree.Text(metadata["dataplane.resource"]) != ""
	if s, ok := r.lastSubscription(insight); ok {
		r.connection(&p, s)
	}
	p.inbounds(resource)
	p.Status = p.status()
	if c := tree.Object(insight["mTLS"]); c != nil {
		p.Certificate = &Certificate{
			Issuer:            tree.Text(c["issuedBackend"]),
			Expires:           r.time(c, "certificateExpirationTime"),
			LastRegeneration:  r.time(c, "lastCertificateRegeneration"),
			Regenerations:     r.number(c, "certificateRegenerations"),
			SupportedBackends: tree.Strings(c["supportedBackends"]),
		}
	}
	if r.err != nil {
		return p, fmt.Errorf("the overview of %s: %w", kuma.Key{Type: p.Type, Mesh: p.Mesh, Name: p.Name}, r.err)
	}
	return p, nil
}

// resolvesNames reports what kuma-dp sent about the redirection of DNS requests or, if it sent nothing, whether the
// Dataplane has redirected traffic: kuma-dp includes DNS then.
func resolvesNames(resource, metadata map[string]any) bool {
	if redirect := tree.Object(tree.Object(metadata["transparentProxy"])["redirect"]); redirect != nil {
		return tree.Object(redirect["dns"])["enabled"] == true
	}
	return kinds.IsRedirected(kuma.Resource{Body: resource})
}

// inbounds counts the inbounds, including those that get no traffic (state Ignored).
func (p *Proxy) inbounds(resource map[string]any) {
	all := tree.Objects(tree.Object(resource["networking"])["inbound"])
	p.Inbounds = len(all)
	for _, in := range all {
		if in["state"] == "NotReady" {
			p.UnreadyInbounds = append(p.UnreadyInbounds, cmp.Or(tree.Text(in["name"]), fmt.Sprint(in["port"])))
		}
	}
}

func (p *Proxy) status() Status {
	switch unready := len(p.UnreadyInbounds); {
	case !p.Connected, unready > 0 && unready == p.Inbounds:
		return Offline
	case unready > 0:
		return PartiallyDegraded
	default:
		return Online
	}
}

// reader reads values of an overview, and remembers the first error.
type reader struct{ err error }

// lastSubscription returns the connection that was opened last.
func (r *reader) lastSubscription(insight map[string]any) (map[string]any, bool) {
	all := tree.Objects(insight["subscriptions"])
	if len(all) == 0 {
		return nil, false
	}
	return slices.MaxFunc(all, func(a, b map[string]any) int {
		return r.time(a, "connectTime").Compare(r.time(b, "connectTime"))
	}), true
}

// connection reads what the control plane knows about a connection.
func (r *reader) connection(p *Proxy, s map[string]any) {
	p.ControlPlaneInstance = tree.Text(s["controlPlaneInstanceId"])
	p.Since = r.time(s, "disconnectTime")
	if p.Connected = p.Since.IsZero(); p.Connected {
		p.Since = r.time(s, "connectTime")
	}
	version := tree.Object(s["version"])
	dp, envoy := tree.Object(version["kumaDp"]), tree.Object(version["envoy"])
	p.KumaDP, p.Envoy = tree.Text(dp["version"]), tree.Text(envoy["version"])
	p.Incompatible = dp["kumaCpCompatible"] == false || envoy["kumaDpCompatible"] == false
	status := tree.Object(s["status"])
	p.Responses = Responses{Total: r.counts(status, "total"), Types: map[string]Counts{}, Updated: r.time(status, "lastUpdateTime")}
	for _, name := range []string{"cds", "lds", "rds", "eds"} {
		p.Responses.Types[name] = r.counts(status, name)
	}
}

func (r *reader) counts(status map[string]any, name string) Counts {
	c := tree.Object(status[name])
	return Counts{r.number(c, "responsesSent"), r.number(c, "responsesAcknowledged"), r.number(c, "responsesRejected")}
}

// number reads a number, which is zero where it is absent, and a string if it has 64 bits.
func (r *reader) number(o map[string]any, name string) int64 {
	v, ok := o[name]
	if !ok {
		return 0
	}
	n, err := strconv.ParseInt(fmt.Sprint(v), 10, 64)
	r.fail(name, v, err)
	return n
}

func (r *reader) time(o map[string]any, name string) time.Time {
	v, ok := o[name]
	if !ok || v == nil {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339Nano, fmt.Sprint(v))
	r.fail(name, v, err)
	return at
}

func (r *reader) fail(name string, v any, err error) {
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("%s has the value %v, which cannot be read", name, v)
	}
}

// ReadZone reads the overview of a zone: its name, and whether its control plane is connected
// to the global one. It reports values of the wrong form.
func ReadZone(overview map[string]any) (name string, connected bool, err error) {
	r := reader{}
	name = tree.Text(overview["name"])
	if s, ok := r.lastSubscription(tree.Object(overview["zoneInsight"])); ok {
		connected = r.time(s, "disconnectTime").IsZero()
	}
	if r.err != nil {
		return name, connected, fmt.Errorf("the overview of Zone %q: %w", name, r.err)
	}
	return name, connected, nil
}

// InOfflineZone returns a proxy whose zone is not connected to the global control plane: all
// that is known about the proxy is what the zone has sent last (rest-api.md §17.1).
func (p Proxy) InOfflineZone() Proxy {
	p.ZoneOffline, p.Status = true, Unknown
	return p
}

// OfflineZones returns the names of the zones of proxies that are not connected, sorted.
func OfflineZones(proxies []Proxy) []string {
	var zones []string
	for _, p := range proxies {
		if p.ZoneOffline {
			zones = append(zones, p.Zone)
		}
	}
	return phrase.Sorted(zones)
}
