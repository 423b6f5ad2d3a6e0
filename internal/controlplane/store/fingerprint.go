package store

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// Fingerprint identifies the user-defined part of a stored resource, independent
// of its spelling. Control planes update some resources continuously, so the
// modification time does not identify it. Secrets are the exception: their
// fingerprint is that time, because a hash would help to guess the secret. It is
// empty when the stored version is unknown.
func (r Resources) Fingerprint(stored kuma.Resource) string {
	const bytes = 15 // a multiple of 3 has no padding
	if len(r.kind.SecretFields()) > 0 {
		if stored.ModificationTime.IsZero() {
			return "" // it could not be read back
		}
		return stored.ModificationTime.Format(time.RFC3339Nano)
	}
	if Described(r.kind) {
		stored = r.kind.WithoutServerOwned(r.normal(stored))
	}
	text, _ := json.Marshal(stored.Document()) // decoded JSON cannot fail
	sum := sha256.Sum256(text)
	return base64.StdEncoding.EncodeToString(sum[:bytes])
}

// CheckUnchanged returns a [ChangedError] if a stored resource does not have the
// fingerprint. It accepts any resource with [Options.Overwrite], unless r is compared, or when the
// fingerprint is empty.
func (r Resources) CheckUnchanged(current kuma.Resource, fingerprint string) error {
	if fingerprint == "" || r.overwrites() || r.Fingerprint(current) == fingerprint {
		return nil
	}
	return &ChangedError{Key: current.Key(), At: current.ModificationTime}
}
