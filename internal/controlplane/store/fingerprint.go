package store

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// Fingerprint identifies what users write of a stored resource, in any spelling.
// Control planes change some resources all the time, so the time of the last
// change does not tell. The fingerprint of a secret is that time all the same: a
// hash in the hands of others would help to guess the secret. It is empty when
// nothing is known.
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

// CheckUnchanged returns a [ChangedError] unless a stored resource is the one with
// a fingerprint. With [Options.Overwrite], or where the fingerprint is empty, it
// always is.
func (r Resources) CheckUnchanged(current kuma.Resource, fingerprint string) error {
	if fingerprint == "" || r.store.options.Overwrite || r.Fingerprint(current) == fingerprint {
		return nil
	}
	return &ChangedError{Key: current.Key(), At: current.ModificationTime}
}
