package rollout

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// WorstFirst sorts proxies: those that need attention first, then by type, mesh and
// name.
func WorstFirst(proxies []Proxy) {
	slices.SortFunc(proxies, func(a, b Proxy) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), kuma.CompareKeys(a.Key(), b.Key()))
	})
}

// Key returns the key of the resource of the proxy.
func (p Proxy) Key() kuma.Key { return kuma.Key{Type: p.Type, Mesh: p.Mesh, Name: p.Name} }

// rank is lower for proxies that need more attention.
func (p Proxy) rank() int {
	switch {
	case !p.ZoneOffline && p.Connected && p.Responses.Total.Rejected > 0:
		return 0
	case p.Status != Online:
		return 1 + slices.Index(Statuses(), p.Status)
	case p.Incompatible:
		return 4
	case p.Responses.Total.Pending() > 0:
		return 5
	default:
		return 6
	}
}

// Version is a combination of versions, and the number of connected proxies that have
// it.
type Version struct {
	KumaDP    string `json:"kuma_dp,omitzero"`
	Envoy     string `json:"envoy,omitzero"`
	Supported bool   `json:"supported"`
	Count     int    `json:"count"`
}

// Versions returns the versions of connected proxies, the most frequent first.
func Versions(proxies []Proxy) []Version {
	numbers := map[Version]int{}
	for _, p := range proxies {
		if p.Connected && !p.ZoneOffline {
			numbers[Version{KumaDP: p.KumaDP, Envoy: p.Envoy, Supported: !p.Incompatible}]++
		}
	}
	var out []Version
	for v, n := range numbers {
		v.Count = n
		out = append(out, v)
	}
	slices.SortFunc(out, func(a, b Version) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.KumaDP, b.KumaDP), cmp.Compare(a.Envoy, b.Envoy))
	})
	return out
}

// Count returns the number of proxies with each status.
func Count(proxies []Proxy) map[Status]int {
	out := map[Status]int{}
	for _, s := range Statuses() {
		out[s] = 0
	}
	for _, p := range proxies {
		out[p.Status]++
	}
	return out
}

// kumaDP14 is the oldest kuma-dp that Kuma 3.0 supports. Older ones with feature-readiness-unix-socket never get ready.
const kumaDP14, embeddedDNS = "kuma-dp 2.14", "feature-embedded-dns"

// required3 contains what Kuma 3.0 requires of kuma-dp, with the environment variables that enable what is disabled by
// default (read in 2.14.3).
var required3 = map[string]string{
	"feature-delta-grpc":              "KUMA_DATAPLANE_RUNTIME_ENVOY_XDS_TRANSPORT_PROTOCOL_VARIANT=DELTA_GRPC",
	embeddedDNS:                       "KUMA_DNS_PROXY_PORT=15053",
	"feature-otel-via-kuma-dp":        "",
	"feature-reuse-port":              "",
	"feature-strict-inbound-ports":    "",
	"feature-unified-resource-naming": "KUMA_DATAPLANE_RUNTIME_UNIFIED_RESOURCE_NAMING_ENABLED=true",
	kumaDP14:                          "",
}

// Required3 returns what Kuma 3.0 requires of kuma-dp and a connected proxy does not have, sorted: features, which it
// announces, and the release (proxies.md §1).
func (p Proxy) Required3() []string {
	release := kuma.ParseRelease(p.KumaDP)
	if !p.Connected || release.Kuma3() { // which does not announce them
		return nil
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(required3)), func(required string) bool {
		switch required {
		case kumaDP14:
			return release.Has("2.14")
		case embeddedDNS:
			return !p.ResolvesNames || slices.Contains(p.Features, required)
		default: // kuma-dp 2.14 has by default what no variable enables
			return slices.Contains(p.Features, required) || required3[required] == "" && !release.Has("2.14")
		}
	})
}

// Unready3 describes what Kuma 3.0 requires of the kuma-dp of proxies, as sentences.
func Unready3(proxies []Proxy) (all []string) {
	missing := map[string][]string{}
	for _, p := range proxies {
		for _, required := range p.Required3() {
			missing[required] = append(missing[required], p.Name)
		}
	}
	for _, required := range slices.Sorted(maps.Keys(missing)) {
		line := fmt.Sprintf("%s is missing on %s.", required, phrase.Some(missing[required], mostNames, ""))
		if variable := required3[required]; variable != "" {
			line += " Start kuma-dp with " + variable + "."
		}
		all = append(all, line)
	}
	return all
}

// mostNames is how many proxies a line of the summary names.
const mostNames = 10

// Summary describes proxies and their certificates for a person: their number by status,
// and the proxies that need attention.
func Summary(proxies []Proxy, c Certificates) string {
	if len(proxies) == 0 {
		return "There are no proxies.\n"
	}
	var b strings.Builder
	n := Count(proxies)
	fmt.Fprintf(&b, "%s: %d online, %d partially degraded, %d offline", phrase.Count(len(proxies), "proxy", "proxies"), n[Online],
		n[PartiallyDegraded], n[Offline])
	if n[Unknown] > 0 {
		fmt.Fprintf(&b, ", %d unknown", n[Unknown])
	}
	b.WriteString(".\n")
	lines := map[string][]string{}
	for _, p := range proxies {
		for problem, about := range p.problems() {
			lines[problem] = append(lines[problem], strings.TrimSpace(p.label()+" "+about))
		}
	}
	for _, problem := range problems {
		b.WriteString(summarizeNames(problem, lines[problem]))
	}
	for _, v := range Versions(proxies) {
		fmt.Fprintf(&b, "%s: kuma-dp %s, Envoy %s%s.\n", phrase.Count(v.Count, "proxy", "proxies"), cmp.Or(v.KumaDP, "unknown"),
			cmp.Or(v.Envoy, "unknown"), map[bool]string{false: ", not supported by the control plane"}[v.Supported])
	}
	c.summarize(&b)
	return b.String()
}

// summarize writes what needs attention about certificates. Without any, the mesh has no
// mutual TLS.
func (c Certificates) summarize(b *strings.Builder) {
	if len(c.Issuers) == 0 {
		return
	}
	b.WriteString(summarizeNames("Without a certificate", c.Without) + summarizeNames("Certificate expires soon", c.Expiring))
	fmt.Fprintf(b, "The first certificate expires at %s.\n", Time(c.First))
}

// Problems of proxies, in the order of the summary.
const (
	rejects      = "Rejected a configuration"
	zoneOffline  = "Not known, because the zone is not connected to the global control plane"
	never        = "Never connected"
	disconnected = "Disconnected"
	noInbound    = "No inbound is ready"
	someInbounds = "Some inbounds are not ready"
	unsupported  = "Version not supported"
	unanswered   = "Has not answered"
)

var problems = []string{rejects, zoneOffline, never, disconnected, noInbound, someInbounds, unsupported, unanswered}

// problems returns the problems of a proxy, with what there is to say about each.
func (p Proxy) problems() map[string]string {
	if p.ZoneOffline {
		return map[string]string{zoneOffline: ""}
	}
	out := map[string]string{}
	switch {
	case !p.Connected && p.Since.IsZero():
		out[never] = ""
	case !p.Connected:
		out[disconnected] = "since " + Time(p.Since)
	case p.Status == Offline:
		out[noInbound] = ""
	case p.Status == PartiallyDegraded:
		out[someInbounds] = "(" + phrase.Some(p.UnreadyInbounds, mostNames, "") + ")"
	}
	if !p.Connected {
		return out
	}
	if n := p.Responses.Total; n.Rejected > 0 {
		out[rejects] = fmt.Sprintf("(%d of %d)", n.Rejected, n.Sent)
	}
	if p.Incompatible {
		out[unsupported] = ""
	}
	if p.Responses.Total.Pending() > 0 {
		out[unanswered] = "since " + Time(p.Responses.Updated)
	}
	return out
}

// label names a proxy among others: dataplanes by their name alone.
func (p Proxy) label() string {
	name := p.Name
	if p.Type != kuma.KindDataplane {
		name = kuma.Describe(p.Type, p.Name, "")
	}
	if p.ZoneOffline {
		name += fmt.Sprintf(" (zone %s)", p.Zone)
	}
	return name
}

// Time writes a time like RFC 3339, in UTC and without fractions of a second.
func Time(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// RejectedTypes returns the types of resources of which the proxy has rejected a
// response.
func (r Responses) RejectedTypes() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(r.Types)), func(t string) bool { return r.Types[t].Rejected == 0 })
}
