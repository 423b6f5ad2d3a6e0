package rollout

import (
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestProxiesOfKuma3LackNothing checks that a proxy of Kuma 3.0, which no longer announces what all
// of its release can do, is not reported.
func TestProxiesOfKuma3LackNothing(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]bool{"2.14.3": true, "3.0.0": false, "3.0.1": false, "": true} {
		if got := len(Proxy{Connected: true, KumaDP: version}.Required3()) > 0; got != want {
			t.Errorf("kuma-dp %q lacks features: %t, want %t", version, got, want)
		}
	}
}

// TestRequired3 checks what proxies lack: a kuma-dp that Kuma 3.0 supports, and its own DNS server if the application
// resolves names by it.
func TestRequired3(t *testing.T) {
	t.Parallel()
	const transparent = `"dataplane": {"networking": {"transparentProxying": {"redirectPortInbound": 15006, "redirectPortOutbound": 15001}}}`
	read := func(version, features, more string) Proxy {
		o := testworld.JSON(t, `{"name": "web", `+more+`"dataplaneInsight": {"metadata": {`+features+`}, "subscriptions": [
{"connectTime": "2026-11-23T13:00:00Z", "version": {"kumaDp": {"version": "`+version+`"}}}]}}`)
		p, err := ReadProxy("Dataplane", o.(map[string]any)) //nolint:forcetypeassert // as written
		testworld.NoError(t, err)
		return p
	}
	const all = `"feature-delta-grpc", "feature-otel-via-kuma-dp", "feature-reuse-port", "feature-strict-inbound-ports", "feature-unified-resource-naming"`
	var proxies []Proxy
	for name, c := range map[string]struct {
		version, features, more string
		want                    []string
	}{
		"without redirection":  {"2.14.3", `"features": [` + all + `]`, "", nil},
		"CoreDNS":              {"2.14.3", `"features": [` + all + `]`, transparent + ", ", []string{"feature-embedded-dns"}},
		"own server":           {"2.14.3", `"features": [` + all + `, "feature-embedded-dns"]`, transparent + ", ", nil},
		"redirection of DNS":   {"2.14.3", `"features": [` + all + `], "transparentProxy": {"redirect": {"dns": {"enabled": true}}}`, "", []string{"feature-embedded-dns"}},
		"no redirected DNS":    {"2.14.3", `"features": [` + all + `], "transparentProxy": {"redirect": {"dns": {"enabled": false}}}`, transparent + ", ", nil},
		"unsupported kuma-dp":  {"2.13.12", `"features": ["feature-delta-grpc"]`, "", []string{"feature-unified-resource-naming", "kuma-dp 2.14"}},
		"kuma-dp without more": {"2.14.0", `"features": ["feature-delta-grpc", "feature-otel-via-kuma-dp", "feature-reuse-port"]`, "", []string{"feature-strict-inbound-ports", "feature-unified-resource-naming"}},
	} {
		p := read(c.version, c.features, c.more)
		if got := p.Required3(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		p.Name = name
		proxies = append(proxies, p)
	}
	slices.SortFunc(proxies, func(a, b Proxy) int { return strings.Compare(a.Name, b.Name) })
	testworld.Equal(t, "lines", []string{
		"feature-embedded-dns is missing on CoreDNS and redirection of DNS. Start kuma-dp with KUMA_DNS_PROXY_PORT=15053.",
		"feature-strict-inbound-ports is missing on kuma-dp without more.",
		"feature-unified-resource-naming is missing on kuma-dp without more and unsupported kuma-dp. Start kuma-dp with KUMA_DATAPLANE_RUNTIME_UNIFIED_RESOURCE_NAMING_ENABLED=true.",
		"kuma-dp 2.14 is missing on unsupported kuma-dp.",
	}, Unready3(proxies))
}
