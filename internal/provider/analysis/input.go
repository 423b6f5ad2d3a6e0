package analysis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/explain"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/connection"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

// analysisInput holds the resources of one mesh for an analysis: the stored ones (or
// the documents that replace them) and the planned ones, without those that are
// removed. Problems are reported in the diagnostics, on the attribute that they come
// from.
type analysisInput struct {
	cp           *connection.Connection
	controlPlane kuma.ControlPlane // the one that stores the resources
	ofDocuments  bool              // documents replace the stored resources
	mesh         string
	relevant     []def.Kind      // kinds to read
	before       []kuma.Resource // without the planned resources, and with the removed ones
	resources    []kuma.Resource
	release      kuma.Release // whose matching of policies applies
	caveat       string       // about the release; empty if there is none
	applied      bool         // this run has already written to the mesh
	planned      []kuma.Key   // keys of new and changed resources
	diags        *diag.Diagnostics
}

// loadResources reads the documents, or the stored resources when they are null, for an
// analysis as the requested release. The written documents will be stored beside them.
func (in *analysisInput) loadResources(ctx context.Context, documents types.List, requested kuma.Release, written []document.Document) {
	if documents.IsNull() {
		if in.loadStored(ctx) {
			in.setRelease(requested)
		}
		return
	}
	in.ofDocuments = true
	var texts []string
	in.diags.Append(documents.ElementsAs(ctx, &texts, false)...)
	reader := in.reader(document.Values)
	var from Origins
	reader.Skip = func(_ string, doc map[string]any) bool {
		from.Add(doc)
		return false
	}
	var found []document.Document
	for i, text := range texts {
		found = append(found, in.readDocuments(reader, text, path.Root("documents").AtListIndex(i))...)
	}
	relevant := KindNames(in.relevant)
	found = slices.DeleteFunc(found, func(d document.Document) bool { return !slices.Contains(relevant, d.Resource.Type) })
	in.controlPlane = from.ControlPlane()
	in.controlPlane.Release = StoredBy(slices.Concat(found, written), requested)
	in.resources = AsStored(found, in.controlPlane)
	in.setRelease(requested)
}

// reader returns a reader of documents that ignores kinds that the analysis does not
// take into account.
func (in *analysisInput) reader(check document.Check) *document.Reader {
	return &document.Reader{UnknownKinds: document.LeaveOut, Accept: KindNames(in.relevant), Check: check, OmitsSecrets: true}
}

// loadStored reads what the control plane stores, and reports whether it could.
func (in *analysisInput) loadStored(ctx context.Context) bool {
	if !in.cp.Ready(in.diags) {
		return false
	}
	in.controlPlane = in.cp.Capabilities().ControlPlane
	stored, err := in.cp.Store.MeshResources(ctx, in.mesh, in.relevant)
	if err != nil {
		report.Connection(in.diags, err)
		return false
	}
	in.resources = slices.Clone(stored)
	return true
}

// setRelease sets the release of the analysis, by default that which stores the resources,
// and warns if it is not known how that matches policies.
func (in *analysisInput) setRelease(requested kuma.Release) {
	in.release = cmp.Or(requested, in.controlPlane.Release)
	if in.release.IsMinorOf(in.controlPlane.Release) {
		in.release = in.controlPlane.Release
	}
	var exact bool
	if in.caveat, exact = explain.Release(in.release); !exact {
		in.diags.AddWarning("Matching of policies not known", in.caveat+" The result can differ from what the control plane does. Compare it with the inspect API of the control plane, or use a version of the provider that supports the release.")
	}
}

// snapshot prepares the resources for matching, as the release of the analysis reads them.
func (in *analysisInput) snapshot() *rules.Snapshot {
	read, text := AsReadBy(in.resources, in.controlPlane, in.release)
	in.caveat = strings.TrimSpace(text + " " + in.caveat)
	reader := in.controlPlane
	reader.Release = in.release
	return rules.NewSnapshotFor(in.release, read).RestrictOutbound(reader.RestrictsOutbound())
}

// storedSnapshot prepares resources for matching, as the release that stores them.
func (in *analysisInput) storedSnapshot(resources []kuma.Resource) *rules.Snapshot {
	return rules.NewSnapshotFor(in.controlPlane.Release, resources).RestrictOutbound(in.controlPlane.RestrictsOutbound())
}

func (in *analysisInput) readDocuments(reader *document.Reader, text string, at path.Path) []document.Document {
	found, err := reader.Text([]byte(text))
	if err != nil {
		in.diags.AddAttributeError(at, "Invalid YAML", phrase.Sentence(err))
		return nil
	}
	for _, p := range found.Problems {
		if !p.Warning {
			in.diags.AddAttributeError(at, p.Summary, phrase.Sentence(p))
		}
	}
	in.reportIgnored(at, found.LeftOut)
	return found.Documents
}

func (in *analysisInput) reportIgnored(at path.Path, ignored []kuma.Key) {
	if ignored != nil {
		in.diags.AddAttributeWarning(at, "Documents ignored",
			fmt.Sprintf("The analysis ignores %s: their kinds do not take part in the matching of policies with a targetRef. The result does not include their settings.", phrase.And(each(ignored, kuma.Key.String)...)))
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
		diags.AddAttributeError(path.Root("planned"), "Invalid value for planned", "planned must be a list of resources, such as [kuma_mesh_timeout.web, kuma_mesh_http_route.web].")
	}
	return elements
}

func reportPlanned(diags *diag.Diagnostics, i int, err error) {
	diags.AddAttributeError(path.Root("planned").AtTupleIndex(i), "Invalid planned resource", fmt.Sprintf("Element %d: %s", i, phrase.Sentence(err)))
}

// readPlanned reads the resources of the attribute planned that affect the analysis.
func (in *analysisInput) readPlanned(config tftypes.Value) []document.Document {
	root, err := tfvalue.Attributes(config)
	if err != nil || root["planned"].IsNull() {
		return nil
	}
	var found []document.Document
	relevant := KindNames(in.relevant)
	for i, v := range plannedElements(root["planned"], in.diags) {
		d, ignored, err := in.plannedResource(v)
		if err != nil {
			reportPlanned(in.diags, i, err)
			continue
		}
		in.reportIgnored(path.Root("planned").AtTupleIndex(i), ignored)
		r := d.Resource
		ofMesh := r.Mesh == in.mesh || d.Kind.Scope == def.Global && (r.Type != kuma.KindMesh || r.Name == in.mesh)
		if ofMesh && slices.Contains(relevant, r.Type) {
			found = append(found, d)
		}
	}
	return found
}

// applyPlanned applies resources as if they were written now.
func (in *analysisInput) applyPlanned(resources []kuma.Resource) {
	for _, r := range resources {
		in.planned = append(in.planned, r.Key())
	}
	in.resources = WithPlanned(in.resources, resources, in.controlPlane)
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
	check := document.Fields
	if tfvalue.IsResource(v) {
		check = document.Envelope
	}
	found := in.reader(check).Value(doc)
	if found.LeftOut != nil {
		return read, found.LeftOut, nil
	}
	read, err = found.Only()
	return read, nil, err
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

// KindNames returns the names of kinds.
func KindNames(all []def.Kind) []string {
	return each(all, func(k def.Kind) string { return k.Name })
}
