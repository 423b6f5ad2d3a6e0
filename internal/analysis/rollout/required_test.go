package rollout

import "testing"

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
