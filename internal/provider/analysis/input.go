package analysis

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/explain"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/connection"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

// analysisInput holds the mesh of an analysis. Problems are reported in the diagnostics, on
// the attribute that they come from.
type analysisInput struct {
	input.Mesh
	relevant []def.Kind // kinds to read
	applied  bool       // this run has already written to the mesh
	diags    *diag.Diagnostics
}

// ofDocuments reads the documents that replace the stored resources, and adds what will be
// written.
func (in *analysisInput) ofDocuments(ctx context.Context, list types.List, requested kuma.Release, written []document.Document) {
	var texts []string
	in.diags.Append(list.ElementsAs(ctx, &texts, false)...)
	relevant := input.KindNames(in.relevant)
	documents := input.NewDocuments(func(kind string, _ map[string]any) bool {
		_, described := kinds.Find(kind)
		return !described || slices.Contains(relevant, kind)
	})
	documents.Reader.Accept = relevant
	for i, text := range texts {
		at := path.Root("documents").AtListIndex(i)
		documents.Add(in.readDocuments(&documents.Reader, text, at))
		if err := input.CheckMesh(in.Name, documents); err != nil {
			in.diags.AddAttributeError(at, "Missing mesh", phrase.Sentence(err))
			break
		}
	}
	documents.AddPlanned(written...)
	in.Mesh = documents.Mesh(in.Name, requested)
	in.checkRelease()
}

// stored returns what the control plane stores, and reports whether it could be read.
func (in *analysisInput) stored(ctx context.Context, cp *connection.Connection) ([]kuma.Resource, bool) {
	if !cp.Ready(in.diags) {
		return nil, false
	}
	stored, err := cp.Store.MeshResources(ctx, in.Name, in.relevant)
	if err != nil {
		report.Connection(in.diags, err)
	}
	return stored, err == nil
}

// checkRelease warns if it is not known how the release of the analysis matches policies.
func (in *analysisInput) checkRelease() {
	var exact bool
	if in.Note, exact = explain.Release(in.Release); !exact {
		in.diags.AddWarning("Matching of policies not known", in.Note+
			" The result can differ from what the control plane does. "+
			"Compare it with the inspect API of the control plane, or use a version of the provider that supports the release.")
	}
}

func (in *analysisInput) readDocuments(reader *document.Reader, text string, at path.Path) document.Result {
	found, err := reader.Text([]byte(text))
	if err != nil {
		in.diags.AddAttributeError(at, "Invalid YAML", phrase.Sentence(err))
		return found
	}
	for _, p := range found.Problems {
		if !p.Warning {
			in.diags.AddAttributeError(at, p.Summary, phrase.Sentence(p))
		}
	}
	in.reportIgnored(at, found.LeftOut)
	return found
}

func (in *analysisInput) reportIgnored(at path.Path, ignored []kuma.Key) {
	if ignored != nil {
		in.diags.AddAttributeWarning(at, "Documents ignored",
			fmt.Sprintf("The analysis ignores %s: their kinds do not take part in the matching of policies with a targetRef. "+
				"The result does not include their settings.", phrase.And(phrase.Each(ignored, kuma.Key.String)...)))
	}
}

// checkPlanned reports a value of planned that is not a list of resources, as far as it
// is known. Resources of the configuration are not: Terraform reads the data source only
// after it has written them if planned refers to them directly.
func checkPlanned(config tftypes.Value, diags *diag.Diagnostics) {
	root, err := tfvalue.Attributes(config)
	if err != nil || root["planned"].IsNull() {
		return
	}
	if planned := root["planned"]; !planned.IsKnown() && !planned.Type().Is(tftypes.String) {
		return
	}
	in := analysisInput{relevant: kinds.All()}
	for i, v := range plannedElements(root["planned"], diags) {
		if _, notObject := tfvalue.Attributes(v); v.IsFullyKnown() || v.IsKnown() && notObject != nil {
			if _, _, err := in.plannedResource(v); err != nil {
				reportPlanned(diags, i, err)
			}
		}
	}
}

// plannedElements returns the elements of planned.
func plannedElements(planned tftypes.Value, diags *diag.Diagnostics) []tftypes.Value {
	var elements []tftypes.Value
	if err := planned.As(&elements); err != nil {
		diags.AddAttributeError(path.Root("planned"), "Invalid value for planned",
			"planned must be a list of resources, such as [kuma_mesh_timeout.web, kuma_mesh_http_route.web].")
	}
	return elements
}

func reportPlanned(diags *diag.Diagnostics, i int, err error) {
	diags.AddAttributeError(path.Root("planned").AtTupleIndex(i), "Invalid planned resource",
		fmt.Sprintf("Element %d: %s", i, phrase.Sentence(err)))
}

// readPlanned reads the resources of the attribute planned that affect the analysis.
func (in *analysisInput) readPlanned(config tftypes.Value) []document.Document {
	root, err := tfvalue.Attributes(config)
	if err != nil || root["planned"].IsNull() {
		return nil
	}
	var found []document.Document
	relevant := input.KindNames(in.relevant)
	for i, v := range plannedElements(root["planned"], in.diags) {
		d, ignored, err := in.plannedResource(v)
		if err == nil {
			err = d.In(in.Name)
		}
		if err != nil {
			reportPlanned(in.diags, i, err)
			continue
		}
		in.reportIgnored(path.Root("planned").AtTupleIndex(i), ignored)
		r := d.Resource
		ofMesh := r.Mesh == in.Name || d.Kind.Scope == def.Global && (r.Type != kuma.KindMesh || r.Name == in.Name)
		if ofMesh && slices.Contains(relevant, r.Type) {
			found = append(found, d)
		}
	}
	return found
}

// plannedResource reads a whole resource of this provider, or a document, which
// nothing has validated before. A document of a kind that the analysis ignores is only
// named.
func (in *analysisInput) plannedResource(v tftypes.Value) (read document.Document, ignored []kuma.Key, err error) {
	if _, err := tfvalue.Attributes(v); err != nil {
		return read, nil, errors.New("write a whole resource, such as kuma_mesh_timeout.web, or a document as an object")
	}
	doc, err := tfvalue.Document(v)
	if err != nil {
		return read, nil, err
	}
	reader := document.Reader{
		UnknownKinds: document.LeaveOut, Accept: input.KindNames(in.relevant), Check: document.Fields, OmitsSecrets: true,
	}
	if tfvalue.IsResource(v) {
		reader.Check = document.Envelope
	}
	found := reader.Value(doc)
	if found.LeftOut != nil {
		return read, found.LeftOut, nil
	}
	read, err = found.Only()
	return read, nil, err
}

// knownDataplanes lists dataplanes for a message, with a leading space.
func (in *analysisInput) knownDataplanes() string {
	const most = 10
	var names []string
	for _, r := range in.Resources {
		if r.Type == kuma.KindDataplane && r.Mesh == in.Name {
			names = append(names, r.Name)
		}
	}
	slices.Sort(names)
	if len(names) == 0 {
		return " The mesh has no dataplanes."
	}
	return " Dataplanes of the mesh: " + phrase.Some(names, most, "") + "."
}
