package configuration

import (
	"context"
	"fmt"
	"maps"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// ManifestType is the type of the resource for what has no attributes.
const ManifestType = "kuma_manifest"

// Options say what a file contains.
type Options struct {
	// Imports adds the import block that takes over each resource.
	Imports bool
	// Defaults keeps values that a control plane stores anyway: defaults, and what
	// it writes by itself.
	Defaults bool
	// ComputedLabels keeps labels that a control plane computes.
	ComputedLabels bool
	// SecretValues writes sensitive values as they are. Otherwise they are
	// variables.
	SecretValues bool
}

// labels are those of a resource that a block sets.
func (o Options) labels(r kuma.Resource) map[string]string {
	labels := maps.Clone(r.Labels)
	maps.DeleteFunc(labels, func(key, value string) bool {
		users := key == kuma.LabelDisplayName && value != r.Name
		return kuma.ServerLabel(key) && !users && !o.ComputedLabels
	})
	return labels
}

// File returns the configuration of resources, a block for each in the order
// given. A resource is of the type of its kind, or a kuma_manifest where its kind
// has none or the document has members without an argument. Names of resources in
// the file are references to them. Variables stand at the end.
func File(ctx context.Context, resources []kuma.Resource, o Options) (string, error) {
	f := file{File: hclwrite.NewEmptyFile(), options: o, addresses: addresses(resources), referred: map[kuma.Key][]kuma.Key{}}
	for _, r := range resources {
		if err := f.resource(ctx, r); err != nil {
			return "", fmt.Errorf("%s: %w", r.Key(), err)
		}
	}
	for _, v := range f.variables {
		f.newline()
		v.write(f.Body())
	}
	return string(hclwrite.Format(f.Bytes())), nil
}

// file is a configuration that is being written.
type file struct {
	*hclwrite.File
	options   Options
	addresses map[kuma.Key]address
	variables []variable
	referred  map[kuma.Key][]kuma.Key // the references written so far
}

func (f *file) newline() {
	if len(f.Body().Blocks()) > 0 {
		f.Body().AppendNewline()
	}
}

// resource appends the block of a resource, and its import.
func (f *file) resource(ctx context.Context, r kuma.Resource) error {
	at := f.addresses[r.Key()]
	k, _ := kinds.Find(r.Type)
	f.newline()
	body := f.Body().AppendNewBlock("resource", []string{at.typeName, at.label}).Body()
	expressions := f.references(r)
	if !f.options.SecretValues {
		f.secrets(k, r, expressions)
	}
	write := writeResource
	if at.typeName == ManifestType {
		write = writeManifest
	}
	if err := write(ctx, body, k, r, f.options, expressions); err != nil {
		return err
	}
	if !f.options.Imports {
		return nil
	}
	f.newline()
	body = f.Body().AppendNewBlock("import", nil).Body()
	body.SetAttributeTraversal("to", at.traversal())
	body.SetAttributeValue("id", cty.StringVal(ImportID(r)))
	return nil
}

// address is that of a resource in the configuration.
type address struct{ typeName, label string }

func (a address) traversal(attributes ...string) hcl.Traversal {
	t := hcl.Traversal{hcl.TraverseRoot{Name: a.typeName}, hcl.TraverseAttr{Name: a.label}}
	for _, name := range attributes {
		t = append(t, hcl.TraverseAttr{Name: name})
	}
	return t
}

// addresses names the blocks after the resources. Resources of one name in
// several meshes have the name of the mesh in front; what is the same even then is
// numbered.
func addresses(resources []kuma.Resource) map[kuma.Key]address {
	names := map[address]int{}
	short := func(r kuma.Resource) address { return address{ResourceType(r), tfschema.LocalName(r.Name)} }
	for _, r := range resources {
		names[short(r)]++
	}
	out := make(map[kuma.Key]address, len(resources))
	taken := map[address]bool{}
	for _, r := range resources {
		a := short(r)
		if names[a] > 1 && r.Mesh != "" {
			a.label = tfschema.LocalName(r.Mesh + "_" + r.Name)
		}
		for n, label := 2, a.label; taken[a]; n++ {
			a.label = fmt.Sprintf("%s_%d", label, n)
		}
		out[r.Key()], taken[a] = a, true
	}
	return out
}

// ResourceType returns the type of the resource that stands for a stored one:
// that of its kind, or [ManifestType] where the kind has none or the document has
// members without an argument.
func ResourceType(r kuma.Resource) string {
	if k, ok := kinds.Find(r.Type); ok && len(k.ExtraMembers(r)) == 0 {
		return tfschema.TypeName(k.Name)
	}
	return ManifestType
}
