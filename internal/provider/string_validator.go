package provider

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// stringValidator checks a string argument outside of kinds, which have their own
// checks. It accepts unknown values.
type stringValidator struct {
	wants string // what is allowed, as part of a sentence
	wrong func(text string) (summary, detail string)
}

var _ validator.String = stringValidator{}

func (c stringValidator) Description(context.Context) string         { return c.wants }
func (c stringValidator) MarkdownDescription(context.Context) string { return c.wants }

func (c stringValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if summary, detail := c.wrong(req.ConfigValue.ValueString()); summary != "" {
		resp.Diagnostics.AddAttributeError(req.Path, summary, detail)
	}
}

// oneOf allows the given strings.
func oneOf(allowed ...string) stringValidator {
	return stringValidator{"one of " + phrase.Or(allowed...), func(text string) (string, string) {
		if slices.Contains(allowed, text) {
			return "", ""
		}
		return "Invalid value", fmt.Sprintf("%q is not valid. Valid values: %s.%s", text, phrase.Or(allowed...), phrase.Suggest(text, allowed))
	}}
}
