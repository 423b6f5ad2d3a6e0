package rollout_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/rollout"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

func TestCertificates(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 23, 13, 0, 0, 0, time.UTC)
	with := func(name string, expires time.Duration, trusted ...string) rollout.Proxy {
		return rollout.Proxy{
			Type: kuma.KindDataplane, Name: name, Connected: true,
			Certificate: &rollout.Certificate{Issuer: "ca", Expires: at.Add(expires), SupportedBackends: trusted},
		}
	}
	without := rollout.Proxy{Type: kuma.KindDataplane, Name: "plain", Connected: true}
	offline := rollout.Proxy{Type: kuma.KindDataplane, Name: "offline"}
	egress := rollout.Proxy{Type: "ZoneEgress", Name: "egress", Connected: true}
	for name, c := range map[string]struct {
		proxies []rollout.Proxy
		want    rollout.Certificates
	}{
		"none":       {nil, rollout.Certificates{Issuers: map[string]int{}}},
		"no TLS":     {[]rollout.Proxy{without}, rollout.Certificates{Issuers: map[string]int{}, Without: []string{"plain"}}},
		"ready":      {[]rollout.Proxy{with("a", 48*time.Hour, "ca"), with("b", 72*time.Hour, "ca"), offline, egress}, rollout.Certificates{Issuers: map[string]int{"ca": 2}, First: at.Add(48 * time.Hour), Ready: true}},
		"one plain":  {[]rollout.Proxy{with("a", 48*time.Hour, "ca"), without}, rollout.Certificates{Issuers: map[string]int{"ca": 1}, Without: []string{"plain"}, First: at.Add(48 * time.Hour)}},
		"soon":       {[]rollout.Proxy{with("a", 23*time.Hour, "ca")}, rollout.Certificates{Issuers: map[string]int{"ca": 1}, Expiring: []string{"a"}, First: at.Add(23 * time.Hour), Ready: true}},
		"expired":    {[]rollout.Proxy{with("a", -time.Hour, "ca")}, rollout.Certificates{Issuers: map[string]int{"ca": 1}, Expiring: []string{"a"}, First: at.Add(-time.Hour)}},
		"other CAs":  {[]rollout.Proxy{with("a", 48*time.Hour, "ca"), with("b", 48*time.Hour, "ca", "new")}, rollout.Certificates{Issuers: map[string]int{"ca": 2}, First: at.Add(48 * time.Hour)}},
		"same order": {[]rollout.Proxy{with("a", 48*time.Hour, "new", "ca"), with("b", 48*time.Hour, "ca", "new")}, rollout.Certificates{Issuers: map[string]int{"ca": 2}, First: at.Add(48 * time.Hour), Ready: true}},
	} {
		if diff := cmp.Diff(c.want, rollout.ReadCertificates(c.proxies, at, 24*time.Hour)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestRecordedCertificates reads the certificates of MeshIdentities and of mutual TLS of a
// mesh.
func TestRecordedCertificates(t *testing.T) {
	t.Parallel()
	for release, issuer := range map[string]string{"2.14": "kri_mid_m_zone-1__identity_", "2.14-mesh-mtls": "ca", "3.0": "kri_mid_m_zone-1__identity_"} {
		c := rollout.ReadCertificates(recorded(t, filepath.Join("testdata", release+".json")), time.Date(2026, 11, 23, 13, 0, 0, 0, time.UTC), 0)
		if !c.Ready || c.Issuers[issuer] == 0 || len(c.Issuers) != 1 {
			t.Errorf("%s: %+v", release, c)
		}
	}
}
