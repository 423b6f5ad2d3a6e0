package provider

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// world collects the resources of one mesh that an analysis looks at: what is
// stored (or the documents that stand in for it), what is planned on top, and
// without what is removed. What goes wrong ends up in the diagnostics, on the
// attribute that it came from.
type world struct {
	cp        *connection
	mesh      string
	kinds     []def.Kind      // to look at
	before    []kuma.Resource // without what is planned, and with what is removed
	resources []kuma.Resource
	planned   []kuma.Key // those of resources that are not stored, or not like this
	diags     *diag.Diagnostics
}

func (w *world) load(ctx context.Context, documents types.List) {
	if documents.IsNull() {
		w.loadStored(ctx)
		return
	}
	var texts []string
	w.diags.Append(documents.ElementsAs(ctx, &texts, false)...)
	var decoder tree.YAMLDecoder
	for i, text := range texts {
		w.loadDocuments(&decoder, text, path.Root("documents").AtListIndex(i))
	}
	w.resources = withMesh(w.resources, w.mesh)
}

// withMesh adds a mesh with default settings where there is none.
func withMesh(resources []kuma.Resource, name string) []kuma.Resource {
	key := kuma.Key{Type: kuma.KindMesh, Name: name}
	if slices.ContainsFunc(resources, func(r kuma.Resource) bool { return r.Key() == key }) {
		return resources
	}
	return append(resources, kuma.Resource{Type: kuma.KindMesh, Name: name, Body: map[string]any{}})
}

func (w *world) loadStored(ctx context.Context) {
	if !w.cp.ready(w.diags) {
		return
	}
	stored, err := w.cp.store.MeshResources(ctx, w.mesh, w.kinds)
	if err != nil {
		reportConnection(w.diags, err)
		return
	}
	w.resources = slices.Clone(stored)
}

func (w *world) loadDocuments(decoder *tree.YAMLDecoder, text string, at path.Path) {
	docs, err := decoder.Decode([]byte(text))
	if err != nil {
		w.diags.AddAttributeError(at, "The documents are no YAML", phrase.Sentence(err))
		return
	}
	var leftOut []string
	for i, doc := range docs {
		r, err := kuma.FromDocument(doc, kinds.Form)
		if err != nil {
			w.diags.AddAttributeError(at, "Invalid document", fmt.Sprintf("Document %d: %s", i+1, phrase.Sentence(err)))
			continue
		}
		k, known := kinds.Find(r.Type)
		if !known {
			meant, misspelt := kinds.Misspelt(r.Type)
			switch {
			case slices.ContainsFunc(w.kinds, func(k def.Kind) bool { return k.Name == r.Type }):
				w.resources = append(w.resources, r)
			case misspelt:
				w.diags.AddAttributeError(at, "Unknown kind", fmt.Sprintf("Document %d (%s): There is no kind %q. Did you mean %q?", i+1, r.Key(), r.Type, meant))
			default:
				leftOut = append(leftOut, r.Key().String())
			}
			continue
		}
		for _, p := range def.Errors(k.Validate(r.Document())) {
			w.diags.AddAttributeError(at, p.Summary, fmt.Sprintf("Document %d (%s), %s: %s", i+1, r.Key(), p.Path, p.Detail))
		}
		w.resources = append(w.resources, k.Store(r, def.Circumstances{}))
	}
	if leftOut != nil {
		w.diags.AddAttributeWarning(at, "Some documents are left out",
			fmt.Sprintf("%s take no part in the matching of policies with a targetRef. Whether they set something that is missing here, this analysis does not know.", phrase.And(leftOut...)))
	}
}

// plan lays the resources of the attribute planned over what is there.
func (w *world) plan(config tftypes.Value) {
	root, err := tfvalue.Attributes(config)
	if err != nil || root["planned"].IsNull() {
		return
	}
	at := path.Root("planned")
	var planned []tftypes.Value
	if err := root["planned"].As(&planned); err != nil {
		w.diags.AddAttributeError(at, "planned must be a list", "Write planned as a list of resources, such as [kuma_mesh_timeout.web, kuma_mesh_http_route.web].")
		return
	}
	var resources []kuma.Resource
	for i, v := range planned {
		k, r, err := plannedResource(v)
		if err != nil {
			w.diags.AddAttributeError(at.AtTupleIndex(i), "Not a resource of this provider", fmt.Sprintf("Element %d: %s", i, phrase.Sentence(err)))
			continue
		}
		if r.Mesh == w.mesh || k.Scope == def.Global && (k.Name != kuma.KindMesh || r.Name == w.mesh) {
			resources = append(resources, r)
		}
	}
	w.lay(resources)
}

// lay adds resources as if they were written now, or puts them in the place of
// those with the same names.
func (w *world) lay(resources []kuma.Resource) {
	for _, r := range resources {
		w.planned = append(w.planned, r.Key())
	}
	c := def.Circumstances{ControlPlane: w.cp.capabilities().ControlPlane, Mesh: w.meshAmong(resources)}
	for _, r := range resources {
		if r.Type == kuma.KindMesh && !w.has(r.Key()) {
			resources = append(kinds.Initial(r), resources...) // what is planned under their names replaces them
			break
		}
	}
	for _, r := range resources {
		k, _ := kinds.Find(r.Type)
		c.Create = true
		if i := w.index(r.Key()); i >= 0 {
			c.Create, r.CreationTime = false, w.resources[i].CreationTime // which decides between gateways
		}
		w.drop(func(old kuma.Resource) bool { return old.Key() == r.Key() })
		w.resources = append(w.resources, k.Store(r, c))
	}
}

// plannedResource reads a whole resource of this provider.
func plannedResource(v tftypes.Value) (def.Kind, kuma.Resource, error) {
	values, err := tfvalue.Attributes(v)
	if err != nil {
		return def.Kind{}, kuma.Resource{}, errors.New("a whole resource is needed, such as kuma_mesh_timeout.web")
	}
	if m, ok := values["manifest"]; ok {
		return documentResource(m)
	}
	var kind string
	if t, ok := values["type"]; !ok || t.As(&kind) != nil {
		return def.Kind{}, kuma.Resource{}, errors.New("the object has no type: give a whole resource, such as kuma_mesh_timeout.web")
	}
	k, ok := kinds.Find(kind)
	if !ok {
		return def.Kind{}, kuma.Resource{}, fmt.Errorf("%q is no kind of resource that this provider plans", kind)
	}
	doc, err := tfvalue.Encode(k, v)
	if err != nil {
		return def.Kind{}, kuma.Resource{}, err
	}
	r, err := kuma.FromDocument(doc, kinds.Form)
	return k, r, err
}

// meshAmong returns the mesh that the resources live in, the planned one first.
func (w *world) meshAmong(planned []kuma.Resource) kuma.Resource {
	for _, r := range slices.Concat(planned, w.resources) {
		if r.Type == kuma.KindMesh && r.Name == w.mesh {
			return r
		}
	}
	return kuma.Resource{}
}

// remove leaves out the resources with the given identifiers.
func (w *world) remove(ctx context.Context, removed types.List) {
	var kris []string
	w.diags.Append(removed.ElementsAs(ctx, &kris, false)...)
	for i, id := range kris {
		at := path.Root("removed").AtListIndex(i)
		if _, err := kuma.ParseKRI(id); err != nil {
			w.diags.AddAttributeError(at, "Not an identifier", phrase.Sentence(err))
			continue
		}
		before := len(w.resources)
		w.drop(func(r kuma.Resource) bool { return kinds.KRI(r.ID()) == id })
		if len(w.resources) == before {
			w.diags.AddAttributeWarning(at, "There is nothing to remove", fmt.Sprintf("No resource of mesh %q has the identifier %s, so leaving it out changes nothing.", w.mesh, id))
		}
	}
}

func (w *world) drop(which func(kuma.Resource) bool) {
	w.resources = slices.DeleteFunc(w.resources, which)
}

func (w *world) has(key kuma.Key) bool { return w.index(key) >= 0 }

func (w *world) index(key kuma.Key) int {
	return slices.IndexFunc(w.resources, func(r kuma.Resource) bool { return r.Key() == key })
}

// known lists dataplanes for a message, with a leading blank.
func (w *world) known() string {
	const most = 10
	var names []string
	for _, r := range w.resources {
		if r.Type == kuma.KindDataplane && r.Mesh == w.mesh {
			names = append(names, r.Name)
		}
	}
	slices.Sort(names)
	switch {
	case len(names) == 0:
		return " The mesh has none."
	case len(names) > most:
		return fmt.Sprintf(" The mesh has %d, among them %s.", len(names), strings.Join(names[:most], ", "))
	}
	return " The mesh has " + phrase.And(names...) + "."
}
