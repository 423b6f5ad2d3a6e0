package token

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// signer is what signs tokens of a type, and keeps those that are revoked. Tokens of
// proxies have one for each mesh (rest-api.md §16.1).
type signer struct{ tokenType, mesh string }

func (s signer) String() string {
	switch s.tokenType {
	case controlplane.TokenOfDataplane:
		return fmt.Sprintf("tokens for proxies of mesh %q", s.mesh)
	case controlplane.TokenOfZone:
		return "tokens for zones"
	default:
		return "tokens for users"
	}
}

// revocations is the key of the list of revoked tokens.
func (s signer) revocations() kuma.Key {
	return kuma.Key{Type: kinds.GlobalSecret.Name, Name: s.named("token-revocations")}
}

// named returns a name for the signer.
func (s signer) named(what string) string {
	return strings.TrimSuffix(s.tokenType+"-"+what+"-"+s.mesh, "-")
}

// keyKind is the kind of the secrets with signing keys.
func (s signer) keyKind() def.Kind {
	if s.tokenType == controlplane.TokenOfDataplane {
		return kinds.Secret
	}
	return kinds.GlobalSecret
}

// signingKey is a stored key, without its value.
type signingKey struct {
	key    kuma.Key
	serial int // the highest signs
}

func (s signer) signingKey(serial int) signingKey {
	key := s.signingKeys()
	key.Name = fmt.Sprintf("%s-%d", key.Name, serial)
	return signingKey{key, serial}
}

// signingKeys is the key of the secrets with signing keys without their serials.
func (s signer) signingKeys() kuma.Key {
	return kuma.Key{Type: s.keyKind().Name, Mesh: s.mesh, Name: s.named("token-signing-key")}
}

// keys returns the stored keys, in ascending order of their serials.
func (s signer) keys(ctx context.Context, from *store.Store) ([]signingKey, error) {
	var keys []signingKey
	for r, err := range from.All(ctx, s.keyKind(), s.mesh) {
		if err != nil {
			return nil, err
		}
		serial, found := strings.CutPrefix(r.Name, s.signingKeys().Name+"-")
		if n, err := strconv.Atoi(serial); found && err == nil {
			keys = append(keys, signingKey{r.Key(), n})
		}
	}
	slices.SortFunc(keys, func(a, b signingKey) int { return cmp.Compare(a.serial, b.serial) })
	return keys, nil
}

// connected describes the running proxies that authenticate with tokens of the signer.
func (s signer) connected(ctx context.Context, from *store.Store) (string, error) {
	if s.tokenType != controlplane.TokenOfDataplane {
		return "", nil
	}
	n := 0
	for o, err := range from.Overviews(ctx, kinds.Dataplane, s.mesh) {
		if err != nil {
			return "", err
		}
		subscriptions := tree.Objects(tree.Object(o.Document["dataplaneInsight"])["subscriptions"])
		if slices.ContainsFunc(subscriptions, func(s map[string]any) bool { return s["disconnectTime"] == nil }) {
			n++
		}
	}
	return fmt.Sprintf(" Mesh %q has %s.", s.mesh, phrase.Count(n, "connected proxy", "connected proxies")), nil
}

// signerModel contains the arguments that select a signer.
type signerModel struct {
	Type types.String `tfsdk:"type" schema:"required"`
	Mesh types.String `tfsdk:"mesh"`
}

func (m signerModel) signer() signer { return signer{m.Type.ValueString(), m.Mesh.ValueString()} }

// validate checks the arguments, and that there is a mesh exactly for tokens of proxies.
func (m signerModel) validate(diags *diag.Diagnostics) {
	tfschema.OneOf(controlplane.TokenOfDataplane, controlplane.TokenOfUser, controlplane.TokenOfZone).Check(path.Root("type"), m.Type, diags)
	resourceName.Check(path.Root("mesh"), m.Mesh, diags)
	if m.Type.IsUnknown() {
		return
	}
	switch ofProxies := m.Type.ValueString() == controlplane.TokenOfDataplane; {
	case ofProxies && m.Mesh.IsNull():
		diags.AddAttributeError(path.Root("type"), "Missing mesh", "Each mesh has its own tokens for proxies. Set mesh to the name of the mesh.")
	case slices.Contains([]string{controlplane.TokenOfUser, controlplane.TokenOfZone}, m.Type.ValueString()) && !m.Mesh.IsNull():
		diags.AddAttributeError(path.Root("mesh"), "Unused mesh", "Only tokens for proxies belong to a mesh. Remove the argument.")
	}
}

// checkMesh reports a mesh that does not exist: a list for it would have no effect.
func (s signer) checkMesh(ctx context.Context, in *store.Store, diags *diag.Diagnostics) {
	if s.mesh == "" {
		return
	}
	_, err := in.Resources(kinds.Mesh).Current(ctx, kuma.MeshKey(s.mesh))
	switch {
	case store.IsNotFound(err):
		diags.AddError("Mesh not found", fmt.Sprintf("The control plane has no mesh %q. Check the name.", s.mesh))
	case err != nil:
		diags.AddError("Cannot read the mesh", report.RequestDetail(err))
	}
}

// checkOwned reports a zone, whose keys and lists belong to its global control plane.
func (s signer) checkOwned(in *store.Store, diags *diag.Diagnostics) {
	if in.ControlPlane.Federated && s.tokenType != controlplane.TokenOfUser {
		diags.AddError("Wrong control plane",
			fmt.Sprintf("This is the control plane of a zone. "+
				"Its global control plane keeps the keys and the revocations of %s, and sends them to all zones. "+
				"Configure the provider for the global control plane.", s))
	}
}
