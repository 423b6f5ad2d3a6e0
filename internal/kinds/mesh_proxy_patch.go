package kinds

import (
	"fmt"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// MeshProxyPatch changes the configuration of Envoy that Kuma generates.
var MeshProxyPatch = spec.Kind{
	Name: "MeshProxyPatch", Path: "meshproxypatches", ShortName: "mpp",
	ZoneOwned: true, GlobalOwned: true,
	Doc: "Changes the Envoy configuration of the selected proxies, after everything else has shaped it. " +
		"The control plane checks the pieces, not the result: what Envoy refuses in the end stops every further update of these proxies.",
	Policy: &spec.Policy{Order: 9999, Single: true},
	Fields: spec.Object{
		topRefByRole(mesh.KindMesh, mesh.KindDataplane, mesh.KindMeshGateway, mesh.KindMeshSubset, mesh.KindMeshService, mesh.KindMeshServiceSubset),
		defaultConf(spec.Object{{
			Name: "appendModifications", Type: spec.List{Elem: modifications}, Required: true, Merge: spec.Append,
			Checks: spec.Checks(spec.Items(1, maxItems).At(spec.Rule), spec.Each(oneModification)),
			Doc:    "The changes, in the order in which they are made. Those of all policies for a proxy add up.",
		}}),
	},
	Checks: spec.Checks(wholeGateway),
}

// What a modification does.
const (
	opAdd       = "Add"
	opRemove    = "Remove"
	opPatch     = "Patch"
	opAddFirst  = "AddFirst"
	opAddBefore = "AddBefore"
	opAddAfter  = "AddAfter"
	opAddLast   = "AddLast"
)

// modifications holds one member per type of what can be changed.
var modifications = spec.Object{
	modification("cluster", "a cluster", "Cluster", []string{opAdd, opRemove, opPatch}, matching(), newHasNo("match"), newHas("name")),
	modification("listener", "a listener", "Listener", []string{opAdd, opRemove, opPatch},
		matching(spec.Field{Name: "tags", Type: spec.Map{Elem: spec.String}, Doc: "Tags that the metadata of the listener must all hold."}),
		newHasNo("match")),
	modification("networkFilter", "a network filter of a listener", "listener Filter", filterOperations, matching(listenerOfFilter...), neighbourNeeded, newHas("name")),
	modification("httpFilter", "an HTTP filter of a connection manager", "HttpFilter", filterOperations, matching(listenerOfFilter...), neighbourNeeded, newHas("name")),
	modification("virtualHost", "a virtual host of a route configuration", "VirtualHost", []string{opAdd, opRemove, opPatch}, matchingHost(),
		newHasNo("match", "name"), newHas("name"), newHas("domains")),
}

// filterOperations: a filter has a place among others, so it is added to one
// side of them.
var filterOperations = []string{opRemove, opPatch, opAddFirst, opAddBefore, opAddAfter, opAddLast}

var listenerOfFilter = []spec.Field{
	{Name: "listenerName", Type: spec.String, Doc: "Name of the listener."},
	{Name: "listenerTags", Type: spec.Map{Elem: spec.String}, Doc: "Tags that the metadata of the listener must all hold."},
}

func matching(more ...spec.Field) spec.Field {
	return spec.Field{Name: "match", Doc: "Which ones are changed: those that fit all members. All of them when unset.", Type: append(spec.Object{
		{Name: "origin", Type: spec.String, Doc: "Part of the control plane that made it, such as `inbound` or `outbound`."},
		{Name: "name", Type: spec.String, Doc: "Its name."},
	}, more...)}
}

// matchingHost cannot be left out, because a new host needs a place as well.
func matchingHost() spec.Field {
	f := matching(spec.Field{Name: "routeConfigurationName", Type: spec.String, Doc: "Name of the route configuration."})
	f.Required = true
	return f
}

func modification(name, what, message string, operations []string, match spec.Field, checks ...spec.Check) spec.Field {
	return spec.Field{Name: name, Doc: "Changes " + what + ".", Checks: append(spec.Checks(contentFits), checks...), Type: spec.Object{
		match,
		{
			Name: "operation", Type: spec.String, Required: true, OneOf: operations,
			Doc: "What happens. `Patch` merges `value` into what is there, or applies `json_patches` to it.",
		},
		{
			Name: "value", Type: spec.String, Checks: spec.Checks(yamlObject),
			Doc: fmt.Sprintf("A %s of Envoy's API v3, or for `Patch` a part of one, in YAML or JSON. Not with `Remove`.", message),
		},
		{
			Name: "jsonPatches", Type: spec.List{Elem: jsonPatch}, Checks: spec.Checks(spec.Each(jsonPatchMembers)),
			Doc: "Steps of a JSON patch (RFC 6902), for `Patch` instead of `value`. A step whose path does not exist is left out silently.",
		},
	}}
}

var oneModification = spec.Check{
	Doc: "Each with exactly one block.",
	Test: func(n spec.Node) []spec.Problem {
		var set []string
		for _, f := range modifications {
			switch m := n.Get(f.Name); {
			case m.Unknown():
				return nil
			case m.Known():
				set = append(set, f.Name)
			}
		}
		if len(set) == 1 {
			return nil
		}
		return []spec.Problem{n.Problem("One modification per entry", fmt.Sprintf("An entry changes one thing, and %d are set. Give each of them an entry of its own.", len(set)))}
	},
}
