package managed

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// saveDocument saves the stored document of an undescribed kind. How the control plane
// completes and spells such documents is not known, so drift is a difference from the
// saved document. It contains the secrets that the manifest sets.
func (r *manifestResource) saveDocument(ctx context.Context, private privateState, manifest, stored kuma.Resource, diags *diag.Diagnostics) {
	k := r.find(stored.Type)
	if store.Described(k) {
		return
	}
	text, err := json.Marshal(configuration.Manifest(k, stored, manifest).Document())
	if err != nil {
		diags.AddError("Invalid response from the control plane", phrase.Sentence(err))
		return
	}
	diags.Append(private.SetKey(ctx, documentKey, text)...)
}

// matchesSavedDocument reports whether the stored document equals the saved one. If a
// written document could not be read back, the saved one is what was sent, and the
// stored one must contain all of it.
func (r *manifestResource) matchesSavedDocument(ctx context.Context, private privateReader, sent, stored kuma.Resource, diags *diag.Diagnostics) bool {
	text, d := private.GetKey(ctx, documentKey)
	diags.Append(d...)
	before, err := tree.DecodeJSON(text)
	if err != nil {
		return false
	}
	now := configuration.Manifest(r.find(stored.Type), stored, sent)
	return tree.Equal(before, now.Document()) || tree.Equal(before, sent.Document()) && store.Contains(now.Document(), before)
}
