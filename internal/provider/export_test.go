package provider

import (
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/direct"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/runstate"
)

// Framework returns the framework's part of a server.
func Framework(s tfprotov6.ProviderServer) tfprotov6.ProviderServer { return s.(server).framework }

// Direct returns the answers that a server gives without the framework.
func Direct(s tfprotov6.ProviderServer) direct.Answers { return s.(server).direct }

// ShareRuns makes a server serve several runs, as in `terraform test` of Terraform 1.15. It
// reports whether the server was validated first, and would serve one run.
func ShareRuns(s tfprotov6.ProviderServer) (validated bool) {
	p := s.(server).provider
	cp := p.connection.Load()
	cp.Run = runstate.New(runstate.Options{Shared: true, Restarted: cp.Forget})
	p.run.Store(cp.Run)
	return p.validated.Load()
}

// Impatient are the waits of tests in process, in which no request is late, and of those
// that run Terraform and expect a timeout.
var Impatient = Waits{
	Run: runstate.Waits{
		State: time.Second, Forgotten: 500 * time.Millisecond, Deletion: 2 * time.Second, Adoption: 500 * time.Millisecond, Analysis: 100 * time.Millisecond,
	},
	Retry: 5 * time.Millisecond,
}

// Instance is a resource in the state; the zero value is none.
type Instance = instance

// Value returns the attributes, of no type when there is no resource.
func (i instance) Value() tftypes.Value { return i.value }

// Verbatim writes documents as they are.
var Verbatim = configuration.Options{Defaults: true, ComputedLabels: true, SecretValues: true}

// Shared by tests that run Terraform and those that run in process.
var (
	// Canonical makes equivalent documents comparable.
	Canonical = canonical
)
