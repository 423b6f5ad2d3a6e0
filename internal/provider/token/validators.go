package token

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

var notEmpty = tfschema.StringValidator{Wants: "a non-empty string", Wrong: func(text string) (string, string) {
	if text != "" {
		return "", ""
	}
	return "Invalid empty string", "The value must not be empty."
}}

var resourceName = tfschema.StringValidator{Wants: "a valid resource name", Wrong: func(text string) (string, string) {
	if kuma.IsDNSSubdomain(text) {
		return "", ""
	}
	return "Invalid name", fmt.Sprintf(`%q is not a valid resource name. It must consist of lowercase letters, digits, "-" and ".", and begin and end with a letter or digit.`, text)
}}

var positiveDuration = tfschema.StringValidator{Wants: "a positive duration", Wrong: func(text string) (string, string) {
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return "", ""
	}
	return "Invalid duration", fmt.Sprintf(`%q is not valid. The value must be a positive duration such as "24h" or "30m". The largest unit is the hour: a year is "8760h".`, text)
}}

// scopeValidator checks the scope of a zone token. A control plane accepts
// any scope, and distributions of Kuma have more.
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
		resp.Diagnostics.AddAttributeError(req.Path, "Missing scope", "At least one scope is required. Valid values: "+phrase.Or(known...)+".")
	}
	for i, e := range elements {
		scope, ok := e.(types.String)
		if !ok || scope.IsUnknown() || scope.IsNull() || slices.Contains(known, scope.ValueString()) {
			continue
		}
		resp.Diagnostics.AddAttributeWarning(req.Path.AtListIndex(i), "Unknown scope",
			fmt.Sprintf("Kuma does not support the scope %q, but a distribution of it may. Scopes of Kuma: %s.%s", scope.ValueString(), phrase.Or(known...), phrase.Suggest(scope.ValueString(), known)))
	}
}
