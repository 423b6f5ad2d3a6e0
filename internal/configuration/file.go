package configuration

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// ManifestType is the type of the resource for kinds and fields without a schema.
const ManifestType = "kuma_manifest"

// Options determine what a file contains.
type Options struct {
	// Imports adds an import block for each resource.
	Imports bool
	// Defaults keeps values that a control plane stores anyway: defaults, and fields
	// that it writes itself.
	Defaults bool
	// ComputedLabels keeps labels that a control plane computes.
	ComputedLabels bool
	// Release is the release of the control plane, whose defaults are omitted. It is zero if it is not known.
	Release kuma.Release
	// DisplayNames also writes the label kuma.io/display-name that repeats the name: references by
	// labels need one that a client has set, unless the control plane computes it.
	DisplayNames bool
	// SecretValues writes sensitive values instead of variables.
	SecretValues bool
	// New are resources that do not exist yet, and are not imported.
	New map[kuma.Key]bool
	// Unstored reports whether no stored value can be kept for a sensitive field, because it is new in the resource.
	Unstored func(key kuma.Key, path tree.Path) bool
	// Moved are resources in the state of another provider, which are moved from these
	// addresses instead of imported.
	Moved map[kuma.Key]string
	// Comments are lines above the blocks of resources.
	Comments map[kuma.Key][]string
}

// labels returns the labels of a resource that its block sets.
func (o Options) labels(r kuma.Resource) map[string]string {
	labels := maps.Clone(r.Labels)
	maps.DeleteFunc(labels, func(key, value string) bool {
		users := key == kuma.LabelDisplayName && (value != r.Name || o.DisplayNames)
		return kuma.ServerLabel(key) && !users && !o.ComputedLabels
	})
	return labels
}

// File returns the configuration of resources, a block for each in the given order. A
// resource has the type of its kind, or kuma_manifest if its kind has none or the
// document has fields without an argument. Names of resources in the file become
// references. Variables are at the end. The error names the resource that cannot be
// written.
func File(resources []kuma.Resource, o Options) (string, error) {
	texts, err := write(resources, o, func(string) string { return "" })
	return texts[""], err
}

// Files returns the configuration that [File] returns as several files, by name: one for
// each kind, and one each for import blocks, moved blocks and variables.
func Files(resources []kuma.Resource, o Options) (map[string]string, error) {
	return write(resources, o, func(subject string) string { return subject + ".tf" })
}

// Subjects of blocks that are not resources.
const (
	subjectImports   = "imports"
	subjectMoves     = "moved"
	subjectVariables = "variables"
)

// write writes the configuration of resources to files, each with the blocks whose subjects
// have its name.
func write(resources []kuma.Resource, o Options, name func(subject string) string) (map[string]string, error) {
	f := files{
		options: o, addresses: addresses(resources), referred: map[kuma.Key][]kuma.Key{},
		texts: map[string]*strings.Builder{}, name: name,
	}
	for _, r := range resources {
		if err := f.resource(r); err != nil {
			return nil, fmt.Errorf("%s: %w", r.Key(), err)
		}
	}
	for _, v := range f.variables {
		f.add(subjectVariables, v.write)
	}
	texts := make(map[string]string, len(f.texts))
	for name, text := range f.texts {
		texts[name] = text.String()
	}
	return texts, nil
}

// files is a configuration in progress.
type files struct {
	options   Options
	addresses map[kuma.Key]address
	variables []variable
	referred  map[kuma.Key][]kuma.Key // the references written so far
	texts     map[string]*strings.Builder
	name      func(subject string) string // of the file of a block
}

// add appends the next block of a subject, which write writes.
func (f *files) add(subject string, write func(*hclwrite.Body)) {
	block := hclwrite.NewEmptyFile()
	write(block.Body())
	name := f.name(subject)
	if text := f.texts[name]; text != nil {
		text.WriteByte('\n')
	} else {
		f.texts[name] = &strings.Builder{}
	}
	f.texts[name].Write(hclwrite.Format(block.Bytes()))
}

// resource appends the block of a resource, and its import.
func (f *files) resource(r kuma.Resource) (err error) {
	at := f.addresses[r.Key()]
	k, described := kinds.Find(r.Type)
	if !described {
		k = kinds.WithPrivateFields(def.Kind{Name: r.Type})
	}
	imported := f.options.Imports && !f.options.New[r.Key()]
	expressions := f.references(r)
	if !f.options.SecretValues {
		f.secrets(k, r, expressions)
	}
	writeBlock := f.writeResource
	if at.typeName == ManifestType {
		writeBlock = f.writeManifest
	}
	f.add(tfschema.AttributeName(r.Type), func(to *hclwrite.Body) {
		for _, line := range f.options.Comments[r.Key()] {
			comment(to, line)
		}
		if imported {
			comments(to, k, r)
		}
		err = writeBlock(to.AppendNewBlock("resource", []string{at.typeName, at.label}).Body(), k, r, expressions)
	})
	switch from, moved := f.options.Moved[r.Key()]; {
	case moved:
		f.add(subjectMoves, func(to *hclwrite.Body) {
			block := to.AppendNewBlock("moved", nil).Body()
			block.SetAttributeTraversal("from", parseAddress(from))
			block.SetAttributeTraversal("to", at.traversal())
		})
	case imported:
		f.add(subjectImports, func(to *hclwrite.Body) { appendImport(to, at.traversal(), ImportID(r)) })
	}
	return err
}

// appendImport appends an import block.
func appendImport(body *hclwrite.Body, to hcl.Traversal, id string) {
	block := body.AppendNewBlock("import", nil).Body()
	block.SetAttributeTraversal("to", to)
	block.SetAttributeValue("id", cty.StringVal(id))
}

// ImportBlock returns an import block for the resource at an address, such as "kuma_mesh.shop".
func ImportBlock(to, id string) string {
	f := hclwrite.NewEmptyFile()
	appendImport(f.Body(), parseAddress(to), id)
	return string(f.Bytes())
}

// parseAddress parses the address of a resource that Terraform or this package wrote.
func parseAddress(address string) hcl.Traversal {
	traversal, _ := hclsyntax.ParseTraversalAbs([]byte(address), "", hcl.InitialPos)
	return traversal
}

// comments appends what matters when the configuration creates a resource again that it
// imports now.
func comments(body *hclwrite.Body, k def.Kind, r kuma.Resource) {
	names := tfschema.WireNames(k)
	var details []string
	for _, p := range k.ValidateCreation(r.Document()) {
		if detail := tfschema.WithAttributeNames(p.Detail, names); !slices.Contains(details, detail) {
			details = append(details, detail)
		}
	}
	for _, detail := range details {
		comment(body, "Before this is created again: "+detail)
	}
}

// comment appends a comment of one line.
func comment(body *hclwrite.Body, text string) {
	line := "# " + strings.Join(strings.Fields(text), " ") + "\n"
	body.AppendUnstructuredTokens(hclwrite.Tokens{{Type: hclsyntax.TokenComment, Bytes: []byte(line)}})
}

// address is the address of a resource in the configuration.
type address struct{ typeName, label string }

func (a address) traversal(attributes ...string) hcl.Traversal {
	t := hcl.Traversal{hcl.TraverseRoot{Name: a.typeName}, hcl.TraverseAttr{Name: a.label}}
	for _, name := range attributes {
		t = append(t, hcl.TraverseAttr{Name: name})
	}
	return t
}

// addresses returns the addresses of resources, which are named after them. The name
// of the mesh precedes names that exist in several meshes; equal addresses are
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

// ResourceType returns the type of the Terraform resource for a stored one: that of
// its kind, or [ManifestType] if the kind has none or the document has fields without
// an argument.
func ResourceType(r kuma.Resource) string {
	if k, ok := kinds.Find(r.Type); ok && len(k.ExtraFields(r)) == 0 {
		return tfschema.TypeName(k.Name)
	}
	return ManifestType
}
