package store

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// secretMembers returns the names of the members of a kind that a write leaves
// alone when it does not have them.
func secretMembers(k def.Kind) []string {
	var names []string
	for _, f := range k.Fields {
		if f.Secret {
			names = append(names, f.Name)
		}
	}
	return names
}

// Secrets returns the secret members of a resource.
func (r Resources) Secrets(res kuma.Resource) map[string]any {
	secrets := map[string]any{}
	for _, name := range secretMembers(r.kind) {
		if value, ok := res.Body[name]; ok {
			secrets[name] = value
		}
	}
	return secrets
}

// WithSecrets returns a resource with the secrets that it leaves alone: those of
// the stored one, or of the one that it replaces.
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
