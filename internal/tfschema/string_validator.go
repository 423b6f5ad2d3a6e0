package tfschema

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// StringValidator checks a string argument outside of kinds, which have their own
// checks. It accepts unknown values.
type StringValidator struct {
	Wants string // what is allowed, as part of a sentence
	Wrong func(text string) (summary, detail string)
}

var _ validator.String = StringValidator{}

// Description implements [validator.String].
func (c StringValidator) Description(context.Context) string { return c.Wants }

// MarkdownDescription implements [validator.String].
func (c StringValidator) MarkdownDescription(context.Context) string { return c.Wants }

// ValidateString implements [validator.String].
func (c StringValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if summary, detail := c.Wrong(req.ConfigValue.ValueString()); summary != "" {
		resp.Diagnostics.AddAttributeError(req.Path, summary, detail)
	}
}

// OneOf allows the given strings.
func OneOf(allowed ...string) StringValidator {
	return StringValidator{"one of " + phrase.Or(allowed...), func(text string) (string, string) {
		if slices.Contains(allowed, text) {
			return "", ""
		}
		return "Invalid value", fmt.Sprintf("%q is not valid. Valid values: %s.%s", text, phrase.Or(allowed...), phrase.Suggest(text, allowed))
	}}
}
