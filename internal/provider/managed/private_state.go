package managed

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/runstate"
)

// privateState is what a resource stores beside its state.
type privateState interface {
	privateReader
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

type privateReader interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}

// Keys of the private state. They are stored in the states of users.
const (
	// fingerprintKey is the key of the fingerprint that the last refresh or write
	// left.
	fingerprintKey = "seen"
	// replacesKey is set in the first half of the plan of a replacement when the
	// resource gets another key. The second half sees the private state of the first.
	replacesKey = "replaces"
	// contentsKey is the key of the resources in a mesh that the plan destroys together with
	// the mesh, with their fingerprints.
	contentsKey = "destroyed"
	// replacementKey is the key of the replacement of a resource with another key. The
	// deletion has the private state of the creation.
	replacementKey = "replacement"
	// relabelsKey is set beside it when labels change that an update cannot change.
	relabelsKey = "relabels"
	// overwritesKey is the key of the resource that a planned creation writes over, if
	// that is the one that it replaces. The deletion in a replacement has the private
	// state of the creation.
	overwritesKey = "overwrites"
	// installationKey is the key of the control plane of the fingerprint: a saved plan may be
	// applied to another one, which has no or an equal resource.
	installationKey = "installation"
	// documentKey is the key of the document of a manifest as the control plane stored
	// it.
	documentKey = "stored"
)

// save saves a value in the private state, as JSON.
func save(ctx context.Context, private privateState, key string, value any, diags *diag.Diagnostics) {
	text, _ := json.Marshal(value) // marshaling strings and booleans cannot fail
	diags.Append(private.SetKey(ctx, key, text)...)
}

// saved reads a value that [save] saved, and reports whether there is one.
func saved(ctx context.Context, private privateReader, key string, value any, diags *diag.Diagnostics) bool {
	text, d := private.GetKey(ctx, key)
	diags.Append(d...)
	return json.Unmarshal(text, value) == nil
}

// forgetPlan removes what a plan has saved for its apply, after a deletion that failed: the
// private state remains in the state.
func forgetPlan(ctx context.Context, private privateState, diags *diag.Diagnostics) {
	for _, key := range []string{replacesKey, contentsKey, replacementKey, relabelsKey, overwritesKey} {
		diags.Append(private.SetKey(ctx, key, nil)...)
	}
}

// saveFingerprint saves the fingerprint of what a refresh or a write left, so that an
// apply can detect changes by other clients.
func (r resourceClient) saveFingerprint(ctx context.Context, private privateState, stored kuma.Resource, diags *diag.Diagnostics) {
	save(ctx, private, fingerprintKey, r.Resources().Fingerprint(stored), diags)
	if id := r.cp.Capabilities().Installation; id != "" {
		save(ctx, private, installationKey, id, diags)
	}
}

// CheckInstallation reports that a change of a resource was planned for another control plane.
func (r resourceClient) CheckInstallation(ctx context.Context, key kuma.Key, private privateReader, diags *diag.Diagnostics) {
	var planned string
	if now := r.cp.Capabilities().Installation; saved(ctx, private, installationKey, &planned, diags) && now != "" && planned != now {
		diags.AddError("Plan for another control plane",
			fmt.Sprintf("%s was not changed: the plan is for the control plane %s, and this is %s. "+
				"Check the endpoint of the provider, and plan again without -refresh=false.", key, planned, now))
	}
}

// SavedFingerprint returns the fingerprint that [resourceClient.saveFingerprint]
// saved, empty without one.
func SavedFingerprint(ctx context.Context, private privateReader, diags *diag.Diagnostics) string {
	var fingerprint string
	saved(ctx, private, fingerprintKey, &fingerprint, diags)
	return fingerprint
}

// creationOf returns from the private state of a plan without prior state whether it
// is the second half of a replacement, and whether of a resource with the same key.
// The creation of a new or tainted resource has no private state.
func creationOf(ctx context.Context, private privateReader, diags *diag.Diagnostics) runstate.Creation {
	var fingerprint string
	var other bool
	switch {
	case saved(ctx, private, replacesKey, &other, diags):
		return runstate.CreationReplacement
	case saved(ctx, private, fingerprintKey, &fingerprint, diags):
		return runstate.CreationSameKey
	default:
		return runstate.CreationNew
	}
}
