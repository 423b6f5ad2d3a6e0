package provider_test

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider"
)

// cli runs Terraform with the provider as a separate program, as users do, for
// features that the in-process harness does not support, such as for_each.
type cli struct {
	terraform string
	dir       string
	env       []string
}

// binary builds the provider once for all tests that run it.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "terraform-provider-kuma")
	if err != nil {
		return "", err
	}
	out, err := exec.Command("go", "build", "-o", filepath.Join(dir, "terraform-provider-kuma"), "../..").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return dir, nil
})

// asProvider is set where Terraform starts the program of the tests as the provider: see
// [cli.expectTimeout].
const asProvider = "TF_PLUGIN_MAGIC_COOKIE"

func TestMain(m *testing.M) {
	if os.Getenv(asProvider) != "" {
		if err := tf6server.Serve("registry.terraform.io/kuma-universal/kuma", provider.NewServer("test", provider.Impatient)); err != nil {
			log.Fatal(err)
		}
		return
	}
	withCLI := os.Getenv("TF_ACC_TERRAFORM_PATH") != ""
	if withCLI {
		_ = os.Setenv("TF_ACC", "1") // the harness runs such tests only when asked to
	}
	code := m.Run()
	if withCLI {
		if dir, err := binary(); err == nil {
			_ = os.RemoveAll(dir)
		}
	}
	os.Exit(code)
}

// newCLI returns a command line in a new directory with the given files.
func newCLI(tb testing.TB, files map[string]string) cli {
	tb.Helper()
	built, err := binary()
	if err != nil {
		tb.Fatal(err)
	}
	c := cli{terraform: os.Getenv("TF_ACC_TERRAFORM_PATH"), dir: tb.TempDir(), env: append(os.Environ(), "TF_IN_AUTOMATION=1")}
	c.use(tb, built)
	for name, content := range files {
		write(tb, filepath.Join(c.dir, name), content)
	}
	return c
}

// use makes Terraform start the provider in a directory.
func (c *cli) use(tb testing.TB, dir string) {
	tb.Helper()
	config := filepath.Join(tb.TempDir(), "cli.tfrc")
	write(tb, config, fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"kuma-universal/kuma\" = %q\n  }\n  direct {}\n}\n", dir))
	c.env = append(c.env, "TF_CLI_CONFIG_FILE="+config)
}

// expectTimeout makes Terraform start the program of the tests as the provider, which waits
// less for requests. It is not the default, because a busy Terraform may then be late.
func (c *cli) expectTimeout(tb testing.TB) {
	tb.Helper()
	program, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	dir := tb.TempDir()
	if err := os.Symlink(program, filepath.Join(dir, "terraform-provider-kuma")); err != nil {
		tb.Fatal(err)
	}
	c.use(tb, dir)
}

func write(tb testing.TB, file, content string) {
	tb.Helper()
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		tb.Fatal(err)
	}
}

// run returns what Terraform prints, and its exit code.
func (c cli) run(tb testing.TB, args ...string) (string, int) {
	tb.Helper()
	cmd := exec.CommandContext(tb.Context(), c.terraform, append(args, "-no-color")...)
	cmd.Dir, cmd.Env = c.dir, c.env
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		tb.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// must runs a command that must succeed.
func (c cli) must(tb testing.TB, args ...string) string {
	tb.Helper()
	out, code := c.run(tb, args...)
	if code != 0 {
		tb.Fatalf("terraform %v: exit code %d\n%s", args, code, out)
	}
	return out
}

// plannedOutputs returns the known outputs of a saved plan.
func (c cli) plannedOutputs(t *testing.T, plan string) map[string]any {
	t.Helper()
	var shown struct {
		PlannedValues struct {
			Outputs map[string]struct{ Value any }
		} `json:"planned_values"`
	}
	if err := json.Unmarshal(c.show(t, plan), &shown); err != nil {
		t.Fatal(err)
	}
	values := map[string]any{}
	for name, o := range shown.PlannedValues.Outputs {
		values[name] = o.Value
	}
	return values
}

// readData returns the values of a data source of the root module that was read
// for a saved plan.
func (c cli) readData(t *testing.T, plan, address string) map[string]any {
	t.Helper()
	var shown struct {
		PriorState struct {
			Values struct {
				RootModule struct {
					Resources []struct {
						Address string
						Values  map[string]any
					}
				} `json:"root_module"`
			}
		} `json:"prior_state"`
	}
	if err := json.Unmarshal(c.show(t, plan), &shown); err != nil {
		t.Fatal(err)
	}
	for _, r := range shown.PriorState.Values.RootModule.Resources {
		if r.Address == address {
			return r.Values
		}
	}
	t.Fatalf("plan %s has not read %s", plan, address)
	return nil
}

// show returns a saved plan as JSON.
func (c cli) show(t *testing.T, plan string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), c.terraform, "show", "-json", plan)
	cmd.Dir, cmd.Env = c.dir, c.env
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("terraform show: %v\n%s", err, out)
	}
	return out
}

// outputs returns the outputs in the state.
func (c cli) outputs(t *testing.T) map[string]any {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), c.terraform, "output", "-json")
	cmd.Dir, cmd.Env = c.dir, c.env
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("terraform output: %v\n%s", err, out)
	}
	var shown map[string]struct{ Value any }
	if err := json.Unmarshal(out, &shown); err != nil {
		t.Fatal(err)
	}
	values := map[string]any{}
	for name, o := range shown {
		values[name] = o.Value
	}
	return values
}

// isSince reports whether the version of the command line is 1.minor or later.
func (c cli) isSince(tb testing.TB, minor int) bool {
	tb.Helper()
	var version struct {
		Terraform string `json:"terraform_version"`
	}
	if err := json.Unmarshal([]byte(c.must(tb, "version", "-json")), &version); err != nil {
		tb.Fatal(err)
	}
	var major, current int
	if _, err := fmt.Sscanf(version.Terraform, "%d.%d", &major, &current); err != nil {
		tb.Fatalf("version %q: %v", version.Terraform, err)
	}
	return major > 1 || current >= minor
}

// The features of the command line that tests need, by the version 1.x that
// added them.
const (
	hasWriteOnly  = 11 // write-only arguments
	hasIdentities = 12 // import by identity
)

// needVersion skips a test for which the command line is too old.
func (c cli) needVersion(tb testing.TB, minor int) {
	tb.Helper()
	if !c.isSince(tb, minor) {
		tb.Skipf("the test needs version 1.%d of the command line", minor)
	}
}

// needQuery skips a test for which the command line has no `query`.
func (c cli) needQuery(tb testing.TB) {
	tb.Helper()
	if _, code := c.run(tb, "query", "-help"); code != 0 {
		tb.Skip("`query` and actions require Terraform 1.14 or later, and OpenTofu has neither")
	}
}
