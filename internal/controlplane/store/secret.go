package store

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// OmitsSecret reports whether a resource has no value for a secret field. An empty string
// is a value.
func (r Resources) OmitsSecret(res kuma.Resource) bool {
	return slices.ContainsFunc(r.kind.SecretFields(), func(f def.Field) bool { return res.Body[f.Name] == nil })
}

// keepSecrets adds to a resource the stored secrets that it omits.
func (r Resources) keepSecrets(res, stored kuma.Resource) {
	for _, f := range r.kind.SecretFields() {
		if value, ok := stored.Body[f.Name]; ok && res.Body[f.Name] == nil {
			res.Body[f.Name] = value
		}
	}
}
