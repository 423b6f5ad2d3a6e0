package answer

import (
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/rollout"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// MaxProxies is the maximum number of running proxies in a state.
const MaxProxies = 100

// RunningProxies are the running proxies of a mesh, those that need attention first.
type RunningProxies struct {
	Proxies      []RunningProxy         `json:"proxies"`
	Omitted      int                    `json:"proxies_omitted"`
	ZonesOffline []string               `json:"zones_offline"`
	Counts       map[rollout.Status]int `json:"counts"`
	Authorities  []Authority            `json:"authorities"`
	Certificates Certificates           `json:"certificates"`
	Versions     []rollout.Version      `json:"versions"`
	Summary      string                 `json:"summary"`
}

// RunningProxy is what a control plane knows about a proxy.
type RunningProxy struct {
	Type            string       `json:"type"`
	Mesh            string       `json:"mesh,omitzero"`
	Name            string       `json:"name"`
	Zone            string       `json:"zone,omitzero"`
	Status          string       `json:"status"`
	Connected       bool         `json:"connected"`
	Since           string       `json:"since,omitzero"`
	Instance        string       `json:"control_plane_instance,omitzero"`
	KumaDP          string       `json:"kuma_dp_version,omitzero"`
	Envoy           string       `json:"envoy_version,omitzero"`
	Supported       *bool        `json:"version_supported"`
	Features        []string     `json:"features"`
	MissingFeatures []string     `json:"missing_kuma3_features,omitzero"`
	UnreadyInbounds []string     `json:"unready_inbounds"`
	OwnsDataplane   bool         `json:"owns_dataplane"`
	Responses       *Responses   `json:"responses"`
	Certificate     *Certificate `json:"certificate"`
}

// Responses are the configurations that a proxy has got.
type Responses struct {
	Sent          int64    `json:"sent"`
	Acknowledged  int64    `json:"acknowledged"`
	Rejected      int64    `json:"rejected"`
	Pending       int64    `json:"pending"`
	RejectedTypes []string `json:"rejected_types"`
	Updated       string   `json:"updated,omitzero"`
}

// Certificate is the certificate of a proxy.
type Certificate struct {
	Issuer           string   `json:"issuer,omitzero"`
	Expires          string   `json:"expires,omitzero"`
	Regenerations    int64    `json:"regenerations"`
	LastRegeneration string   `json:"last_regeneration,omitzero"`
	Supported        []string `json:"supported_backends"`
}

// Authority is a certificate of a provided authority.
type Authority struct {
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Secret  string `json:"secret,omitzero"`
	Subject string `json:"subject,omitzero"`
	Expires string `json:"expires,omitzero"`
	Problem string `json:"problem,omitzero"`
}

// Certificates is what is known about the certificates of the connected Dataplanes.
type Certificates struct {
	Issuers       map[string]int `json:"issuers"`
	Without       []string       `json:"without"`
	WithoutCount  int            `json:"without_count"`
	Expiring      []string       `json:"expiring"`
	ExpiringCount int            `json:"expiring_count"`
	First         string         `json:"first_expiry,omitzero"`
	Ready         bool           `json:"ready"`
}

// OfProxies returns what is known about proxies, of which it lists those with a status, or all if it
// is empty, either completely or as many as a state should hold. Certificates that expire within the
// given time expire soon.
func OfProxies(now rollout.Reading, authorities []rollout.Authority, within time.Duration, status rollout.Status,
	complete bool,
) RunningProxies {
	rollout.WorstFirst(now.Proxies)
	var listed []RunningProxy
	for _, p := range now.Proxies {
		if status == "" || p.Status == status {
			listed = append(listed, runningProxy(p))
		}
	}
	c := rollout.ReadCertificates(now.Proxies, now.At, within)
	out := RunningProxies{
		Proxies: limited(listed, MaxProxies, complete), ZonesOffline: rollout.OfflineZones(now.Proxies),
		Counts: rollout.Count(now.Proxies), Versions: rollout.Versions(now.Proxies),
		Certificates: Certificates{
			Issuers: c.Issuers, Ready: c.Ready, First: timeOf(c.First),
			Without: limited(c.Without, MaxProxies, false), WithoutCount: len(c.Without),
			Expiring: limited(c.Expiring, MaxProxies, false), ExpiringCount: len(c.Expiring),
		},
		Summary: rollout.Summary(now.Proxies, c) + rollout.SummarizeAuthorities(authorities),
	}
	out.Omitted = len(listed) - len(out.Proxies)
	out.Authorities = phrase.Each(limited(authorities, MaxProxies, false), func(a rollout.Authority) Authority {
		return Authority{a.Resource.Type, a.Resource.Name, a.Secret, a.Subject, timeOf(a.Expires), a.Problem}
	})
	return out
}

func runningProxy(p rollout.Proxy) RunningProxy {
	out := RunningProxy{
		Type: p.Type, Mesh: p.Mesh, Name: p.Name, Zone: p.Zone, Status: string(p.Status), Connected: p.Connected, Since: timeOf(p.Since),
		Instance: p.ControlPlaneInstance, KumaDP: p.KumaDP, Envoy: p.Envoy, Features: p.Features, MissingFeatures: p.Required3(),
		UnreadyInbounds: p.UnreadyInbounds, OwnsDataplane: p.OwnsDataplane,
	}
	if p.KumaDP != "" || p.Envoy != "" {
		out.Supported = new(!p.Incompatible)
	}
	if n := p.Responses.Total; !p.Since.IsZero() {
		out.Responses = &Responses{
			n.Sent, n.Acknowledged, n.Rejected, n.Pending(), p.Responses.RejectedTypes(), timeOf(p.Responses.Updated),
		}
	}
	if c := p.Certificate; c != nil {
		out.Certificate = &Certificate{c.Issuer, timeOf(c.Expires), c.Regenerations, timeOf(c.LastRegeneration), c.SupportedBackends}
	}
	return out
}

// timeOf returns a time in RFC 3339 format, empty for the zero value.
func timeOf(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return rollout.Time(t)
}

// Rollout is which proxies have a change.
type Rollout struct {
	Complete     bool           `json:"complete"`
	Counts       map[string]int `json:"counts"`
	Rejected     []string       `json:"rejected"`
	Pending      []string       `json:"pending"`
	NotSent      []string       `json:"not_sent"`
	Offline      []string       `json:"offline"`
	ZonesOffline []string       `json:"zones_offline"`
	Changed      string         `json:"changed,omitzero"`
	Summary      string         `json:"summary"`
}

// OfRollout returns the progress of a change.
func OfRollout(r rollout.Result, c rollout.Change) Rollout {
	names := func(o rollout.Outcome) []string { return limited(r.Names(o), MaxProxies, false) }
	out := Rollout{
		Complete: r.Complete(), Counts: map[string]int{}, Rejected: names(rollout.Rejected), Pending: names(rollout.Pending),
		NotSent: names(rollout.NotSent), Offline: names(rollout.Disconnected),
		ZonesOffline: rollout.OfflineZones(r.Proxies[rollout.ZoneOffline]), Changed: timeOf(c.First), Summary: r.Summary(),
	}
	for _, o := range rollout.Outcomes() {
		out.Counts[string(o)] = len(r.Proxies[o])
	}
	return out
}

// ProxyConfig is the Envoy configuration of a proxy, or why there is none.
type ProxyConfig struct {
	Config      string              `json:"config,omitzero"`
	Resources   map[string][]string `json:"resources,omitzero"`
	Changes     []EnvoyChange       `json:"changes,omitzero"`
	ChangeCount *int                `json:"change_count"`
	Problem     string              `json:"problem,omitzero"`
	Summary     string              `json:"summary,omitzero"`
}

// EnvoyChange is a value that shadow policies would change.
type EnvoyChange struct {
	Type   string `json:"type"`
	Name   string `json:"name"`
	Path   string `json:"path"`
	Before string `json:"before,omitzero"`
	After  string `json:"after,omitzero"`
}

// SetChanges sets what shadow policies change in the configuration of a Dataplane.
func (c *ProxyConfig) SetChanges(dataplane string, changes []rollout.EnvoyChange) {
	rollout.SortChanges(changes)
	c.ChangeCount, c.Summary = new(len(changes)), rollout.ChangeSummary(dataplane, changes)
	c.Changes = phrase.Each(limited(changes, MaxProxies, false), func(e rollout.EnvoyChange) EnvoyChange {
		return EnvoyChange{e.Type, e.Name, e.Path, optionalJSON(e.Before), optionalJSON(e.After)}
	})
}

// optionalJSON returns a value as JSON, empty for none.
func optionalJSON(v any) string {
	if v == nil {
		return ""
	}
	return phrase.JSON(v)
}
