package tfschema

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
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
	c.Check(req.Path, req.ConfigValue, &resp.Diagnostics)
}

// Check reports a known value that is not allowed, where Terraform does not validate again.
func (c StringValidator) Check(at path.Path, value types.String, diags *diag.Diagnostics) {
	if value.IsNull() || value.IsUnknown() {
		return
	}
	if summary, detail := c.Wrong(value.ValueString()); summary != "" {
		diags.AddAttributeError(at, summary, detail)
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

// jsonText allows free-form JSON: Terraform has no type for that inside lists.
var jsonText = StringValidator{"JSON", func(text string) (string, string) {
	if _, err := tree.DecodeJSON([]byte(text)); err != nil {
		return "Invalid JSON", fmt.Sprintf("The value is not valid JSON: %s Use jsonencode, also for strings: jsonencode(\"5s\").",
			phrase.Sentence(err))
	}
	return "", ""
}}
