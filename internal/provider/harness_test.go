package provider_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider"
)

// factories serve the provider in process.
var factories = map[string]func() (tfprotov6.ProviderServer, error){
	"kuma": func() (tfprotov6.ProviderServer, error) { return provider.NewServer("test")(), nil }, //nolint:unparam // what the harness calls
}

// needCLI skips a test that runs Terraform where there is none.
func needCLI(tb testing.TB) {
	tb.Helper()
	if os.Getenv("TF_ACC_TERRAFORM_PATH") == "" {
		tb.Skip("TF_ACC_TERRAFORM_PATH names no terraform or tofu binary; `make test` sets it")
	}
}

// testControlPlane is the control plane of one test: an embedded one in a new directory,
// or the real one at KUMA_ENDPOINT.
type testControlPlane struct {
	client *controlplane.Client
	config string // the provider block
	dir    string // of the embedded one
}

func newTestControlPlane(t *testing.T) testControlPlane {
	t.Helper()
	if endpoint := os.Getenv("KUMA_ENDPOINT"); endpoint != "" {
		client, err := controlplane.New(controlplane.Config{Endpoint: endpoint, Token: os.Getenv("KUMA_TOKEN")})
		if err != nil {
			t.Fatal(err)
		}
		return testControlPlane{client: client, config: "provider \"kuma\" {}\n"}
	}
	dir := t.TempDir()
	server, err := embedded.New(embedded.Config{Directory: dir, Zone: "zone-1"})
	if err != nil {
		t.Fatal(err)
	}
	client, err := controlplane.New(controlplane.Config{Endpoint: "http://embedded", Transport: server.Transport()})
	if err != nil {
		t.Fatal(err)
	}
	config := fmt.Sprintf("provider \"kuma\" {\n  embedded {\n    directory = %q\n    zone      = \"zone-1\"\n  }\n}\n", dir)
	return testControlPlane{client: client, config: config, dir: dir}
}
