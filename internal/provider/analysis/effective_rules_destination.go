package analysis

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// destinationModel identifies the destination of outgoing traffic.
type destinationModel struct {
	Kind        types.String `tfsdk:"kind"`
	Name        types.String `tfsdk:"name"`
	Labels      types.Map    `tfsdk:"labels"`
	SectionName types.String `tfsdk:"section_name"`
	Route       types.String `tfsdk:"route"`
}

func destinationBlock() schema.Block {
	text := func(doc string) schema.Attribute {
		return schema.StringAttribute{Optional: true, MarkdownDescription: doc}
	}
	return schema.SingleNestedBlock{
		MarkdownDescription: describe("effective_rules_destination"),
		Attributes: map[string]schema.Attribute{
			"kind": text("Kind of the destination: " + phrase.Or(rules.DestinationKinds()...) + ". Required inside the block."),
			"name": text("Name or display name of the destination. For a MeshService it may also be the value of the tag `kuma.io/service` if no resource has that name."),
			"labels": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Labels that the destination must have. Exactly one destination must match `name` and `labels`.",
			},
			"section_name": text("Name of the port, or its number if it has no name. If unset, the result is the one for ports without their own settings."),
			"route":        text("Name or identifier (KRI) of the route that the traffic takes. If unset, the traffic does not match a route."),
		},
	}
}

// check reports problems that do not depend on the mesh.
func (m *destinationModel) check(diags *diag.Diagnostics) {
	at := path.Root("destination")
	allowed := rules.DestinationKinds()
	switch kind := m.Kind.ValueString(); {
	case m.Kind.IsUnknown():
	case m.Kind.IsNull():
		diags.AddAttributeError(at, "Missing destination kind", "kind is required in a destination block. Valid values: "+phrase.Or(allowed...)+".")
	case !slices.Contains(allowed, kind):
		diags.AddAttributeError(at.AtName("kind"), "Invalid destination kind", fmt.Sprintf("%q is not a kind of destination. Valid values: %s.%s", kind, phrase.Or(allowed...), phrase.Suggest(kind, allowed)))
	}
	if m.Name.IsNull() && m.Labels.IsNull() {
		diags.AddAttributeError(at, "Missing destination name", "A destination block requires name, or labels that exactly one resource of the kind has.")
	}
}

// find returns the destination in a snapshot. It reports when none matches, or more than one. A
// route that does not select the proxy is ignored.
func (m *destinationModel) find(ctx context.Context, s *rules.Snapshot, meshName, proxy string, diags *diag.Diagnostics) *rules.Destination {
	at := path.Root("destination")
	var labels map[string]string
	diags.Append(m.Labels.ElementsAs(ctx, &labels, false)...)
	kind, name := m.Kind.ValueString(), m.Name.ValueString()
	found := s.Candidates(meshName, kind, name, labels)
	var d rules.Destination
	switch {
	case len(found) == 1:
		d.Resource = found[0].ID()
		d.Section = m.section(found[0], diags)
	case len(found) > 1:
		diags.AddAttributeError(at, "Ambiguous destination",
			fmt.Sprintf("%d resources of kind %s match: %s. Add labels that only one of them has.", len(found), kind, identified(found)))
	case kind == kuma.KindMeshService && len(labels) == 0 && !s.Exclusive(meshName) && s.HasServiceTag(meshName, name):
		d.Tags = map[string]string{kuma.TagService: name}
	default:
		diags.AddAttributeError(at, "Destination not found",
			fmt.Sprintf("No stored or planned %s of mesh %q has %s. %s", kind, meshName, m.described(labels), inMesh("resources of kind "+kind, s.Candidates(meshName, kind, "", nil))))
	}
	if !m.Route.IsNull() {
		m.route(s, meshName, proxy, &d, diags)
	}
	return &d
}

// described returns the name and labels of the destination for a message.
func (m *destinationModel) described(labels map[string]string) string {
	var parts []string
	if !m.Name.IsNull() {
		parts = append(parts, fmt.Sprintf("the name %q", m.Name.ValueString()))
	}
	if len(labels) > 0 {
		parts = append(parts, "the labels "+phrase.Pairs(labels))
	}
	return phrase.And(parts...)
}

// section returns the name of the selected port.
func (m *destinationModel) section(c rules.Candidate, diags *diag.Diagnostics) string {
	section := m.SectionName.ValueString()
	if section != "" && !slices.Contains(c.Ports, section) {
		diags.AddAttributeError(path.Root("destination").AtName("section_name"), "Port not found",
			fmt.Sprintf("%s %q has no port %q. Its ports: %s.%s", c.Type, c.Name, section, cmp.Or(phrase.And(c.Ports...), "none"), phrase.Suggest(section, c.Ports)))
	}
	return section
}

// route sets the route of a destination, if the proxy has it.
func (m *destinationModel) route(s *rules.Snapshot, meshName, proxy string, d *rules.Destination, diags *diag.Diagnostics) {
	at := path.Root("destination").AtName("route")
	wanted := m.Route.ValueString()
	id, err := kuma.ParseKRI(wanted)
	section := id.Section
	id.Section = ""
	var all, found []rules.Candidate
	for _, kind := range rules.RouteKinds() {
		all = append(all, s.Candidates(meshName, kind, "", nil)...)
		if err != nil {
			found = append(found, s.Candidates(meshName, kind, wanted, nil)...)
		}
	}
	if err == nil {
		for _, c := range all {
			if kinds.KRI(c.ID()) == id.String() {
				found = append(found, c)
			}
		}
	}
	switch len(found) {
	case 1:
	case 0:
		diags.AddAttributeError(at, "Route not found", fmt.Sprintf("Route %q is neither stored nor planned in mesh %q. %s", wanted, meshName, inMesh("routes", all)))
		return
	default:
		diags.AddAttributeError(at, "Ambiguous route", fmt.Sprintf("%q matches %s. Set route to the identifier of one of them.", wanted, identified(found)))
		return
	}
	route := found[0]
	if excluded, err := s.Excluded(route.Key(), proxy); err != nil || excluded != rules.NotExcluded {
		diags.AddAttributeWarning(at, "Route does not select the proxy",
			fmt.Sprintf("%s %q does not select Dataplane %q, so destination_conf contains what applies without the route. The attribute warnings contains the reason.", route.Type, route.Name, proxy))
		return
	}
	d.Route, d.RouteSection = route.ID(), section
}

// inMesh says which candidates a mesh has.
func inMesh(what string, candidates []rules.Candidate) string {
	if len(candidates) == 0 {
		return fmt.Sprintf("The mesh has no %s.", what)
	}
	return fmt.Sprintf("The mesh has %s.", identified(candidates))
}

// identified lists the identifiers of candidates, only a few of them if there are many.
func identified(candidates []rules.Candidate) string {
	const most = 5
	return phrase.Some(phrase.Each(candidates, func(c rules.Candidate) string { return kinds.KRI(c.ID()) }), most, "")
}
