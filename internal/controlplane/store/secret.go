package store

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// secrets returns the secret fields of a resource.
func (r Resources) secrets(res kuma.Resource) map[string]any {
	secrets := map[string]any{}
	for _, f := range r.kind.SecretFields() {
		if value, ok := res.Body[f.Name]; ok {
			secrets[f.Name] = value
		}
	}
	return secrets
}

// OmitsSecret reports whether a resource has no value for a secret field. An empty string
// is a value.
func (r Resources) OmitsSecret(res kuma.Resource) bool {
	return slices.ContainsFunc(r.kind.SecretFields(), func(f def.Field) bool { return res.Body[f.Name] == nil })
}

// withSecrets returns a resource with the secrets that it omits.
func withSecrets(res kuma.Resource, secrets map[string]any) kuma.Resource {
	if len(secrets) == 0 {
		return res
	}
	res = res.Clone()
	for name, value := range secrets {
		if res.Body[name] == nil {
			res.Body[name] = value
		}
	}
	return res
}
