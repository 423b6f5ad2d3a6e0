package provider

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// concurrentChanges says what becomes of a change by somebody else between the
// plan and its apply.
type concurrentChanges string

const (
	changesRefuse    concurrentChanges = "refuse"
	changesOverwrite concurrentChanges = "overwrite"
)

func parseConcurrentChanges(v types.String, diags *diag.Diagnostics) concurrentChanges {
	allowed := []string{string(changesRefuse), string(changesOverwrite)}
	switch c := concurrentChanges(v.ValueString()); c {
	case "", changesRefuse:
		return changesRefuse
	case changesOverwrite:
		return c
	default:
		diags.AddAttributeError(path.Root("concurrent_changes"), "Unknown value", fmt.Sprintf("concurrent_changes is %q. Write %s.%s", v.ValueString(), spec.Or(allowed...), spec.Suggest(v.ValueString(), allowed)))
		return changesRefuse
	}
}

// privateState is what a resource keeps beside its state.
type privateState interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// seenKey holds the fingerprint of what the last refresh saw.
const seenKey = "seen"

// see notes what a refresh saw, so that an apply can tell whether it is still
// so. Control planes change some resources all the time, so the time of the last
// change does not tell.
func (r remote) see(ctx context.Context, private privateState, stored mesh.Resource, diags *diag.Diagnostics) {
	setSeen(ctx, private, r.fingerprint(stored), diags)
}

// unsee is called after a write: what it made of the resource is not known
// before the next refresh.
func unsee(ctx context.Context, private privateState, diags *diag.Diagnostics) {
	setSeen(ctx, private, "", diags)
}

func setSeen(ctx context.Context, private privateState, fingerprint string, diags *diag.Diagnostics) {
	value, _ := json.Marshal(fingerprint) // text cannot fail
	diags.Append(private.SetKey(ctx, seenKey, value)...)
}

// seen returns what [remote.see] noted, empty when that was nothing.
func seen(ctx context.Context, private privateState, diags *diag.Diagnostics) string {
	value, d := private.GetKey(ctx, seenKey)
	diags.Append(d...)
	var fingerprint string
	if json.Unmarshal(value, &fingerprint) != nil {
		return "" // there is no value
	}
	return fingerprint
}

// fingerprint identifies what users write of a resource. That of a secret is the
// time of its last change: a hash in the state would help to guess the secret.
func (r remote) fingerprint(stored mesh.Resource) string {
	const bytes = 15 // a multiple of 3 has no padding
	if secretNames(r.kind) != nil {
		return stored.ModificationTime.Format(time.RFC3339Nano)
	}
	if described(r.kind) {
		stored = r.kind.WithoutServerOwned(stored)
	}
	text, _ := json.Marshal(stored.Document()) // decoded JSON cannot fail
	sum := sha256.Sum256(text)
	return base64.StdEncoding.EncodeToString(sum[:bytes])
}

// unchanged reports whether a resource is what the plan saw, and says in the
// diagnostics if it is not.
func (r remote) unchanged(current mesh.Resource, seen string, diags *diag.Diagnostics) bool {
	if seen == "" || r.cp.changes == changesOverwrite || r.fingerprint(current) == seen {
		return true
	}
	diags.AddError("Somebody else changed the resource",
		fmt.Sprintf("%s was changed at %s, after this plan was made, and applying it would undo that. Plan again to see the difference. To overwrite such changes, set concurrent_changes = \"overwrite\" in the provider block.",
			current.Key(), current.ModificationTime.Format("2006-01-02 15:04:05 MST")))
	return false
}
