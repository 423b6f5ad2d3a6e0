package connection

import (
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/runstate"
)

// Environment variables for arguments of the provider.
const (
	EnvEndpoint          = "KUMA_ENDPOINT"
	EnvToken             = "KUMA_TOKEN"
	EnvCACertificate     = "KUMA_CA_CERTIFICATE_FILE"
	EnvClientCertificate = "KUMA_CLIENT_CERTIFICATE_FILE"
	EnvClientKey         = "KUMA_CLIENT_KEY_FILE"
	EnvInsecure          = "KUMA_INSECURE_SKIP_VERIFY"
)

// Existing is the setting for resources that already exist when they are
// created.
type Existing string

// The values of the argument `existing`.
const (
	ExistingRefuse     Existing = "refuse"
	ExistingAdoptEqual Existing = "adopt_equal"
	ExistingAdopt      Existing = "adopt"
)

// Connection is the data that the provider passes to resources and data sources.
type Connection struct {
	// Store is nil while the configuration is not known, or without one.
	Store      *store.Store
	Checks     PolicyChecks
	References ReferenceChecks
	Existing   Existing
	// Verifies is true if an apply must replace the version that its plan has read.
	Verifies bool
	Run      *runstate.State
	// LongestName is the maximum length of a name, zero if only the kind limits it.
	LongestName int
	// Unknown is true if the configuration depends on values that are not known
	// until apply.
	Unknown bool

	owners   dataplaneOwners
	deferred deferredChecks
}

// CurrentRun is the record of the run; an empty one without a configuration.
func (c *Connection) CurrentRun() *runstate.State {
	if c == nil {
		return runstate.New(runstate.Options{})
	}
	return c.Run
}

// Forget discards what earlier requests have read.
func (c *Connection) Forget() {
	if c.Store != nil {
		c.Store.Forget()
	}
}

// Capabilities returns what the control plane supports; everything without a control
// plane.
func (c *Connection) Capabilities() store.Capabilities {
	if c == nil || c.Store == nil {
		return store.Capabilities{}
	}
	return c.Store.Capabilities
}

// Ready reports whether there is a control plane to talk to, and adds an error if not.
func (c *Connection) Ready(diags *diag.Diagnostics) bool {
	switch {
	case c != nil && c.Store != nil:
		return true
	case c.IsUnknown():
		diags.AddError("Unknown provider configuration",
			"The provider configuration depends on values that are not known until apply. "+
				"Apply the resources that they come from first, for example with -target, or use values that are known during the plan.")
	default:
		diags.AddError("Missing control plane configuration",
			"Set endpoint in the provider block or the environment variable "+EnvEndpoint+
				", set context to a context of kumactl, or add an embedded block to run a control plane on a directory of files.")
	}
	return false
}

// IsUnknown reports whether the provider's configuration is not known yet: what can be
// deferred to the apply is deferred.
func (c *Connection) IsUnknown() bool { return c != nil && c.Unknown }
