package provider_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider"
)

// cli runs Terraform in a directory, for features that the harness of terraform-plugin-testing
// does not support, such as for_each. The process of the tests serves the provider, anew for
// each command: starting a program for it takes most of the time of a command.
type cli struct {
	terraform string
	dir       string
	env       []string
	waits     provider.Waits // of the served provider
	sources   []string       // of the provider, as in required_providers
	separate  bool           // whether Terraform starts the provider as a program, as users do
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
	built.Store(&dir)
	return dir, nil
})

// built is the directory of binary, if a test has requested it.
var built atomic.Pointer[string]

func TestMain(m *testing.M) {
	if os.Getenv("TF_ACC_TERRAFORM_PATH") != "" {
		_ = os.Setenv("TF_ACC", "1") // the harness runs such tests only when asked to
	}
	if err := provider.SilenceLibraryLogs(); err != nil {
		log.Fatal(err)
	}
	code := m.Run()
	if dir := built.Load(); dir != nil {
		_ = os.RemoveAll(*dir)
	}
	os.Exit(code)
}

// source is that of the provider in required_providers.
const source = "kuma-universal/kuma"

// newCLI returns a command line in a new directory with the given files.
func newCLI(tb testing.TB, files map[string]string) cli {
	tb.Helper()
	c := cli{terraform: os.Getenv("TF_ACC_TERRAFORM_PATH"), dir: tb.TempDir(), env: append(os.Environ(), "TF_IN_AUTOMATION=1"), sources: []string{source}}
	for name, content := range files {
		write(tb, filepath.Join(c.dir, name), content)
	}
	return c
}

// separateProcess makes Terraform start the provider as a program: for tests about processes,
// their environment and their working directory.
func (c *cli) separateProcess(tb testing.TB) {
	tb.Helper()
	dir, err := binary()
	if err != nil {
		tb.Fatal(err)
	}
	config := filepath.Join(tb.TempDir(), "cli.tfrc")
	write(tb, config, fmt.Sprintf("provider_installation {\n  dev_overrides {\n    %q = %q\n  }\n  direct {}\n}\n", source, dir))
	c.env = append(c.env, "TF_CLI_CONFIG_FILE="+config)
	c.separate = true
}

// expectTimeout makes the provider wait less for requests. It is not the default, because a
// busy Terraform may then be late.
func (c *cli) expectTimeout() { c.waits = provider.Impatient }

// write writes a file. A provider that is served in this process has another working directory
// than Terraform, so a path in a root module, which is relative, becomes an absolute one.
func write(tb testing.TB, file, content string) {
	tb.Helper()
	content = strings.ReplaceAll(content, "${path.root}", filepath.ToSlash(filepath.Dir(file)))
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		tb.Fatal(err)
	}
}

// command is a command of Terraform that is not started.
func (c cli) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.terraform, args...)
	cmd.Dir, cmd.Env = c.dir, slices.Clip(c.env)
	return cmd
}

// execute runs a command, which serves the provider unless that is a program.
func (c cli) execute(tb testing.TB, cmd *exec.Cmd) error {
	tb.Helper()
	if !c.separate {
		reattach, stop := serve(tb, c.waits, c.sources)
		defer stop()
		cmd.Env = append(cmd.Env, "TF_REATTACH_PROVIDERS="+reattach)
	}
	return cmd.Run()
}

// serve serves a provider in this process until stop is called. It returns the value of
// TF_REATTACH_PROVIDERS, with which Terraform and OpenTofu connect to it.
func serve(tb testing.TB, waits provider.Waits, sources []string) (reattach string, stop func()) {
	tb.Helper()
	t, ok := tb.(*testing.T)
	if !ok {
		tb.Fatal("a benchmark starts the provider as a program")
	}
	ctx, cancel := context.WithCancel(context.Background())
	served, closed, failed := make(chan *plugin.ReattachConfig, 1), make(chan struct{}), make(chan error, 1)
	go func() {
		failed <- tf6server.Serve("registry.terraform.io/"+source, provider.NewServer("test", waits),
			tf6server.WithDebug(ctx, served, closed), tf6server.WithGoPluginLogger(hclog.NewNullLogger()), tf6server.WithoutLogStderrOverride(), tf6server.WithLoggingSink(t))
	}()
	select {
	case err := <-failed:
		cancel()
		tb.Fatal(err)
	case config := <-served:
		at := map[string]any{
			"Protocol": config.Protocol, "ProtocolVersion": config.ProtocolVersion, "Pid": config.Pid, "Test": config.Test,
			"Addr": map[string]string{"Network": config.Addr.Network(), "String": config.Addr.String()},
		}
		all := map[string]any{}
		for _, s := range sources {
			all["registry.terraform.io/"+s], all["registry.opentofu.org/"+s] = at, at
		}
		reattach = phrase.JSON(all)
	}
	return reattach, func() {
		cancel()
		<-closed
	}
}

// run returns what Terraform prints, and its exit code.
func (c cli) run(tb testing.TB, args ...string) (string, int) {
	tb.Helper()
	return c.runIn(tb.Context(), tb, args...)
}

// runIn is run with a context of its own, for cleanups, in which that of the test has ended.
func (c cli) runIn(ctx context.Context, tb testing.TB, args ...string) (string, int) {
	tb.Helper()
	var out bytes.Buffer
	cmd := c.command(ctx, append(args, "-no-color")...)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := c.execute(tb, cmd); cmd.ProcessState == nil {
		tb.Fatal(err)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// json runs a command that must succeed, and decodes the JSON that it prints.
func (c cli) json(tb testing.TB, to any, args ...string) {
	tb.Helper()
	var out, problems bytes.Buffer
	cmd := c.command(tb.Context(), args...)
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := c.execute(tb, cmd); err != nil {
		tb.Fatalf("terraform %v: %v\n%s%s", args, err, out.String(), problems.String())
	}
	if err := json.Unmarshal(out.Bytes(), to); err != nil {
		tb.Fatalf("terraform %v: %v", args, err)
	}
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
	c.json(t, &shown, "show", "-json", plan)
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
	c.json(t, &shown, "show", "-json", plan)
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
	var shown json.RawMessage
	c.json(t, &shown, "show", "-json", plan)
	return shown
}

// outputs returns the outputs in the state.
func (c cli) outputs(t *testing.T) map[string]any {
	t.Helper()
	var shown map[string]struct{ Value any }
	c.json(t, &shown, "output", "-json")
	values := map[string]any{}
	for name, o := range shown {
		values[name] = o.Value
	}
	return values
}

// version is that of the command line, the 11 of 1.11.
var version = sync.OnceValues(func() (int, error) {
	out, err := exec.Command(os.Getenv("TF_ACC_TERRAFORM_PATH"), "version", "-json").Output()
	if err != nil {
		return 0, fmt.Errorf("terraform version: %w", err)
	}
	var is struct {
		Terraform string `json:"terraform_version"`
	}
	if err := json.Unmarshal(out, &is); err != nil {
		return 0, err
	}
	var minor int
	if _, err := fmt.Sscanf(is.Terraform, "1.%d", &minor); err != nil {
		return 0, fmt.Errorf("terraform version %q: %w", is.Terraform, err)
	}
	return minor, nil
})

// isSince reports whether the version of the command line is 1.minor or later.
func (c cli) isSince(tb testing.TB, minor int) bool {
	tb.Helper()
	current, err := version()
	if err != nil {
		tb.Fatal(err)
	}
	return current >= minor
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
