package store

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// Secrets returns the secret fields of a resource.
func (r Resources) Secrets(res kuma.Resource) map[string]any {
	secrets := map[string]any{}
	for _, f := range r.kind.SecretFields() {
		if value, ok := res.Body[f.Name]; ok {
			secrets[f.Name] = value
		}
	}
	return secrets
}

// WithSecrets returns a resource with the secrets that it omits: those of the
// stored one, or of the one that it replaces.
func WithSecrets(res kuma.Resource, secrets map[string]any) kuma.Resource {
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
