package main

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// showRequired marks the blocks and attributes of a resource that validation
// requires, so that pages list them under "Required". The schema for Terraform
// cannot require them, so only their descriptions say so.
func (b *block) showRequired(o def.Object) {
	for _, f := range o {
		name := tfschema.AttributeName(f.Name)
		if a, ok := b.Attributes[name]; ok {
			if doc, found := tfschema.TrimRequired(a.Description); found {
				a.Description, a.Required, a.Optional = doc, true, false
				b.Attributes[name] = a
			}
		}
		n, ok := b.BlockTypes[name]
		if !ok {
			continue
		}
		n.Block.showRequired(def.ObjectOf(f.Type))
		if doc, found := tfschema.TrimRequired(n.Block.Description); found {
			n.Block.Description, n.MinItems = doc, 1
		}
		b.BlockTypes[name] = n
	}
}
