package provider_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// factories serve the provider in process.
var factories = map[string]func() (tfprotov6.ProviderServer, error){
	"kuma": func() (tfprotov6.ProviderServer, error) { return provider.NewServer("test", provider.Waits{})(), nil }, //nolint:unparam // what the harness calls
}

// needCLI skips a test that runs Terraform where there is none.
func needCLI(tb testing.TB) {
	tb.Helper()
	if os.Getenv("TF_ACC_TERRAFORM_PATH") == "" {
		tb.Skip("TF_ACC_TERRAFORM_PATH names no terraform or tofu binary; `make test` sets it")
	}
}

// testControlPlane is the control plane of one test: an embedded one in a new
// directory, or the real one at KUMA_ENDPOINT.
type testControlPlane struct {
	*store.Store // what the control plane can do

	client   *controlplane.Client
	config   string            // the provider block
	endpoint string            // of a real control plane, or of a proxy in front of it
	dir      string            // of an embedded control plane, else empty
	initial  map[kuma.Key]bool // the resources that were there before the test
}

// newTestControlPlane returns the control plane at KUMA_ENDPOINT, or else an
// embedded one. It skips the test where a real one lacks something that the test
// needs.
func newTestControlPlane(t *testing.T, needs ...requirement) testControlPlane {
	t.Helper()
	if realEndpoint == "" {
		return newEmbedded(t)
	}
	return takeReal(t, needs)
}

// opener returns a new control plane for a test, as newTestControlPlane does.
type opener func(t *testing.T, needs ...requirement) testControlPlane

// Examples of what one major release does not have begin with one of these introductions.
const (
	only2 = "# Kuma 2.x only."
	only3 = "# Since Kuma 3.0,"
)

// onEachRelease runs a test on the control plane at KUMA_ENDPOINT, or else on an embedded
// one: of each release with NIGHTLY=1, otherwise of the newest. A test of an example for one
// major release runs on that.
func onEachRelease(t *testing.T, test func(t *testing.T, open opener), example ...string) {
	t.Helper()
	if realEndpoint != "" {
		test(t, func(t *testing.T, needs ...requirement) testControlPlane {
			t.Helper()
			return takeReal(t, needs)
		})
		return
	}
	releases := embedded.Releases()
	if !testworld.Nightly() {
		kuma3 := !slices.ContainsFunc(example, func(text string) bool { return strings.HasPrefix(text, only2) })
		releases = slices.DeleteFunc(releases, func(r kuma.Release) bool { return r.Kuma3() != kuma3 })
	}
	for _, release := range releases {
		t.Run("Kuma "+release.String(), func(t *testing.T) {
			t.Parallel()
			test(t, func(t *testing.T, needs ...requirement) testControlPlane {
				t.Helper()
				cp := newEmbeddedRelease(t, release)
				cp.skipUnless(t, needs)
				return cp
			})
		})
	}
}

// newEmbedded returns an embedded control plane of 2.14, also where KUMA_ENDPOINT names a
// real one: for tests that look at its files, or that need an empty one.
func newEmbedded(t *testing.T) testControlPlane {
	t.Helper()
	return newEmbeddedRelease(t, kuma.Newest2())
}

// newEmbeddedRelease returns an embedded control plane of a release.
func newEmbeddedRelease(t *testing.T, release kuma.Release) testControlPlane {
	t.Helper()
	dir := t.TempDir()
	server, err := embedded.New(embedded.Config{Directory: dir, Zone: "zone-1", Release: release})
	if err != nil {
		t.Fatal(err)
	}
	config := fmt.Sprintf("provider \"kuma\" {\n  embedded {\n    directory    = %q\n    zone         = \"zone-1\"\n    kuma_version = %q\n  }\n}\n", dir, release)
	cp := connect(t, controlplane.Config{Endpoint: "http://embedded", Transport: server.Transport()}, config)
	cp.dir = dir
	return cp
}

// connect returns the control plane that a client reaches.
func connect(t *testing.T, how controlplane.Config, config string) testControlPlane {
	t.Helper()
	client, err := controlplane.New(how)
	if err != nil {
		t.Fatal(err)
	}
	opened, err := store.Open(t.Context(), client, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return testControlPlane{Store: opened, client: client, config: config}
}
