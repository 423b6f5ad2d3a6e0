package tfschema

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// jsonText checks an attribute that holds free-form JSON: Terraform has no type
// for that inside lists.
type jsonText struct{}

var _ validator.String = jsonText{}

func (jsonText) Description(context.Context) string { return "must be JSON" }

func (j jsonText) MarkdownDescription(ctx context.Context) string { return j.Description(ctx) }

func (jsonText) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if _, err := tree.DecodeJSON([]byte(req.ConfigValue.ValueString())); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid JSON",
			fmt.Sprintf("The value is not valid JSON: %s Use jsonencode, also for strings: jsonencode(\"5s\").", phrase.Sentence(err)))
	}
}
