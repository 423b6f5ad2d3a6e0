package providertest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/runstate"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// CLI runs Terraform in a directory, for features that the harness of terraform-plugin-testing
// does not support, such as for_each. The process of the tests serves a new provider
// for each command: starting a program for it takes most of the time of a command.
type CLI struct {
	Terraform string
	Dir       string
	Env       []string
	waits     provider.Waits // of the served provider
	sources   []string       // of the provider, as in required_providers
	separate  bool           // whether Terraform starts the provider as a program, as users do
}

// Binary builds the provider once for all tests that run it.
var Binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "terraform-provider-kuma")
	if err != nil {
		return "", err
	}
	out, err := exec.Command("go", "build", "-o", filepath.Join(dir, "terraform-provider-kuma"), testworld.Path()).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	built.Store(&dir)
	return dir, nil
})

// built is the directory of binary, if a test has requested it.
var built atomic.Pointer[string]

// oldest is the oldest supported version of the command line, the 8 of 1.8.
const oldest = 8

// Main runs the tests of a package that run Terraform. It is called by TestMain.
func Main(m *testing.M) {
	if os.Getenv("TF_ACC_TERRAFORM_PATH") != "" {
		minor, err := version()
		if err == nil && minor < oldest {
			err = fmt.Errorf("its version is 1.%d", minor)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "TF_ACC_TERRAFORM_PATH must name Terraform or OpenTofu 1.%d or later: %v\n", oldest, err)
			os.Exit(1)
		}
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

// source is the source address of the provider in required_providers.
const source = "kuma-universal/kuma"

// NewCLI returns a command line in a new directory with the given files. It skips a test like
// [NeedCLI], which a test calls before what takes long.
func NewCLI(tb testing.TB, files map[string]string) CLI {
	tb.Helper()
	NeedCLI(tb)
	c := CLI{
		Terraform: os.Getenv("TF_ACC_TERRAFORM_PATH"), Dir: tb.TempDir(), Env: append(os.Environ(), "TF_IN_AUTOMATION=1"),
		sources: []string{source},
	}
	for name, content := range files {
		Write(tb, filepath.Join(c.Dir, name), content)
	}
	return c
}

// SeparateProcess makes Terraform start the provider as a program: for tests about processes,
// their environment and their working directory.
func (c *CLI) SeparateProcess(tb testing.TB) {
	tb.Helper()
	dir, err := Binary()
	testworld.NoError(tb, err)
	config := filepath.Join(tb.TempDir(), "cli.tfrc")
	Write(tb, config, fmt.Sprintf("provider_installation {\n  dev_overrides {\n    %q = %q\n  }\n  direct {}\n}\n", source, dir))
	c.Env = append(c.Env, "TF_CLI_CONFIG_FILE="+config)
	c.separate = true
}

// ExpectTimeout makes the provider wait less for requests. It is not the default, because a
// busy Terraform may then be late.
func (c *CLI) ExpectTimeout() { c.waits = Impatient }

// ExpectAdoption makes the provider wait for a deletion for longer than any test may take.
func (c *CLI) ExpectAdoption() {
	c.waits.Run = runstate.DefaultWaits
	c.waits.Run.Deletion = 24 * time.Hour
}

// Write writes a file. A provider that is served in this process has another working directory
// than Terraform, so a path in a root module, which is relative, becomes an absolute one.
func Write(tb testing.TB, file, content string) {
	tb.Helper()
	content = strings.ReplaceAll(content, "${path.root}", filepath.ToSlash(filepath.Dir(file)))
	testworld.NoError(tb, os.WriteFile(file, []byte(content), 0o600))
}

// Command is a command of Terraform that is not started.
func (c CLI) Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.Terraform, args...)
	cmd.Dir, cmd.Env = c.Dir, slices.Clip(c.Env)
	return cmd
}

// execute runs a command, which serves the provider unless that is a program.
func (c CLI) execute(tb testing.TB, cmd *exec.Cmd) error {
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
			tf6server.WithDebug(ctx, served, closed), tf6server.WithGoPluginLogger(hclog.NewNullLogger()), tf6server.WithoutLogStderrOverride(),
			tf6server.WithLoggingSink(t))
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

// Run returns what Terraform prints, and its exit code.
func (c CLI) Run(tb testing.TB, args ...string) (string, int) {
	tb.Helper()
	return c.runIn(tb.Context(), tb, args...)
}

// runIn is run with a context of its own, for cleanups, in which that of the test has ended.
func (c CLI) runIn(ctx context.Context, tb testing.TB, args ...string) (string, int) {
	tb.Helper()
	var out bytes.Buffer
	cmd := c.Command(ctx, append(args, "-no-color")...)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := c.execute(tb, cmd); cmd.ProcessState == nil {
		tb.Fatal(err)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// JSON runs a command that must succeed, and decodes the JSON that it prints.
func (c CLI) JSON(tb testing.TB, to any, args ...string) {
	tb.Helper()
	var out, problems bytes.Buffer
	cmd := c.Command(tb.Context(), args...)
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := c.execute(tb, cmd); err != nil {
		tb.Fatalf("terraform %v: %v\n%s%s", args, err, out.String(), problems.String())
	}
	if err := json.Unmarshal(out.Bytes(), to); err != nil {
		tb.Fatalf("terraform %v: %v", args, err)
	}
}

// Must runs a command that must succeed.
func (c CLI) Must(tb testing.TB, args ...string) string {
	tb.Helper()
	out, code := c.Run(tb, args...)
	if code != 0 {
		tb.Fatalf("terraform %v: exit code %d\n%s", args, code, out)
	}
	return out
}

// Apply writes main.tf and applies it.
func (c CLI) Apply(tb testing.TB, main string) {
	tb.Helper()
	Write(tb, filepath.Join(c.Dir, "main.tf"), main)
	c.Must(tb, "apply", "-auto-approve")
}

// PlannedOutputs returns the known outputs of the plan of a configuration.
func PlannedOutputs(t *testing.T, config string) map[string]any {
	t.Helper()
	c := NewCLI(t, map[string]string{"main.tf": config})
	c.Must(t, "plan", "-out=plan")
	return c.PlannedOutputs(t, "plan")
}

// PlannedOutputs returns the known outputs of a saved plan.
func (c CLI) PlannedOutputs(t *testing.T, plan string) map[string]any {
	t.Helper()
	var shown struct {
		PlannedValues struct {
			Outputs map[string]struct{ Value any }
		} `json:"planned_values"`
	}
	c.JSON(t, &shown, "show", "-json", plan)
	values := map[string]any{}
	for name, o := range shown.PlannedValues.Outputs {
		values[name] = o.Value
	}
	return values
}

// ReadData returns the values of a data source of the root module that was read
// for a saved plan.
func (c CLI) ReadData(t *testing.T, plan, address string) map[string]any {
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
	c.JSON(t, &shown, "show", "-json", plan)
	for _, r := range shown.PriorState.Values.RootModule.Resources {
		if r.Address == address {
			return r.Values
		}
	}
	t.Fatalf("plan %s has not read %s", plan, address)
	return nil
}

// Show returns a saved plan as JSON.
func (c CLI) Show(t *testing.T, plan string) []byte {
	t.Helper()
	var shown json.RawMessage
	c.JSON(t, &shown, "show", "-json", plan)
	return shown
}

// Outputs returns the outputs in the state.
func (c CLI) Outputs(t *testing.T) map[string]any {
	t.Helper()
	var state struct {
		Outputs map[string]struct{ Value any }
	}
	testworld.NoError(t, json.Unmarshal([]byte(testworld.Text(t, filepath.Join(c.Dir, "terraform.tfstate"))), &state))
	values := map[string]any{}
	for name, o := range state.Outputs {
		values[name] = o.Value
	}
	return values
}

// Output returns an output in the state that is a string.
func (c CLI) Output(t *testing.T, name string) string {
	t.Helper()
	text, ok := c.Outputs(t)[name].(string)
	if !ok {
		t.Fatalf("there is no string %s among the outputs", name)
	}
	return text
}

// version is the minor version of the command line, the 11 of 1.11.
var version = sync.OnceValues(func() (int, error) {
	out, err := exec.Command(os.Getenv("TF_ACC_TERRAFORM_PATH"), "version", "-json").Output()
	if err != nil {
		return 0, fmt.Errorf("terraform version: %w", err)
	}
	var is struct {
		Terraform string `json:"terraform_version"`
	}
	if err := json.Unmarshal(out, &is); err != nil {
		return 0, fmt.Errorf("terraform version: %w", err)
	}
	var minor int
	if _, err := fmt.Sscanf(is.Terraform, "1.%d", &minor); err != nil {
		return 0, fmt.Errorf("terraform version %q: %w", is.Terraform, err)
	}
	return minor, nil
})

// IsSince reports whether the version of the command line is 1.minor or later.
func (c CLI) IsSince(tb testing.TB, minor int) bool {
	tb.Helper()
	current, err := version()
	testworld.NoError(tb, err)
	return current >= minor
}

// The features of the command line that tests need, by the version 1.x that
// added them.
const (
	HasWriteOnly  = 11 // write-only arguments
	HasIdentities = 12 // import by identity
)

// NeedVersion skips a test for which the command line is too old.
func (c CLI) NeedVersion(tb testing.TB, minor int) {
	tb.Helper()
	if !c.IsSince(tb, minor) {
		tb.Skipf("the test needs version 1.%d of the command line", minor)
	}
}

// NeedQuery skips a test for which the command line has no `query`.
func (c CLI) NeedQuery(tb testing.TB) {
	tb.Helper()
	if _, code := c.Run(tb, "query", "-help"); code != 0 {
		tb.Skip("`query` and actions require Terraform 1.14 or later, and OpenTofu has neither")
	}
}

// Copy copies a directory below that of the command line.
func (c CLI) Copy(t *testing.T, from, to string) {
	t.Helper()
	testworld.NoError(t, os.CopyFS(filepath.Join(c.Dir, to), os.DirFS(from)))
}

// DestroysAll destroys the resources of a configuration, and checks that nothing else
// is left.
func (c CLI) DestroysAll(t *testing.T, cp ControlPlane) {
	t.Helper()
	if t.Failed() || t.Skipped() {
		return
	}
	// In a cleanup, the context of the test has ended.
	if out, code := c.runIn(context.Background(), t, "destroy", "-auto-approve"); code != 0 {
		t.Errorf("destroy: exit code %d\n%s", code, out)
		return
	}
	if err := cp.IsEmpty(); err != nil {
		t.Error(err)
	}
}

// Expression returns an expression that matches a message with any line breaks and
// frames.
func Expression(want string) *regexp.Regexp {
	want = strings.ReplaceAll(want, " .* ", `[\s\S]*`)
	return regexp.MustCompile(strings.ReplaceAll(want, " ", `[\s│]+`))
}

// lacking matches messages about what a control plane does not support, because of its
// release or its mode.
var lacking = regexp.MustCompile(`Kuma [^.]*since \d+\.\d+|requires Kuma [\d.]+ or later|Wrong control plane for \w+`)

// NeedMajor skips a test of an example for the other major release, which the control plane
// cannot plan.
func (c CLI) NeedMajor(t *testing.T, cp ControlPlane, example string) {
	t.Helper()
	other := only3
	if cp.ControlPlane.Release.Kuma3() {
		other = Only2
	}
	if !strings.HasPrefix(example, other) {
		return
	}
	if out, code := c.Run(t, "plan"); code == 0 {
		t.Fatalf("Kuma %s can plan an example that begins with %q:\n%s", cp.ControlPlane.Release, other, out)
	}
	t.Skipf("the example begins with %q", other)
}

// NeedRelease skips a test whose configuration needs a later release, or another
// mode, than that of a real control plane.
func (c CLI) NeedRelease(t *testing.T) {
	t.Helper()
	if RealEndpoint == "" {
		return
	}
	out, code := c.Run(t, "plan")
	if why := lacking.FindString(strings.Join(strings.Fields(out), " ")); code != 0 && why != "" {
		t.Skip(why)
	}
}

// OnlyMoves checks that a plan moves a number of resources and changes nothing.
func (c CLI) OnlyMoves(t *testing.T, count int) {
	t.Helper()
	out := c.Must(t, "plan")
	if got := strings.Count(out, " has moved to "); got != count || !strings.Contains(out, "Plan: 0 to add, 0 to change, 0 to destroy.") {
		t.Errorf("%d resources are moved, want %d and no change:\n%s", got, count, out)
	}
}

// PlanIsEmpty checks that there is nothing left to do.
func (c CLI) PlanIsEmpty(t *testing.T) {
	t.Helper()
	if out, code := c.Run(t, "plan", "-detailed-exitcode"); code != 0 {
		t.Errorf("the next plan is not empty:\n%s", out)
	}
}

// PretendToHaveKongMesh makes Terraform use this provider as kong/kong-mesh, which the state
// refers to. Terraform starts it for its schema, and sends no requests about
// its resources.
func (c *CLI) PretendToHaveKongMesh() {
	c.sources = append(c.sources, "kong/kong-mesh")
}

// Refused runs a command that must fail with a message, regardless of line
// breaks and frames.
func (c CLI) Refused(t *testing.T, want string, args ...string) {
	t.Helper()
	out, code := c.Run(t, args...)
	if code == 0 || !regexp.MustCompile(want).MatchString(Unwrapped(out)) {
		t.Errorf("terraform %v: exit code %d, want an error like %s:\n%s", args, code, want, out)
	}
}

// Unwrapped joins the lines of a message.
func Unwrapped(out string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("│", " ", "╷", " ", "╵", " ").Replace(out)), " ")
}
