package provider

import (
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

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
