package proxies_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/rollout"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/upgrade"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestStageOneKeepsConfiguration shows that stage one of a rewriting to Kuma 3.0 changes nothing
// that a proxy of Kuma 2.14 is sent.
func TestStageOneKeepsConfiguration(t *testing.T) {
	cp := start(t)
	if cp.Info.Release.Kuma3() {
		t.Skip("stage one is for Kuma 2.14")
	}
	const mesh = "shop"
	before := store(t, cp, testworld.OldStyle(t, mesh))
	connected := connect(t, cp, before)
	was := sentTo(t, cp, mesh, connected)
	stored, err := cp.Stored(t.Context(), mesh)
	if err != nil {
		t.Fatal(err)
	}
	result, err := upgrade.Rewrite(stored, upgrade.Options{ControlPlane: cp.Info.ControlPlane})
	if err != nil {
		t.Fatal(err)
	}
	changed := 0
	for _, r := range result.StageOne {
		if slices.ContainsFunc(stored, func(s kuma.Resource) bool { return cmp.Equal(s.Document(), r.Document()) }) {
			continue
		}
		if rejection, err := cp.Put(t.Context(), r); err != nil || rejection != "" {
			t.Fatal(r.Key(), rejection, err)
		}
		changed++
	}
	for _, i := range result.Report.Of(upgrade.Removed) {
		if i.Stage == 1 {
			changed++
			cp.Remove(t.Context(), mesh, []kuma.Resource{{Type: i.Key.Type, Mesh: i.Key.Mesh, Name: i.Key.Name}})
		}
	}
	is := sentTo(t, cp, mesh, connected)
	t.Logf("%d documents changed, %d proxies compared", changed, len(was))
	for name := range was {
		if diff := cmp.Diff(was[name], is[name]); diff != "" {
			t.Errorf("%s is sent another configuration (-before +after):\n%s", name, diff)
		}
	}
}

// sentTo returns the configuration of the proxies once it is the same twice, without what
// differs although proxies do the same.
func sentTo(t *testing.T, cp *oracle.Site, mesh string, connected map[string]*proxies.Proxy) map[string]rollout.EnvoyConfig {
	t.Helper()
	var last map[string]rollout.EnvoyConfig
	err := oracle.Until(t.Context(), 2*time.Minute, 3*time.Second, "a settled configuration", func(ctx context.Context) (bool, error) {
		now := map[string]rollout.EnvoyConfig{}
		for name := range connected {
			answer, err := cp.Client.ProxyConfig(ctx, mesh, name, false)
			if err != nil {
				return false, fmt.Errorf("%s: %w", name, err)
			}
			now[name], _ = rollout.ReadEnvoyConfig(answer)
			forgetNames(now[name])
		}
		equal := cmp.Equal(last, now)
		last = now
		return equal, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return last
}

// forgetNames removes certificates, names of routes, the labels of endpoints, and how metrics
// reach their collector: by way of kuma-dp if a MeshOpenTelemetryBackend describes it.
func forgetNames(config rollout.EnvoyConfig) {
	delete(config, "Secret")
	for _, resources := range config {
		for name, resource := range resources {
			if strings.HasPrefix(name, "system_meshmetric_otel_") || name == "system_dynamicconfig" {
				delete(resources, name)
			}
			forgetNamesIn(resource)
		}
	}
}

func forgetNamesIn(v any) {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "io.kuma.labels")
		if v["match"] != nil {
			delete(v, "name")
		}
		for _, value := range v {
			forgetNamesIn(value)
		}
	case []any:
		for _, value := range v {
			forgetNamesIn(value)
		}
	}
}
