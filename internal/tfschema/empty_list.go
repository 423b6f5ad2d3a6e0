package tfschema

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// ExplicitlyEmpty names the set in which an object lists those of its block
// lists that are sent as empty lists.
const ExplicitlyEmpty = "explicitly_empty"

// IsBlockList reports whether a list is written as repeated blocks, which
// cannot be null.
func IsBlockList(t def.Type) bool {
	_, ok := t.(def.List)
	return ok && def.ObjectOf(t) != nil
}

// CanBeExplicitlyEmpty reports whether an empty block list differs from an
// absent one, and the configuration can choose between them. proto is true for
// an older kind, see [def.Kind.Proto].
func CanBeExplicitlyEmpty(f def.Field, proto bool) bool {
	return IsBlockList(f.Type) && !proto && f.DropsEmpty != kuma.Always() && !f.ServerOwned
}

// emptyNames are the block lists of one object that can be listed in its set
// [ExplicitlyEmpty].
type emptyNames []string

var _ validator.Set = emptyNames(nil)

func (e emptyNames) Description(context.Context) string {
	return "must only contain " + phrase.Or(e...) + ", and no list that has a block"
}

func (e emptyNames) MarkdownDescription(ctx context.Context) string { return e.Description(ctx) }

func (e emptyNames) ValidateSet(ctx context.Context, req validator.SetRequest, resp *validator.SetResponse) {
	for _, v := range req.ConfigValue.Elements() {
		name, ok := v.(types.String)
		if !ok || name.IsNull() || name.IsUnknown() {
			continue
		}
		if !slices.Contains(e, name.ValueString()) {
			resp.Diagnostics.AddAttributeError(req.Path, "Invalid list name",
				fmt.Sprintf("%q cannot be sent as an empty list here. Valid values: %s.%s", name.ValueString(), phrase.Or(e...),
					phrase.Suggest(name.ValueString(), e)))
			continue
		}
		var list attr.Value
		resp.Diagnostics.Append(req.Config.GetAttribute(ctx, req.Path.ParentPath().AtName(name.ValueString()), &list)...)
		if l, ok := list.(types.List); ok && len(l.Elements()) > 0 {
			resp.Diagnostics.AddAttributeError(req.Path, "List is not empty",
				fmt.Sprintf("The configuration has %s blocks, so %s cannot be sent as an empty list. Remove the blocks, or remove it from %s.",
					name.ValueString(), name.ValueString(), ExplicitlyEmpty))
		}
	}
}
