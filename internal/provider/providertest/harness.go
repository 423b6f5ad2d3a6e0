package providertest

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/runstate"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// Factories serve the provider in process.
var Factories = map[string]func() (tfprotov6.ProviderServer, error){
	"kuma": func() (tfprotov6.ProviderServer, error) { //nolint:unparam // what the harness calls
		return provider.NewServer("test", provider.Waits{})(), nil
	},
}

// NeedCLI skips a test that runs Terraform where there is none.
func NeedCLI(tb testing.TB) {
	tb.Helper()
	if os.Getenv("TF_ACC_TERRAFORM_PATH") == "" {
		tb.Skip("TF_ACC_TERRAFORM_PATH names no terraform or tofu binary; `make test` sets it")
	}
}

// NeedNightly skips a test that takes long and repeats much of what others test.
func NeedNightly(tb testing.TB) {
	tb.Helper()
	if !testworld.Nightly() {
		tb.Skip("takes long; `make nightly` sets NIGHTLY=1")
	}
}

// ControlPlane is the control plane of one test: an embedded one in a new
// directory, or the real one at KUMA_ENDPOINT.
type ControlPlane struct {
	*store.Store // what the control plane can do

	Client   *controlplane.Client
	Config   string            // the provider block
	Endpoint string            // of a real control plane, or of a proxy in front of it
	Dir      string            // of an embedded control plane, else empty
	initial  map[kuma.Key]bool // the resources that were there before the test
}

// NewControlPlane returns the control plane at KUMA_ENDPOINT, or else an
// embedded one. It skips the test where a real one lacks something that the test
// needs.
func NewControlPlane(t *testing.T, needs ...Requirement) ControlPlane {
	t.Helper()
	if RealEndpoint == "" {
		return NewEmbedded(t)
	}
	return TakeReal(t, needs)
}

// ConfigWith returns the provider block with another argument.
func (cp ControlPlane) ConfigWith(argument string) string {
	return strings.Replace(cp.Config, "provider \"kuma\" {\n", "provider \"kuma\" {\n  "+argument+"\n", 1)
}

// Await waits until a condition is met, for longer than a busy machine needs.
func Await(t *testing.T, condition string, met func() bool) {
	t.Helper()
	const long = 5 * time.Minute
	for deadline := time.Now().Add(long); !met(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not true after %s: %s", long, condition)
		}
	}
}

// Opener returns a new control plane for a test, as newTestControlPlane does.
type Opener func(t *testing.T, needs ...Requirement) ControlPlane

// Examples of what one major release does not have begin with one of these introductions.
const (
	Only2 = "# Kuma 2.x only."
	only3 = "# Since Kuma 3.0,"
)

// OnEachRelease runs a test on the control plane at KUMA_ENDPOINT, or else on an embedded
// one: of each release with NIGHTLY=1, otherwise of the newest. A test of an example for one
// major release runs on that.
func OnEachRelease(t *testing.T, test func(t *testing.T, open Opener), example ...string) {
	t.Helper()
	if RealEndpoint != "" {
		test(t, NewControlPlane)
		return
	}
	releases := embedded.Releases()
	if !testworld.Nightly() {
		kuma3 := !slices.ContainsFunc(example, func(text string) bool { return strings.HasPrefix(text, Only2) })
		releases = slices.DeleteFunc(releases, func(r kuma.Release) bool { return r.Kuma3() != kuma3 })
	}
	for _, release := range releases {
		t.Run("Kuma "+release.String(), func(t *testing.T) {
			t.Parallel()
			test(t, func(t *testing.T, needs ...Requirement) ControlPlane {
				t.Helper()
				cp := NewEmbeddedRelease(t, release)
				cp.skipUnless(t, needs)
				return cp
			})
		})
	}
}

// NewEmbedded returns an embedded control plane of 2.14, also where KUMA_ENDPOINT names a
// real one: for tests that look at its files, or that need an empty one.
func NewEmbedded(t *testing.T) ControlPlane {
	t.Helper()
	return NewEmbeddedRelease(t, kuma.Newest2())
}

// NewEmbeddedRelease returns an embedded control plane of a release.
func NewEmbeddedRelease(t *testing.T, release kuma.Release) ControlPlane {
	t.Helper()
	dir := t.TempDir()
	server := newServer(t, dir, release)
	config := fmt.Sprintf(
		"provider \"kuma\" {\n  embedded {\n    directory    = %q\n    zone         = \"zone-1\"\n    kuma_version = %q\n  }\n}\n", dir, release)
	cp := Connect(t, controlplane.Config{Endpoint: "http://embedded", Transport: server.Transport()}, config)
	cp.Dir = dir
	return cp
}

// Connect returns the control plane that a client reaches.
func Connect(t *testing.T, how controlplane.Config, config string) ControlPlane {
	t.Helper()
	client, err := controlplane.New(how)
	testworld.NoError(t, err)
	opened, err := store.Open(t.Context(), client, store.Options{})
	testworld.NoError(t, err)
	return ControlPlane{Store: opened, Client: client, Config: config}
}

// Impatient are the waits of tests in process, in which no request is late, and of those
// that run Terraform and expect a timeout.
var Impatient = provider.Waits{
	Run: runstate.Waits{
		State: time.Second, Forgotten: 500 * time.Millisecond, Deletion: 2 * time.Second, Adoption: 500 * time.Millisecond,
		Analysis: 100 * time.Millisecond,
	},
	Retry: 5 * time.Millisecond,
}

// Verbatim writes documents as they are.
var Verbatim = configuration.Options{Defaults: true, ComputedLabels: true, SecretValues: true}
