package functions

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/analysis"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// documentsDescription describes the values of an argument with resources.
const documentsDescription = "a string with documents in YAML or JSON, a list of such strings, documents as objects, and whole resources such as `kuma_mesh_timeout.web`."

// plannedMeshDescription says which resources are planned.
const plannedMeshDescription = "Whole resources count as planned, documents as stored: a whole `kuma_mesh` without a document of the same mesh adds the policies that a control plane creates with a new mesh; a Mesh in a document does not. Whole Dataplanes and meshes also add the MeshServices that a control plane generates for them. "

// attributeTypes converts attributes of a data source to the types that a function
// returns.
func attributeTypes(attributes map[string]schema.Attribute) map[string]attr.Type {
	out := make(map[string]attr.Type, len(attributes))
	for name, a := range attributes {
		out[name] = a.GetType()
	}
	return out
}

// functionDocuments collects the resources of an argument of a function that can
// change its result.
type functionDocuments struct {
	reader  document.Reader
	given   []givenDocument
	from    *analysis.Origins // of the documents, including those that cannot change the result
	planned bool              // the document that is read is a whole resource
	unknown bool              // something that affects the result is not known yet
	matters func(kind string, doc map[string]any) bool
}

// givenDocument is a document that is stored, or a whole resource, which is planned.
type givenDocument struct {
	document.Document
	planned bool
}

// newFunctionDocuments collects the resources that affect a result. matters decides
// that for a document, in which some values may not be known yet, and its kind.
func newFunctionDocuments(matters func(kind string, doc map[string]any) bool) *functionDocuments {
	d := &functionDocuments{matters: matters, from: &analysis.Origins{}}
	d.reader = document.Reader{UnknownKinds: document.LeaveOut, Check: document.Values, OmitsSecrets: true, Skip: d.skip}
	return d
}

// missingMesh says that none of the documents is of a mesh.
func missingMesh(name string, documents ...*functionDocuments) string {
	var meshes []string
	for _, d := range documents {
		for _, g := range d.given {
			if key := g.Resource.Key(); key.Type == kuma.KindMesh {
				meshes = append(meshes, key.Name)
			} else if key.Mesh != "" {
				meshes = append(meshes, key.Mesh)
			}
		}
	}
	slices.Sort(meshes)
	return fmt.Sprintf("There is no mesh %q in the documents.%s", name, phrase.Suggest(name, slices.Compact(meshes)))
}

// suggestDataplane returns a sentence that offers a Dataplane with the same name in another
// mesh, or one whose name is close.
func (d *functionDocuments) suggestDataplane(asked kuma.Key) string {
	var all []string
	for _, g := range d.given {
		key := g.Resource.Key()
		name := key.Mesh + "/" + key.Name
		if key.Type == kuma.KindDataplane && key.Name == asked.Name {
			return fmt.Sprintf(" Did you mean %q?", name)
		}
		if key.Type == kuma.KindDataplane {
			all = append(all, name)
		}
	}
	return phrase.Suggest(asked.Mesh+"/"+asked.Name, all)
}

// argument collects from the value of an argument.
func (d *functionDocuments) argument(ctx context.Context, v types.Dynamic) error {
	value, err := v.ToTerraformValue(ctx)
	if err != nil {
		return err
	}
	return d.value(value)
}

// value collects from a string, an object, or a list of them.
func (d *functionDocuments) value(v tftypes.Value) error {
	if !v.IsKnown() {
		d.unknown = true
		return nil
	}
	if v.IsNull() {
		return errors.New("must not be null")
	}
	switch {
	case v.Type().Is(tftypes.String):
		return d.text(v)
	case v.Type().Is(tftypes.Object{}), v.Type().Is(tftypes.Map{}):
		return d.object(v)
	case v.Type().Is(tftypes.Tuple{}), v.Type().Is(tftypes.List{}), v.Type().Is(tftypes.Set{}):
		var elems []tftypes.Value
		if err := v.As(&elems); err != nil {
			return err
		}
		for i, e := range elems {
			if err := d.value(e); err != nil {
				return fmt.Errorf("element %d: %w", i, err)
			}
		}
		return nil
	}
	return errors.New("must be a string with YAML documents, an object, or a whole resource")
}

func (d *functionDocuments) text(v tftypes.Value) error {
	var text string
	if err := v.As(&text); err != nil {
		return err
	}
	read, err := d.reader.Text([]byte(text))
	if err != nil {
		return err
	}
	return d.add(read)
}

func (d *functionDocuments) object(v tftypes.Value) error {
	doc, err := tfvalue.Document(v)
	switch {
	case err != nil:
		return err
	case doc == nil:
		d.unknown = true
		return nil
	}
	d.planned = tfvalue.IsResource(v)
	defer func() { d.planned = false }()
	return d.add(d.reader.Value(withKnownAddress(doc)))
}

// add collects what was read if it has no problems. Kinds that are not described do
// not take part in matching.
func (d *functionDocuments) add(read document.Result) error {
	if err := read.Err(); err != nil {
		return err
	}
	for _, found := range read.Documents {
		d.given = append(d.given, givenDocument{found, d.planned})
	}
	return nil
}

// skip reports whether a document cannot change the result, or is not known yet.
func (d *functionDocuments) skip(kind string, doc map[string]any) bool {
	if !d.planned {
		d.from.Add(doc)
	}
	if kind != "" && !d.matters(kind, doc) {
		return true
	}
	known := tree.FullyKnown(doc)
	d.unknown = d.unknown || !known
	return !known
}

// withKnownAddress replaces the unknown address of a Dataplane if that does not change
// the rules: the address of a machine is often not known before the machine exists.
func withKnownAddress(doc map[string]any) map[string]any {
	networking := tree.Object(doc["networking"])
	if doc["type"] == kuma.KindDataplane && networking["address"] == tree.Unknown && !rules.AddressMatters(networking) {
		networking["address"] = "192.0.2.1" // for documentation, RFC 5737
	}
	return doc
}

// storedBy returns the release that stores all documents, see [analysis.StoredBy].
func storedBy(requested kuma.Release, all ...*functionDocuments) kuma.Release {
	var documents []document.Document
	for _, d := range all {
		for _, g := range d.given {
			documents = append(documents, g.Document)
		}
	}
	return analysis.StoredBy(documents, requested)
}

// readBy returns what a control plane of the release stored stores after whole resources
// have been applied, as the release reader reads it, with what must be said about that. A
// mesh without a document has the default settings. Of several resources with the same key,
// the last one counts.
func (d *functionDocuments) readBy(mesh string, stored, reader kuma.Release) (resources []kuma.Resource, caveat string) {
	cp := d.from.ControlPlane()
	cp.Release = stored
	return analysis.AsReadBy(analysis.WithDefaultMesh(d.resources(cp), mesh), cp, reader)
}

// replaces adds the documents of meshes that whole resources change: they are not new, so
// that the control plane creates no policies with them.
func (d *functionDocuments) replaces(before *functionDocuments) {
	for _, g := range before.given {
		changes := func(own givenDocument) bool { return own.Resource.Key() == g.Resource.Key() }
		if i := slices.IndexFunc(d.given, changes); g.Resource.Type == kuma.KindMesh && !g.planned && i >= 0 {
			d.given = slices.Insert(d.given, i, g)
		}
	}
}

func (d *functionDocuments) resources(cp kuma.ControlPlane) []kuma.Resource {
	var stored []document.Document
	var planned []kuma.Resource
	for _, g := range d.given {
		if g.planned {
			planned = append(planned, g.Resource)
			continue
		}
		stored = append(stored, g.Document)
		planned = slices.DeleteFunc(planned, func(r kuma.Resource) bool { return r.Key() == g.Resource.Key() })
	}
	return analysis.WithPlanned(analysis.AsStored(stored, cp), planned, cp)
}
