package rollout

import (
	"slices"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// Certificates is what is known about the certificates of the connected Dataplanes.
type Certificates struct {
	Issuers  map[string]int // number of Dataplanes by who issued their certificate
	Without  []string       // names of Dataplanes without a certificate
	Expiring []string       // names of those whose certificate expires soon, or has expired
	First    time.Time      // when the first certificate expires; zero without certificates
	// Ready reports whether mutual TLS can be required now: every Dataplane has a valid
	// certificate, and all trust the same authorities. It is false without Dataplanes, and
	// if the zone of one is offline.
	Ready bool
}

// ReadCertificates returns what is known about the certificates of proxies at a time, by
// the clock of the control plane. Certificates that expire within the given time expire
// soon.
func ReadCertificates(proxies []Proxy, at time.Time, within time.Duration) Certificates {
	c := Certificates{Issuers: map[string]int{}}
	var trusted []string
	known, valid, equal := true, true, true
	for _, p := range proxies {
		if p.Type != kuma.KindDataplane || !p.Connected {
			continue
		}
		if p.ZoneOffline {
			known = false
			continue
		}
		own := p.Certificate
		if own == nil || own.Issuer == "" && own.Expires.IsZero() {
			c.Without = append(c.Without, p.Name)
			continue
		}
		authorities := slices.Sorted(slices.Values(own.SupportedBackends))
		if len(c.Issuers) == 0 {
			trusted = authorities
		}
		equal = equal && slices.Equal(trusted, authorities)
		valid = valid && own.Expires.After(at)
		c.Issuers[own.Issuer]++
		if c.First.IsZero() || own.Expires.Before(c.First) {
			c.First = own.Expires
		}
		if own.Expires.Before(at.Add(within)) {
			c.Expiring = append(c.Expiring, p.Name)
		}
	}
	slices.Sort(c.Without)
	slices.Sort(c.Expiring)
	c.Ready = len(c.Issuers) > 0 && len(c.Without) == 0 && known && valid && equal
	return c
}
