package managed

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

// A move takes only the key and a secret from the state of the other resource. The
// refresh that follows reads the rest from the control plane, as after an import, so
// the schema of other providers does not matter.

// movedState contains the attributes of a resource that a move reads. Resources of
// this provider and of others for Kuma share them.
type movedState struct {
	Type, Mesh, Name string
	// The value of a secret is plain or in base64, or in base64 in a manifest.
	Data       *string
	DataBase64 *string `json:"data_base64"`
	Manifest   struct{ Value struct{ Data *string } }
}

// secret returns the value of a secret in base64, empty when it has none.
func (s movedState) secret() string {
	switch {
	case s.Data != nil:
		return base64.StdEncoding.EncodeToString([]byte(*s.Data))
	case s.DataBase64 != nil:
		return *s.DataBase64
	case s.Manifest.Value.Data != nil:
		return *s.Manifest.Value.Data
	default:
		return ""
	}
}

// readMove returns the state of a resource that this provider can take over; false for
// types of other providers, and for the type itself.
func readMove(req resource.MoveStateRequest, target string) (movedState, bool) {
	if !movable(req.SourceProviderAddress, req.SourceTypeName) || req.SourceTypeName == target || req.SourceRawState == nil {
		return movedState{}, false
	}
	var s movedState
	if err := json.Unmarshal(req.SourceRawState.JSON, &s); err != nil || s.Type == "" || s.Name == "" {
		return movedState{}, false
	}
	return s, true
}

// movable reports whether resources of a type describe resources of Kuma. After the first instance of a resource has moved to this
// provider, Terraform names this provider as the source of the others.
func movable(provider, typeName string) bool {
	prefixes := []string{tfschema.OtherPrefix(provider)}
	if prefixes[0] == "" && provider[strings.LastIndex(provider, "/")+1:] == "kuma" { // this provider
		prefixes = append(tfschema.OtherPrefixes(), "kuma_")
	}
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return prefix != "" && strings.HasPrefix(typeName, prefix) })
}

func (s movedState) key() kuma.Key { return kuma.Key{Type: s.Type, Mesh: s.Mesh, Name: s.Name} }

// reportMove reports a resource that cannot be moved.
func reportMove(req resource.MoveStateRequest, target string, diags *diag.Diagnostics) {
	diags.AddError("Resource cannot be moved",
		fmt.Sprintf("%s cannot take over a resource of type %s from provider %s. "+
			"It can take over resources of this provider, and of kong/kong-mesh, kong/konnect and kong/kuma, that are in the state with their "+
			"name. Replace the moved block with a removed block that does not destroy, and an import block.",
			target, req.SourceTypeName, req.SourceProviderAddress))
}

// MoveState implements [resource.ResourceWithMoveState].
func (r *Resource) MoveState(context.Context) []resource.StateMover {
	return []resource.StateMover{{StateMover: r.moveState}}
}

func (r *Resource) moveState(ctx context.Context, req resource.MoveStateRequest, resp *resource.MoveStateResponse) {
	s, ok := readMove(req, tfschema.TypeName(r.kind.Name))
	switch {
	case !ok:
		reportMove(req, tfschema.TypeName(r.kind.Name), &resp.Diagnostics)
		return
	case s.Type != r.kind.Name:
		resp.Diagnostics.AddError("Moved resource has a different kind",
			fmt.Sprintf("%s contains %s, which %s cannot manage. Move it to %s or kuma_manifest.",
				req.SourceTypeName, s.key(), tfschema.TypeName(r.kind.Name), tfschema.TypeName(s.Type)))
		return
	}
	r.setKey(ctx, s.key(), &resp.TargetState, resp.TargetIdentity, &resp.Diagnostics)
	for _, name := range tfschema.SecretNames(r.kind) {
		value := s.secret()
		if text, err := base64.StdEncoding.DecodeString(value); err == nil && utf8.Valid(text) && s.DataBase64 == nil {
			value = string(text)
		} else {
			name += tfschema.SuffixBase64
		}
		if value != "" {
			resp.Diagnostics.Append(resp.TargetState.SetAttribute(ctx, path.Root(name), value)...)
		}
	}
}

func (r *manifestResource) MoveState(context.Context) []resource.StateMover {
	return []resource.StateMover{{StateMover: moveManifestState}}
}

func moveManifestState(ctx context.Context, req resource.MoveStateRequest, resp *resource.MoveStateResponse) {
	s, ok := readMove(req, configuration.ManifestType)
	if !ok {
		reportMove(req, configuration.ManifestType, &resp.Diagnostics)
		return
	}
	setManifestKey(ctx, s.key(), &resp.TargetState, resp.TargetIdentity, &resp.Diagnostics)
	if k, _ := kinds.Find(s.Type); len(k.SecretFields()) > 0 && s.secret() != "" {
		secret := kuma.Resource{Type: s.Type, Mesh: s.Mesh, Name: s.Name, Body: map[string]any{k.SecretFields()[0].Name: s.secret()}}
		resp.Diagnostics.Append(resp.TargetState.SetAttribute(ctx, path.Root("manifest"),
			types.DynamicValue(tfvalue.FromTree(ctx, secret.Document())))...)
	}
}
