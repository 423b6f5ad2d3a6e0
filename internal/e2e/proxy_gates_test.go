package e2e_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// gateServer is a control plane to which the proxy of the Dataplane checkout-1 of mesh
// shop is connected.
type gateServer struct {
	providertest.FollowingServer
	broken atomic.Bool // whether the configuration cannot be generated
}

func (s *gateServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case !strings.HasSuffix(r.URL.Path, "/_config"):
		s.FollowingServer.ServeHTTP(w, r)
	case s.broken.Load():
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = fmt.Fprint(w, `{"type": "/std-errors", "status": 500, "title": "Failed to inspect proxy config", "detail": "Internal Server Error"}`)
	default:
		_, _ = fmt.Fprint(w, `{"xds": {}, "diff": []}`)
	}
}

// newGateServer returns a control plane with a healthy proxy.
func newGateServer(t *testing.T) *gateServer {
	t.Helper()
	s := &gateServer{}
	s.Mesh, s.Step = "shop", providertest.StepBeyond
	for _, o := range providertest.RecordedOverviews(t) {
		if proxy := tree.Object(o); proxy["name"] == "web" {
			proxy["mesh"], proxy["name"] = "shop", "checkout-1"
			s.Overviews = []any{proxy}
		}
	}
	s.expire(24 * time.Hour)
	return s
}

func (s *gateServer) insight() map[string]any {
	return tree.Object(tree.Object(s.Overviews[0])["dataplaneInsight"])
}

func (s *gateServer) expire(after time.Duration) {
	tree.Object(s.insight()["mTLS"])["certificateExpirationTime"] = time.Now().Add(after).UTC().Format(time.RFC3339)
}

// proxyGate is a condition on running proxies in an example.
type proxyGate struct {
	file    string // has the condition; in examples
	with    string // another file that it needs
	spoil   func(s *gateServer)
	message string
}

const timeoutGate = "4s" // of the change that a proxy rejects

var proxyGates = map[string]proxyGate{
	"offline": {"data-sources/kuma_proxies/data-source.tf", "", func(s *gateServer) {
		tree.Objects(s.insight()["subscriptions"])[0]["disconnectTime"] = "2026-11-23T13:20:00Z"
	}, "Disconnected (1): checkout-1 since 2026-11-23T13:20:00Z."},
	"rejects": {"data-sources/kuma_proxies/data-source.tf", "", func(s *gateServer) {
		status := tree.Object(tree.Objects(s.insight()["subscriptions"])[0]["status"])
		tree.Object(status["total"])["responsesRejected"] = "1"
	}, "Rejected a configuration (1): checkout-1"},
	"no certificate": {"data-sources/kuma_proxies/data-source-before-strict-mutual-tls.tf", "", func(s *gateServer) {
		delete(s.insight(), "mTLS")
	}, "Check block assertion failed"},
	"certificate expires": {"data-sources/kuma_proxies/data-source-before-strict-mutual-tls.tf", "", func(s *gateServer) {
		s.expire(time.Hour)
	}, "Certificate expires soon (1): checkout-1."},
	"kuma-dp owns the Dataplane": {"data-sources/kuma_proxies/data-source-dataplanes-with-two-owners.tf", "", func(s *gateServer) {
		tree.Object(s.insight()["metadata"])["dataplane.resource"] = "{}"
	}, "kuma-dp manages the Dataplanes of checkout-1."},
	"running side rejects": {"guides/drift/running.tf", "", func(s *gateServer) {
		tree.Object(tree.Object(tree.Objects(s.insight()["subscriptions"])[0]["status"])["total"])["responsesRejected"] = "1"
	}, "checkout-1: the configuration is rejected."},
	"running side is not generated": {"guides/drift/running.tf", "", func(s *gateServer) {
		s.broken.Store(true)
	}, "checkout-1: the configuration is not generated."},
	"no configuration": {"data-sources/kuma_proxy_config/data-source.tf", "", func(s *gateServer) {
		s.broken.Store(true)
	}, "The control plane cannot generate the configuration"},
	"rollout": {"data-sources/kuma_rollout/data-source.tf", "", func(s *gateServer) {
		s.Rejects = []string{"checkout-1"}
	}, "The rollout is not complete: of 1 proxy, 1 rejected."},
	"rollout of the guide": {"guides/stage/rollout.tf", "guides/stage/policy.tf", func(s *gateServer) {
		s.Rejects = []string{"checkout-1"}
	}, "The rollout is not complete: of 1 proxy, 1 rejected."},
}

// TestProxyGates checks that the conditions of examples on running proxies warn.
func TestProxyGates(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	for name, g := range proxyGates {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newGateServer(t)
			policy := ""
			if g.with != "" {
				policy = strings.Replace(testworld.Text(t, filepath.Join(providertest.Examples, g.with)), "default     = true", "default     = false", 1)
			}
			c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + server.Start(t, server) + providertest.CheckoutProxy})
			c.Must(t, "apply", "-auto-approve")
			text := testworld.Text(t, filepath.Join(providertest.Examples, g.file)) + policy
			providertest.Write(t, filepath.Join(c.Dir, "gate.tf"), text)
			if out := c.Must(t, "apply", "-auto-approve"); strings.Contains(out, "Check block assertion failed") {
				t.Fatalf("the condition fails although the proxy is healthy:\n%s", out)
			}
			server.Mutex.Lock()
			g.spoil(server)
			server.Mutex.Unlock()
			providertest.Write(t, filepath.Join(c.Dir, "gate.tf"), strings.Replace(text, `request_timeout = "5s"`, `request_timeout = "`+timeoutGate+`"`, 1))
			if out := c.Must(t, "apply", "-auto-approve"); !strings.Contains(out, "Check block assertion failed") || !strings.Contains(providertest.Unwrapped(out), g.message) {
				t.Errorf("the message %q is missing:\n%s", g.message, out)
			}
		})
	}
}
