package provider

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

// analysisInput holds the resources of one mesh for an analysis: the stored ones (or
// the documents that replace them) and the planned ones, without those that are
// removed. Problems are reported in the diagnostics, on the attribute that they come
// from.
type analysisInput struct {
	cp        *connection
	mesh      string
	relevant  []def.Kind      // kinds to read
	before    []kuma.Resource // without the planned resources, and with the removed ones
	resources []kuma.Resource
	applied   bool       // this run has already written to the mesh
	planned   []kuma.Key // keys of new and changed resources
	diags     *diag.Diagnostics
}

// loadResources reads the documents, or the stored resources when they are null.
func (in *analysisInput) loadResources(ctx context.Context, documents types.List) {
	if documents.IsNull() {
		in.loadStored(ctx)
		return
	}
	var texts []string
	in.diags.Append(documents.ElementsAs(ctx, &texts, false)...)
	reader := document.Reader{UnknownKinds: document.LeaveOut, Accept: kindNames(in.relevant), Check: document.Values}
	for i, text := range texts {
		in.readDocuments(&reader, text, path.Root("documents").AtListIndex(i))
	}
	in.resources = withDefaultMesh(in.resources, in.mesh)
}

// withDefaultMesh adds a mesh with default settings if the mesh is missing.
func withDefaultMesh(resources []kuma.Resource, name string) []kuma.Resource {
	key := kuma.Key{Type: kuma.KindMesh, Name: name}
	if slices.ContainsFunc(resources, func(r kuma.Resource) bool { return r.Key() == key }) {
		return resources
	}
	return append(resources, kuma.Resource{Type: kuma.KindMesh, Name: name, Body: map[string]any{}})
}

func (in *analysisInput) loadStored(ctx context.Context) {
	if !in.cp.ready(in.diags) {
		return
	}
	stored, err := in.cp.store.MeshResources(ctx, in.mesh, in.relevant)
	if err != nil {
		reportConnection(in.diags, err)
		return
	}
	in.resources = slices.Clone(stored)
}

func (in *analysisInput) readDocuments(reader *document.Reader, text string, at path.Path) {
	found, err := reader.Text([]byte(text))
	if err != nil {
		in.diags.AddAttributeError(at, "Invalid YAML", phrase.Sentence(err))
		return
	}
	for _, p := range found.Problems {
		if !p.Warning {
			in.diags.AddAttributeError(at, p.Summary, phrase.Sentence(p))
		}
	}
	for _, d := range found.Documents {
		in.resources = append(in.resources, d.Stored())
	}
	if found.LeftOut != nil {
		in.diags.AddAttributeWarning(at, "Documents ignored",
			fmt.Sprintf("The analysis ignores %s: their kinds do not take part in the matching of policies with a targetRef. The result does not include their settings.", phrase.And(each(found.LeftOut, kuma.Key.String)...)))
	}
}

// checkPlanned reports a value of planned that is not a list of resources, as far as it
// is known. Resources of the configuration are not: Terraform reads the data source only
// after it has written them if planned refers to them directly.
func checkPlanned(config tftypes.Value, diags *diag.Diagnostics) {
	root, err := tfvalue.Attributes(config)
	if err != nil || root["planned"].IsNull() || !root["planned"].IsKnown() {
		return
	}
	for i, v := range plannedElements(root["planned"], diags) {
		if _, notObject := tfvalue.Attributes(v); v.IsFullyKnown() || v.IsKnown() && notObject != nil {
			if _, err := plannedResource(v); err != nil {
				reportPlanned(diags, i, err)
			}
		}
	}
}

// plannedElements returns the elements of planned.
func plannedElements(planned tftypes.Value, diags *diag.Diagnostics) []tftypes.Value {
	var elements []tftypes.Value
	if err := planned.As(&elements); err != nil {
		diags.AddAttributeError(path.Root("planned"), "Invalid value for planned", "planned must be a list of resources, such as [kuma_mesh_timeout.web, kuma_mesh_http_route.web].")
	}
	return elements
}

func reportPlanned(diags *diag.Diagnostics, i int, err error) {
	diags.AddAttributeError(path.Root("planned").AtTupleIndex(i), "Invalid planned resource", fmt.Sprintf("Element %d: %s", i, phrase.Sentence(err)))
}

// addPlanned applies the resources of the attribute planned.
func (in *analysisInput) addPlanned(config tftypes.Value) {
	root, err := tfvalue.Attributes(config)
	if err != nil || root["planned"].IsNull() {
		return
	}
	var resources []kuma.Resource
	for i, v := range plannedElements(root["planned"], in.diags) {
		d, err := plannedResource(v)
		if err != nil {
			reportPlanned(in.diags, i, err)
			continue
		}
		if r := d.Resource; r.Mesh == in.mesh || d.Kind.Scope == def.Global && (r.Type != kuma.KindMesh || r.Name == in.mesh) {
			resources = append(resources, r)
		}
	}
	in.applyPlanned(resources)
}

// applyPlanned applies resources as if they were written now: they are added, or
// replace those with the same keys.
func (in *analysisInput) applyPlanned(resources []kuma.Resource) {
	for _, r := range resources {
		in.planned = append(in.planned, r.Key())
	}
	stored := make(map[kuma.Key]int, len(in.resources))
	for i, r := range in.resources {
		stored[r.Key()] = i
	}
	c := def.StoreContext{ControlPlane: in.cp.capabilities().ControlPlane, Mesh: in.meshAmong(resources)}
	for _, r := range resources {
		if _, exists := stored[r.Key()]; r.Type == kuma.KindMesh && !exists {
			resources = append(kinds.Initial(r), resources...) // planned resources with their names replace them
			break
		}
	}
	in.resources = slices.Clone(in.resources)
	for _, r := range resources {
		k, _ := kinds.Find(r.Type)
		i, exists := stored[r.Key()]
		if !exists {
			i = len(in.resources)
			stored[r.Key()] = i
			in.resources = append(in.resources, kuma.Resource{})
		}
		c.Create, r.CreationTime = !exists, in.resources[i].CreationTime // it decides between gateways
		in.resources[i] = k.Store(r, c)
	}
}

// plannedResource reads a whole resource of this provider, or a document, which
// nothing has validated before.
func plannedResource(v tftypes.Value) (document.Document, error) {
	if _, err := tfvalue.Attributes(v); err != nil {
		return document.Document{}, errors.New("write a whole resource, such as kuma_mesh_timeout.web, or a document as an object")
	}
	doc, err := objectTree(v)
	if err != nil {
		return document.Document{}, err
	}
	var reader document.Reader
	if !isResource(v) {
		reader.Check = document.Fields
	}
	return reader.Value(doc).Only()
}

// meshAmong returns the mesh of the resources, the planned one first.
func (in *analysisInput) meshAmong(planned []kuma.Resource) kuma.Resource {
	for _, r := range slices.Concat(planned, in.resources) {
		if r.Type == kuma.KindMesh && r.Name == in.mesh {
			return r
		}
	}
	return kuma.Resource{}
}

func (in *analysisInput) drop(which func(kuma.Resource) bool) {
	in.resources = slices.DeleteFunc(in.resources, which)
}

func (in *analysisInput) has(key kuma.Key) bool {
	return slices.ContainsFunc(in.resources, func(r kuma.Resource) bool { return r.Key() == key })
}

// knownDataplanes lists dataplanes for a message, with a leading space.
func (in *analysisInput) knownDataplanes() string {
	const most = 10
	var names []string
	for _, r := range in.resources {
		if r.Type == kuma.KindDataplane && r.Mesh == in.mesh {
			names = append(names, r.Name)
		}
	}
	slices.Sort(names)
	if len(names) == 0 {
		return " The mesh has no dataplanes."
	}
	return " Dataplanes of the mesh: " + phrase.Some(names, most, "") + "."
}
