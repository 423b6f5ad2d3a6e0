package provider

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// concurrentChanges says what to do about a change that another client made between
// the plan and its apply.
type concurrentChanges string

const (
	changesRefuse    concurrentChanges = "refuse"
	changesOverwrite concurrentChanges = "overwrite"
)

// privateState is what a resource keeps beside its state.
type privateState interface {
	privateReader
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

type privateReader interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}

// seenKey holds the fingerprint of what the last refresh saw.
const seenKey = "seen"

// see notes what is stored, as a refresh or a write left it, so that an apply can
// tell whether it is still so. Control planes change some resources all the time,
// so the time of the last change does not tell.
func (r remote) see(ctx context.Context, private privateState, stored kuma.Resource, diags *diag.Diagnostics) {
	value, _ := json.Marshal(r.fingerprint(stored)) // text cannot fail
	diags.Append(private.SetKey(ctx, seenKey, value)...)
}

// seen returns what [remote.see] noted, empty when that was nothing.
func seen(ctx context.Context, private privateReader, diags *diag.Diagnostics) string {
	value, d := private.GetKey(ctx, seenKey)
	diags.Append(d...)
	var fingerprint string
	if json.Unmarshal(value, &fingerprint) != nil {
		return "" // there is no value
	}
	return fingerprint
}

// replacesKey is set in the first half of the plan of a replacement when the
// resource gets another key. The second half sees the private state of the first.
const replacesKey = "replaces"

// markKeyChange notes that the plan gives a resource another key.
func markKeyChange(ctx context.Context, private privateState, diags *diag.Diagnostics) {
	diags.Append(private.SetKey(ctx, replacesKey, []byte("true"))...)
}

// creationOf tells from the private state of a plan without prior state whether it
// is the second half of a replacement, and whether of a resource with the same key.
// The creation of a new resource has no private state; neither has that of a
// tainted one.
func creationOf(ctx context.Context, private privateReader, diags *diag.Diagnostics) creation {
	fingerprint, d := private.GetKey(ctx, seenKey)
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

// fingerprint identifies what users write of a resource, in any spelling. That of
// a secret is the time of its last change: a hash in the state would help to
// guess the secret.
func (r remote) fingerprint(stored kuma.Resource) string {
	const bytes = 15 // a multiple of 3 has no padding
	if tfschema.SecretNames(r.kind) != nil {
		if stored.ModificationTime.IsZero() {
			return "" // it could not be read back
		}
		return stored.ModificationTime.Format(time.RFC3339Nano)
	}
	if described(r.kind) {
		stored = r.kind.WithoutServerOwned(r.normal(stored))
	}
	text, _ := json.Marshal(stored.Document()) // decoded JSON cannot fail
	sum := sha256.Sum256(text)
	return base64.StdEncoding.EncodeToString(sum[:bytes])
}

// unchanged returns a [changedError] unless a resource is what the plan saw.
func (r remote) unchanged(current kuma.Resource, seen string) error {
	if seen == "" || r.cp.changes == changesOverwrite || r.fingerprint(current) == seen {
		return nil
	}
	return &changedError{key: current.Key(), at: current.ModificationTime}
}

// asSeen reports whether a stored resource is what the last refresh or write left,
// and says so if it is not: Terraform plans again while it applies, and has to come
// to the same plan.
func (r remote) asSeen(ctx context.Context, stored kuma.Resource, private privateReader, diags *diag.Diagnostics) bool {
	if stored.Name == "" {
		return true // deleted, or not readable: the apply finds out
	}
	err := r.unchanged(stored, seen(ctx, private, diags))
	r.reportWrite(diags, stored.Key(), err)
	return err == nil
}

// changedError says that another client changed a resource after the plan.
type changedError struct {
	key     kuma.Key
	deleted bool
	at      time.Time // of the change, if the control plane tells
}

func (e *changedError) Error() string {
	what := "was changed by another client"
	switch {
	case e.deleted:
		what = "was deleted by another client"
	case !e.at.IsZero():
		what += " at " + e.at.Format("2006-01-02 15:04:05 MST")
	}
	return fmt.Sprintf("%s %s, and applying this plan would overwrite that change. Run terraform plan again to review it. To overwrite such changes, set concurrent_changes = \"overwrite\" in the provider block", e.key, what)
}
