package provider

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// stringValidator checks a text of what is no resource of the control plane; those are
// checked by their description. It passes what is not known.
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

var notEmpty = stringValidator{"a text that is not empty", func(text string) (string, string) {
	if text != "" {
		return "", ""
	}
	return "The text is empty", "The text is empty. Write one that is not."
}}

var resourceName = stringValidator{"a name of a resource", func(text string) (string, string) {
	if kuma.IsDNSSubdomain(text) {
		return "", ""
	}
	return "Invalid name", fmt.Sprintf(`%q is no name of a resource. Use lower-case letters, digits, "-" and ".", and begin and end with a letter or digit.`, text)
}}

var positiveDuration = stringValidator{"a duration above zero", func(text string) (string, string) {
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return "", ""
	}
	return "Invalid duration", fmt.Sprintf(`%q is no duration above zero. Write a number with its unit, such as "24h" or "30m". There is no unit for days: a year is "8760h".`, text)
}}

// oneOf allows the given texts.
func oneOf(allowed ...string) stringValidator {
	return stringValidator{"one of " + phrase.Or(allowed...), func(text string) (string, string) {
		if slices.Contains(allowed, text) {
			return "", ""
		}
		return "Unknown value", fmt.Sprintf("%q is not known here. Write %s.%s", text, phrase.Or(allowed...), phrase.Suggest(text, allowed))
	}}
}

// scopeValidator looks at what the token of a zone is for. A control plane takes
// anything, and distributions of Kuma know more.
type scopeValidator struct{}

var _ validator.List = scopeValidator{}

func (scopeValidator) Description(context.Context) string         { return "at least one scope" }
func (scopeValidator) MarkdownDescription(context.Context) string { return "at least one scope" }

func (scopeValidator) ValidateList(_ context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	known := []string{"cp", "ingress", "egress"}
	elements := req.ConfigValue.Elements()
	if len(elements) == 0 {
		resp.Diagnostics.AddAttributeError(req.Path, "The scope is empty", "A token without scope is good for nothing. Name at least one of "+phrase.Or(known...)+".")
	}
	for i, e := range elements {
		scope, ok := e.(types.String)
		if !ok || scope.IsUnknown() || slices.Contains(known, scope.ValueString()) {
			continue
		}
		resp.Diagnostics.AddAttributeWarning(req.Path.AtListIndex(i), "Unknown scope",
			fmt.Sprintf("Kuma does not know the scope %q; a distribution of it might. Write %s.%s", scope.ValueString(), phrase.Or(known...), phrase.Suggest(scope.ValueString(), known)))
	}
}
