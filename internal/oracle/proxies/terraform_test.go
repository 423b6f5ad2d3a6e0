package proxies_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// waitForRollout changes the timeout of a fleet and waits until its proxies have it.
const waitForRollout = `
provider "kuma" {
  endpoint = %q
  existing = "adopt"
}
variable "request" {}
resource "kuma_mesh_timeout" "in" {
  mesh = "m"
  name = "in"
  spec {
    rules {
      default {
        http {
          request_timeout = var.request
        }
      }
    }
  }
}
data "kuma_rollout" "in" {
  mesh       = "m"
  depends_on = [kuma_mesh_timeout.in]
}
output "summary" { value = data.kuma_rollout.in.summary }
`

const requiredProvider = "terraform {\n  required_providers {\n    kuma = { source = \"kuma-universal/kuma\" }\n  }\n}\n"

// needTerraform returns the path of the command line that TF_ACC_TERRAFORM_PATH names.
func needTerraform(t *testing.T) string {
	t.Helper()
	path := os.Getenv("TF_ACC_TERRAFORM_PATH")
	if path == "" {
		t.Skip("TF_ACC_TERRAFORM_PATH names no terraform or tofu binary; `make proxies` sets it")
	}
	return path
}

// needActions returns the path of a command line that has actions.
func needActions(t *testing.T) string {
	t.Helper()
	path := needTerraform(t)
	if exec.CommandContext(t.Context(), path, "query", "-help").Run() != nil { // as old as actions
		t.Skip("actions require Terraform 1.14 or later, and OpenTofu has none")
	}
	return path
}

// newTerraform returns what runs a command of the Terraform binary on a configuration, with
// the provider of this working tree.
func newTerraform(t *testing.T, binary, configuration string) func(arguments ...string) ([]byte, error) {
	t.Helper()
	run, _ := newTerraformIn(t, binary, configuration)
	return run
}

// newTerraformIn also returns the directory of the configuration.
func newTerraformIn(t *testing.T, binary, configuration string) (run func(arguments ...string) ([]byte, error), dir string) {
	t.Helper()
	dir = t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, "terraform-provider-kuma"), ".")
	build.Dir = filepath.Join("..", "..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for name, text := range map[string]string{
		"main.tf":      configuration,
		"terraform.tf": requiredProvider,
		"cli.tfrc":     fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"kuma-universal/kuma\" = %q\n  }\n  direct {}\n}\n", dir),
	} {
		testworld.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return func(arguments ...string) ([]byte, error) {
		cmd := exec.CommandContext(t.Context(), binary, arguments...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "TF_CLI_CONFIG_FILE="+filepath.Join(dir, "cli.tfrc"))
		return cmd.CombinedOutput()
	}, dir
}

// TestRolloutThroughTerraform waits for a change by the data source kuma_rollout.
func TestRolloutThroughTerraform(t *testing.T) {
	terraform := needTerraform(t)
	cp := start(t)
	f := newFleet(t, cp, setting(t, "PROXIES", 20))
	run := newTerraform(t, terraform, fmt.Sprintf(waitForRollout, cp.Endpoint))
	apply := func(request, want string) {
		t.Helper()
		begin := time.Now()
		out, err := run("apply", "-auto-approve", "-no-color", "-var", "request="+request)
		t.Logf("%s: %.1f s", request, time.Since(begin).Seconds())
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%v\n%s\nwant %s", err, out, want)
		}
	}
	n := len(f.connected)
	apply("4s", fmt.Sprintf("The rollout is complete: of %d proxies, 2 offline and %d acknowledged.", n+2, n))
	for name := range f.connected {
		if !f.has(t, name, 4*time.Second) {
			t.Errorf("%s does not have the change", name)
		}
	}
	apply("4s", "The rollout is complete:") // nothing is written
	f.rejecting.Store(true)
	apply("5s", "keep the one that they had; the reason is in the log of the control plane: nack.")
}
