package rollout_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// triggersWait changes a policy, and waits for the change by an action.
func triggersWait(timeout string) string {
	return strings.Replace(changesPolicy, "# TRIGGER", `
  depends_on = [kuma_dataplane.all]
  lifecycle {
    action_trigger {
      events  = [after_update]
      actions = [action.kuma_wait_for_rollout.in]
    }
  }`, 1) + `
action "kuma_wait_for_rollout" "in" {
  config {
    mesh    = "m"
    timeout = "` + timeout + `"
    names   = ["gone", "two", "web"]
  }
}
`
}

// TestWaitForRolloutAction triggers the action by a change of a policy.
func TestWaitForRolloutAction(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	config := triggersWait("10m")
	for name, c := range map[string]struct {
		rejects []string
		step    time.Duration // of the clock of the control plane
		want    string
		code    int
	}{
		"acknowledged": {nil, providertest.StepBeyond, "The rollout is complete: of 3 proxies, 1 offline and 2 acknowledged.", 0},
		"rejected":     {[]string{"two"}, providertest.StepBefore, "The rollout is not complete: of 3 proxies, 1 rejected, 1 pending and 1 offline. Rejected the configuration, and keep the one that they had; the reason is in the log of the control plane: two.", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := providertest.NewFollowingServer(t, c.rejects, nil)
			server.Step = c.step
			run := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + server.Start(t, server) + config})
			run.NeedQuery(t) // actions are as old
			run.Must(t, "apply", "-auto-approve")
			out, code := run.Run(t, "apply", "-auto-approve", "-var", "request=4s")
			if code != c.code || !strings.Contains(providertest.Unwrapped(out), c.want) {
				t.Errorf("exit code %d:\n%s", code, out)
			}
			if out, code := run.Run(t, "plan", "-detailed-exitcode", "-var", "request=4s"); code != 0 {
				t.Errorf("the change is not in the state:\n%s", out)
			}
		})
	}
}

// TestWaitForRolloutActionIsInterrupted interrupts Terraform while the action waits.
func TestWaitForRolloutActionIsInterrupted(t *testing.T) {
	t.Parallel()
	server := providertest.NewFollowingServer(t, nil, []string{"web"})
	run := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + server.Start(t, server) + triggersWait("24h")})
	run.NeedQuery(t)
	run.Must(t, "apply", "-auto-approve")
	interruptWait(t, run, server, "-var", "request=4s")
}

// TestActionExamples applies the example of each action.
func TestActionExamples(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	for _, file := range testworld.Files(t, filepath.Join(providertest.Examples, "actions", "*", "action*.tf")) {
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) {
			providertest.NewCLI(t, nil).NeedQuery(t) // actions are as old
			cp := providertest.NewControlPlane(t)
			c := providertest.ExampleOn(t, cp, map[string]string{"example.tf": providertest.CheckoutProxy})
			t.Cleanup(func() { cp.DeleteSecrets(t) }) // those of an action are in no state
			providertest.Write(t, filepath.Join(c.Dir, "action.tf"), testworld.Text(t, file))
			if out := c.Must(t, "apply", "-auto-approve"); !strings.Contains(providertest.Unwrapped(out), "Actions: 1 invoked") {
				t.Errorf("%s invokes no action:\n%s", file, out)
			}
		})
	}
}
