package rollout_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/rollout"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// TestRecordedConfig reads the configuration of a proxy that 2.14 generated, with a shadow
// policy.
func TestRecordedConfig(t *testing.T) {
	t.Parallel()
	answer := tree.Object(testworld.JSON(t, testworld.Text(t, filepath.Join("testdata", "config", "shadow.json"))))
	config, changes := rollout.ReadEnvoyConfig(answer)
	wantNames := map[string][]string{"Cluster": {"self_inbound_dp_main"}, "Listener": {"self_inbound_dp_main"}, "Secret": {"system_mtls_ca_m", "system_mtls_identity_m"}}
	testworld.Equal(t, "names", wantNames, config.Names())
	want := []rollout.EnvoyChange{{
		Type: "Listener", Name: "self_inbound_dp_main", Before: "4s", After: "9s",
		Path: "filterChains[0].filters[0].typedConfig.routeConfig.virtualHosts[0].routes[0].route.timeout",
	}}
	testworld.Equal(t, "changes", want, changes)
	if secret := phrase.JSON(config["Secret"]["system_mtls_identity_m"]); !strings.Contains(secret, `"privateKey":"(sensitive value)"`) {
		t.Errorf("the secret is %s", secret)
	}
}

// TestChangesOfConfig reads patches that add, remove and replace.
func TestChangesOfConfig(t *testing.T) {
	t.Parallel()
	const listener = "/type.googleapis.com~1envoy.config.listener.v3.Listener/a"
	for name, c := range map[string]struct {
		patch string
		want  []rollout.EnvoyChange
	}{
		"added":    {`[{op: add, path: "` + listener + `/x~1y", value: 1}]`, []rollout.EnvoyChange{{Type: "Listener", Name: "a", Path: `["x/y"]`, After: "1"}}},
		"resource": {`[{op: remove, path: "` + listener + `", value: {}}]`, []rollout.EnvoyChange{{Type: "Listener", Name: "a", Before: "{}"}}},
		"two": {`[{op: remove, path: "` + listener + `/b", value: 1}, {op: add, path: "` + listener + `/c", value: 2}]`, []rollout.EnvoyChange{
			{Type: "Listener", Name: "a", Path: "b", Before: "1"}, {Type: "Listener", Name: "a", Path: "c", After: "2"},
		}},
		"key":   {`[{op: add, path: "` + listener + `/privateKey/inlineBytes", value: c2VjcmV0}]`, []rollout.EnvoyChange{{Type: "Listener", Name: "a", Path: "privateKey.inlineBytes", After: `"(sensitive value)"`}}},
		"short": {`[{op: add, path: "", value: 1}]`, nil},
	} {
		_, changes := rollout.ReadEnvoyConfig(testworld.Document(t, "diff: "+c.patch))
		for i := range changes {
			for _, v := range []*any{&changes[i].Before, &changes[i].After} {
				if *v != nil {
					*v = phrase.JSON(*v)
				}
			}
		}
		testworld.Equal(t, name, c.want, changes)
	}
}

func TestChangeSummary(t *testing.T) {
	t.Parallel()
	want := `Shadow policies change 2 values in the configuration of web:
  Listener in
    route.timeout: 4s -> 9s
    route.retry: (none) -> {"numRetries":3}
`
	got := rollout.ChangeSummary("web", []rollout.EnvoyChange{
		{Type: "Listener", Name: "in", Path: "route.timeout", Before: "4s", After: "9s"},
		{Type: "Listener", Name: "in", Path: "route.retry", After: map[string]any{"numRetries": 3}},
	})
	testworld.Equal(t, "result", want, got)
	if got := rollout.ChangeSummary("web", nil); got != "No shadow policy changes the configuration of web.\n" {
		t.Errorf("without changes: %s", got)
	}
}
