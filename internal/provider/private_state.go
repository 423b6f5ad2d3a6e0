package provider

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
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
	// contentsKey is the key of the resources in a mesh that is to be destroyed, which the
	// plan has found in the state.
	contentsKey = "contents"
	// documentKey is the key of the document of a manifest as the control plane stored
	// it.
	documentKey = "stored"
)

// saveFingerprint saves the fingerprint of what a refresh or a write left, so that an
// apply can detect changes by other clients.
func (r resourceClient) saveFingerprint(ctx context.Context, private privateState, stored kuma.Resource, diags *diag.Diagnostics) {
	value, _ := json.Marshal(r.resources().Fingerprint(stored)) // marshaling a string cannot fail
	diags.Append(private.SetKey(ctx, fingerprintKey, value)...)
}

// savedFingerprint returns the fingerprint that [resourceClient.saveFingerprint]
// saved, empty without one.
func savedFingerprint(ctx context.Context, private privateReader, diags *diag.Diagnostics) string {
	value, d := private.GetKey(ctx, fingerprintKey)
	diags.Append(d...)
	var fingerprint string
	if json.Unmarshal(value, &fingerprint) != nil {
		return "" // there is no value
	}
	return fingerprint
}

// markKeyChange records that the plan gives a resource another key.
func markKeyChange(ctx context.Context, private privateState, diags *diag.Diagnostics) {
	diags.Append(private.SetKey(ctx, replacesKey, []byte("true"))...)
}

// creationOf returns from the private state of a plan without prior state whether it
// is the second half of a replacement, and whether of a resource with the same key.
// The creation of a new or tainted resource has no private state.
func creationOf(ctx context.Context, private privateReader, diags *diag.Diagnostics) creation {
	fingerprint, d := private.GetKey(ctx, fingerprintKey)
	diags.Append(d...)
	other, d := private.GetKey(ctx, replacesKey)
	diags.Append(d...)
	switch {
	case other != nil:
		return creationReplacement
	case fingerprint != nil:
		return creationSameKey
	default:
		return creationNew
	}
}
