package rollout

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/rollout"
	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

// authorityModel is a certificate of a provided authority.
type authorityModel struct {
	Kind    string       `tfsdk:"kind"`
	Name    string       `tfsdk:"name"`
	Secret  types.String `tfsdk:"secret"`
	Subject types.String `tfsdk:"subject"`
	Expires types.String `tfsdk:"expires"`
	Problem types.String `tfsdk:"problem"`
}

func newAuthorityModels(authorities []rollout.Authority) []authorityModel {
	text := tfvalue.OptionalString
	models := []authorityModel{}
	for _, a := range authorities[:min(maxProxies, len(authorities))] {
		models = append(models, authorityModel{a.Resource.Type, a.Resource.Name, text(a.Secret), text(a.Subject), optionalTime(a.Expires), text(a.Problem)})
	}
	return models
}

// readAuthorities returns the provided authorities of a mesh. Of Secrets, it reads only those
// that a resource names.
func readAuthorities(ctx context.Context, s *store.Store, mesh string) ([]rollout.Authority, error) {
	resources, err := s.CurrentMeshResources(ctx, mesh, []def.Kind{kinds.Mesh, kinds.MeshIdentity, kinds.MeshTrust})
	if err != nil {
		return nil, err
	}
	return rollout.Authorities(resources, func(name string) (data, problem string) {
		secret, err := s.Resources(kinds.Secret).Current(ctx, kuma.Key{Type: kinds.Secret.Name, Mesh: mesh, Name: name})
		switch {
		case store.IsNotFound(err):
			return "", fmt.Sprintf("There is no Secret %q.", name)
		case err != nil:
			return "", report.RequestDetail(err)
		}
		data, _ = secret.Body["data"].(string)
		return data, ""
	}), nil
}

func authoritiesAttribute() schema.Attribute {
	text := tfschema.ComputedText
	return tfschema.ComputedList(fmt.Sprintf("Certificates of the authorities that a `provided` backend of the Mesh, the `ca` of a MeshIdentity or a MeshTrust names: first those that are not known, then those that expire first, at most %d. "+
		"Certificates in Secrets are read with the permissions of the provider, and nothing else of a Secret is kept.", maxProxies), map[string]schema.Attribute{
		"kind":    text("Kind of the resource that names the authority: `Mesh`, `MeshIdentity` or `MeshTrust`."),
		"name":    text("Name of the resource."),
		"secret":  text("Name of the Secret with the certificate. Null if it is not in a Secret."),
		"subject": text("Subject of the certificate, such as `CN=shop`. Null if it is not known."),
		"expires": text("When it expires, in RFC 3339 format. Null if it is not known."),
		"problem": text("Why the certificate is not known: only the control plane reads it, from a file or an environment variable, the Secret does not exist or must not be read, or it is not a certificate. Null if it is known."),
	})
}
