package token

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
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
	return "Invalid name",
		fmt.Sprintf(
			`%q is not a valid resource name. It must consist of lowercase letters, digits, "-" and ".", and begin and end with a letter or digit.`,
			text)
}}

var positiveDuration = tfschema.StringValidator{Wants: "a positive duration", Wrong: func(text string) (string, string) {
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return "", ""
	}
	return "Invalid duration",
		fmt.Sprintf(
			`%q is not valid. The value must be a positive duration such as "24h" or "30m". The largest unit is the hour: a year is "8760h".`, text)
}}

// restriction rejects an empty value of a restriction, at any depth: the control plane would
// issue a token without the restriction.
type restriction struct{}

var (
	_ validator.List = restriction{}
	_ validator.Map  = restriction{}
)

func (restriction) Description(context.Context) string         { return "values that are not empty" }
func (restriction) MarkdownDescription(context.Context) string { return "values that are not empty" }

func (restriction) ValidateList(_ context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	if !req.ConfigValue.IsNull() {
		checkRestriction(req.Path, req.ConfigValue, &resp.Diagnostics)
	}
}

func (restriction) ValidateMap(_ context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	if !req.ConfigValue.IsNull() {
		checkRestriction(req.Path, req.ConfigValue, &resp.Diagnostics)
	}
}

func checkRestriction(at path.Path, value attr.Value, diags *diag.Diagnostics) {
	empty := value.IsNull()
	switch value := value.(type) {
	case types.Map:
		elements := value.Elements()
		empty = len(elements) == 0
		for _, key := range slices.Sorted(maps.Keys(elements)) {
			if strings.TrimSpace(key) == "" {
				diags.AddAttributeError(at, "Empty name of a tag",
					fmt.Sprintf("%s has a tag without a name, which no Dataplane has: no proxy could use the token. Name the tag, or remove it.", at))
			}
			checkRestriction(at.AtMapKey(key), elements[key], diags)
		}
	case types.List:
		elements := value.Elements()
		empty = len(elements) == 0
		for i, element := range elements {
			checkRestriction(at.AtListIndex(i), element, diags)
		}
	case types.String:
		empty = strings.TrimSpace(value.ValueString()) == ""
	}
	if empty && !value.IsUnknown() {
		diags.AddAttributeError(at, "Empty value",
			fmt.Sprintf("%s must not be null or empty: an empty value does not restrict the token. Set a value, or remove %s if that is intended.",
				at, at.Steps()[0]))
	}
}

// scopeValidator is a restriction that warns about unknown scopes of a zone token. A control plane
// accepts any scope, and distributions of Kuma have more.
type scopeValidator struct{ restriction }

var _ validator.List = scopeValidator{}

func (v scopeValidator) ValidateList(ctx context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	v.restriction.ValidateList(ctx, req, resp)
	known := []string{"cp", "ingress", "egress"}
	for i, e := range req.ConfigValue.Elements() {
		scope, ok := e.(types.String)
		if !ok || scope.ValueString() == "" || slices.Contains(known, scope.ValueString()) {
			continue
		}
		resp.Diagnostics.AddAttributeWarning(req.Path.AtListIndex(i), "Unknown scope",
			fmt.Sprintf("Kuma does not support the scope %q, but a distribution of it may. Scopes of Kuma: %s.%s", scope.ValueString(),
				phrase.Or(known...), phrase.Suggest(scope.ValueString(), known)))
	}
}
