package tfschema

import (
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
)

// A secret field is set as a string, as bytes in base64, or as a write-only
// string, with a version that determines when it is written again. These are
// the suffixes of the attributes besides the one with the name of the field.
const (
	SuffixBase64    = "_base64"
	SuffixWriteOnly = "_wo"
	SuffixVersion   = "_wo_version"
)

func secretAttributes(f def.Field, name string) map[string]schema.Attribute {
	return map[string]schema.Attribute{
		name: schema.StringAttribute{
			Optional: true, Sensitive: true,
			MarkdownDescription: f.Doc + " Given as plain text and stored in the state. Without `" + name + "`, `" + name + SuffixBase64 +
				"` and `" + name + SuffixWriteOnly + "` the stored value is kept, and a new resource is an error; an empty string clears it.",
		},
		name + SuffixBase64: schema.StringAttribute{
			Optional: true, Sensitive: true,
			MarkdownDescription: "The same value encoded in base64, for binary data such as the result of `filebase64`.",
		},
		name + SuffixWriteOnly: schema.StringAttribute{
			Optional: true, Sensitive: true, WriteOnly: true,
			MarkdownDescription: "The same value as write-only plain text, which is stored neither in the plan nor in the state. " +
				"Accepts values from ephemeral resources. " +
				"It is written when `" + name + SuffixVersion + "` changes; changes made outside Terraform are not detected.",
		},
		name + SuffixVersion: schema.NumberAttribute{
			Optional:            true,
			MarkdownDescription: "Version of `" + name + SuffixWriteOnly + "`, required with it. Change the number to write the value again.",
		},
	}
}

// SecretNames returns the attribute names of the secret fields of a kind.
func SecretNames(k def.Kind) []string {
	var names []string
	for _, f := range k.SecretFields() {
		names = append(names, AttributeName(f.Name))
	}
	return names
}
