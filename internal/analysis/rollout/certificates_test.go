package rollout_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/rollout"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
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
		testworld.Equal(t, name, c.want, rollout.ReadCertificates(c.proxies, at, 24*time.Hour))
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

// issue returns a certificate that expires at the beginning of a year, after its private key.
func issue(t *testing.T, name string, year int) string {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	testworld.NoError(t, err)
	template := x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotAfter: time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, public, private)
	testworld.NoError(t, err)
	key, err := x509.MarshalPKCS8PrivateKey(private)
	testworld.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})) + string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// TestAuthorities has each place in which a resource names an authority.
func TestAuthorities(t *testing.T) {
	t.Parallel()
	encoded := func(name string, year int) string {
		return base64.StdEncoding.EncodeToString([]byte(issue(t, name, year)))
	}
	ca := func(certificate string) string {
		return fmt.Sprintf("{type: MeshIdentity, mesh: m, name: i, spec: {provider: {type: Bundled, bundled: {ca: {certificate: %s}}}}}", certificate)
	}
	backend := func(kind, cert string) string {
		return fmt.Sprintf("{type: Mesh, name: m, mtls: {backends: [{name: ca, type: %s, conf: {cert: %s}}]}}", kind, cert)
	}
	trust := fmt.Sprintf("{type: MeshTrust, mesh: m, name: t, spec: {trustDomain: td, caBundles: [{type: Pem, pem: {value: %q}}]}}", issue(t, "new", 2032)+issue(t, "old", 2030))
	secrets := map[string]string{"ca": encoded("secret", 2031), "text": base64.StdEncoding.EncodeToString([]byte("password")), "empty": ""}
	for name, tt := range map[string]struct {
		document string
		want     []string
	}{
		"Secret of a Mesh":           {backend("provided", "{secret: ca}"), []string{"Mesh m ca CN=secret 2031"}},
		"inline in a Mesh":           {backend("provided", "{inline: "+encoded("inline", 2029)+"}"), []string{"Mesh m  CN=inline 2029"}},
		"string in a Mesh":           {backend("provided", fmt.Sprintf("{inlineString: %q}", issue(t, "string", 2029))), []string{"Mesh m  CN=string 2029"}},
		"file of a control plane":    {backend("provided", "{file: /ca.crt}"), []string{"Mesh m  Only the control plane reads the certificate."}},
		"builtin":                    {backend("builtin", "{}"), nil},
		"Secret of a MeshIdentity":   {ca("{type: Secret, secretRef: {kind: Secret, name: ca}}"), []string{"MeshIdentity i ca CN=secret 2031"}},
		"inline in a MeshIdentity":   {ca(fmt.Sprintf("{type: InsecureInline, insecureInline: {value: %q}}", issue(t, "inline", 2029))), []string{"MeshIdentity i  CN=inline 2029"}},
		"variable of a MeshIdentity": {ca("{type: EnvVar, envVar: {name: CA}}"), []string{"MeshIdentity i  Only the control plane reads the certificate."}},
		"generated":                  {"{type: MeshIdentity, mesh: m, name: i, spec: {provider: {type: Bundled, bundled: {insecureAllowSelfSigned: true, autogenerate: {enabled: true}}}}}", nil},
		"several of a MeshTrust":     {trust, []string{"MeshTrust t  CN=old 2030", "MeshTrust t  CN=new 2032"}},
		"no certificate":             {backend("provided", "{secret: text}"), []string{"Mesh m text There is no valid certificate in PEM format."}},
		"empty Secret":               {backend("provided", "{secret: empty}"), []string{"Mesh m empty There is no valid certificate in PEM format."}},
		"missing Secret":             {backend("provided", "{secret: none}"), []string{"Mesh m none missing"}},
		"unknown ones first":         {trust + "\n---\n" + backend("provided", "{secret: none}"), []string{"Mesh m none missing", "MeshTrust t  CN=old 2030", "MeshTrust t  CN=new 2032"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, a := range rollout.Authorities(testworld.Resources(t, tt.document), kuma.Newest2(), func(name string) (data, problem string) {
				if data, ok := secrets[name]; ok {
					return data, ""
				}
				return "", "missing"
			}) {
				about := a.Problem
				if about == "" {
					about = fmt.Sprintf("%s %d", a.Subject, a.Expires.Year())
				}
				got = append(got, fmt.Sprintf("%s %s %s %s", a.Resource.Type, a.Resource.Name, a.Secret, about))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestRejectedAuthority has an authority in a Secret that only Kuma 2.14 accepts.
func TestRejectedAuthority(t *testing.T) {
	t.Parallel()
	identity := testworld.Resources(t, "{type: MeshIdentity, mesh: m, name: i, spec: {provider: {type: Bundled, bundled: {ca: {certificate: {type: Secret, secretRef: {kind: Secret, name: ca}}}}}}}")
	for release, want := range map[kuma.Release]string{
		kuma.Newest2(): "",
		{Major: 3}:     "The MeshIdentity issues no certificates, because its authority does not have the basic constraint CA:TRUE.",
	} {
		got := rollout.Authorities(identity, release, func(string) (data, problem string) {
			return base64.StdEncoding.EncodeToString([]byte(issue(t, "ca", 2031))), ""
		})
		if len(got) != 1 || got[0].Problem != want || got[0].Expires.Year() != 2031 {
			t.Errorf("on %s: %+v, want the problem %q", release, got, want)
		}
		summary := rollout.SummarizeAuthorities(got)
		if strings.Contains(summary, "Authority without effect (1): MeshIdentity i.") != (want != "") {
			t.Errorf("on %s: %s", release, summary)
		}
	}
}

func TestSummarizeAuthorities(t *testing.T) {
	t.Parallel()
	first := rollout.Authority{Subject: "CN=a", Expires: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)}
	first.Resource.Type, first.Resource.Name = "MeshTrust", "t"
	unknown := rollout.Authority{Problem: "missing"}
	unknown.Resource.Type, unknown.Resource.Name = "Mesh", "m"
	want := "Authority not known (1): Mesh m.\nThe first authority expires at 2030-01-01T00:00:00Z: CN=a of MeshTrust t.\n"
	if diff := cmp.Diff(want, rollout.SummarizeAuthorities([]rollout.Authority{unknown, first})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff("", rollout.SummarizeAuthorities(nil)); diff != "" {
		t.Error(diff)
	}
}
