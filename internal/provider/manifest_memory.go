package provider

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// storedKey holds the document as the control plane stored it.
const storedKey = "stored"

// remember keeps what was stored of a kind that is not described. How the
// control plane completes and spells such documents is not known, so drift is
// what differs from the last time.
func (r *manifestResource) remember(ctx context.Context, private privateState, stored kuma.Resource, diags *diag.Diagnostics) {
	if described(r.find(stored.Type)) {
		return
	}
	text, err := json.Marshal(stored.Document())
	if err != nil {
		diags.AddError("Unreadable answer of the control plane", phrase.Sentence(err))
		return
	}
	diags.Append(private.SetKey(ctx, storedKey, text)...)
}

// remembers reports whether what is stored is what was remembered. What was
// written and could not be read back is remembered as it was sent: then what is
// stored has to hold all of it.
func (r *manifestResource) remembers(ctx context.Context, private privateReader, sent, stored kuma.Resource, diags *diag.Diagnostics) bool {
	text, d := private.GetKey(ctx, storedKey)
	diags.Append(d...)
	before, err := tree.DecodeJSON(text)
	if err != nil {
		return false
	}
	return tree.Equal(before, stored.Document()) || tree.Equal(before, sent.Document()) && holds(stored.Document(), before)
}

// holds reports whether a decoded tree has all that another one has.
func holds(decoded, part any) bool {
	switch part := part.(type) {
	case map[string]any:
		m, ok := decoded.(map[string]any)
		for name, v := range part {
			ok = ok && holds(m[name], v)
		}
		return ok
	case []any:
		list, ok := decoded.([]any)
		ok = ok && len(list) == len(part)
		for i := range part {
			ok = ok && holds(list[i], part[i])
		}
		return ok
	default:
		return tree.Equal(decoded, part)
	}
}
