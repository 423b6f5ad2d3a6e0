package upgrade

import "testing"

func TestReasonOfSelectorIsTheSameEachTime(t *testing.T) {
	t.Parallel()
	w := newWorld(nil, Options{})
	for range 20 {
		_, why := w.labelsFor("shop", map[string]string{"k8s.kuma.io/namespace": "a", "k8s.kuma.io/service-port": "80"}, true)
		if want := "Kuma 3.0 has no label for the tag k8s.kuma.io/namespace."; why != want {
			t.Fatalf("got %q, want %q", why, want)
		}
	}
}
