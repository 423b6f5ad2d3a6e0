package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
)

// Environment variables for arguments of the provider.
const (
	envEndpoint          = "KUMA_ENDPOINT"
	envToken             = "KUMA_TOKEN"
	envCACertificate     = "KUMA_CA_CERTIFICATE_FILE"
	envClientCertificate = "KUMA_CLIENT_CERTIFICATE_FILE"
	envClientKey         = "KUMA_CLIENT_KEY_FILE"
	envInsecure          = "KUMA_INSECURE_SKIP_VERIFY"
)

// existingResources is the setting for resources that already exist when they are
// created.
type existingResources string

const (
	existingRefuse     existingResources = "refuse"
	existingAdoptEqual existingResources = "adopt_equal"
	existingAdopt      existingResources = "adopt"
)

// connection is the data that the provider passes to resources and data sources.
type connection struct {
	// store is nil while the configuration is not known, or without one.
	store    *store.Store
	checks   policyChecks
	existing existingResources
	// verifies is true if an apply must replace the version that its plan has read.
	verifies bool
	run      *runState
	// longestName is the maximum length of a name, zero if only the kind limits it.
	longestName int
	// unknown is true if the configuration depends on values that are not known
	// until apply.
	unknown bool
}

// currentRun is the record of the run; an empty one without a configuration.
func (c *connection) currentRun() *runState {
	if c == nil {
		return newRunState()
	}
	return c.run
}

// capabilities returns what the control plane supports; everything without a control
// plane.
func (c *connection) capabilities() store.Capabilities {
	if c == nil || c.store == nil {
		return store.Capabilities{}
	}
	return c.store.Capabilities
}

// ready reports whether there is a control plane to talk to, and adds an error if not.
func (c *connection) ready(diags *diag.Diagnostics) bool {
	switch {
	case c != nil && c.store != nil:
		return true
	case c.isUnknown():
		diags.AddError("Unknown provider configuration",
			"The provider configuration depends on values that are not known until apply. Apply the resources that they come from first, for example with -target, or use values that are known during the plan.")
	default:
		diags.AddError("Missing control plane configuration",
			"Set endpoint in the provider block or the environment variable "+envEndpoint+", set context to a context of kumactl, or add an embedded block to run a control plane on a directory of files.")
	}
	return false
}

// isUnknown reports whether the provider's configuration is not known yet: what can be
// deferred to the apply is deferred.
func (c *connection) isUnknown() bool { return c != nil && c.unknown }
