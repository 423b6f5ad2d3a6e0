package kinds

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/object"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/policy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// MeshProxyPatch changes the configuration of Envoy that Kuma generates.
var MeshProxyPatch = def.Kind{
	Name: "MeshProxyPatch", Path: "meshproxypatches", ShortName: "mpp",
	ZoneOwned: kuma.Always(), GlobalOwned: true,
	Doc: "Modifies the Envoy configuration of the selected proxies, after all other policies are applied. " +
		"The control plane checks each modification but not the result: " +
		"if Envoy rejects the configuration, these proxies no longer get any updates.",
	Use: "Use it only for features of Envoy that no other policy supports: " +
		"it depends on the generated configuration, which can change between Kuma releases.",
	Policy: &def.Policy{Order: 9999, Single: true},
	Fields: def.Object{
		policy.TargetRefByRole(policy.AllProxies()...),
		policy.Default(def.Object{{
			Name: "appendModifications", Type: def.List{Elem: modifications}, Required: true, RequiredByRule: true, Merge: def.Append,
			Checks: def.Checks(def.Items(1, check.MaxItems).At(def.Rule), def.Each(oneModification)),
			Doc:    "Modifications, applied in this order. The modifications of all policies for a proxy are combined.",
		}}),
	},
	Checks: def.Checks(policy.WholeGateway),
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

// modifications holds one field per type of what can be changed.
var modifications = def.Object{
	modification("cluster", "a cluster", "Cluster", []string{opAdd, opRemove, opPatch}, matching(), newHasNo("match"), newHas("name")),
	modification("listener", "a listener", "Listener", []string{opAdd, opRemove, opPatch},
		matching(def.Field{
			Name: "tags", Type: def.StringMap{}, DropsEmpty: kuma.Before("2.10"),
			Doc: "Tags that the metadata of the listener must have.",
		}),
		newHasNo("match")),
	modification("networkFilter", "a network filter of a listener", "listener Filter", filterOperations, matching(listenerOfFilter...),
		neighborRequired, newHas("name")),
	modification("httpFilter", "an HTTP filter of a connection manager", "HttpFilter", filterOperations, matching(listenerOfFilter...),
		neighborRequired, newHas("name")),
	modification("virtualHost", "a virtual host of a route configuration", "VirtualHost", []string{opAdd, opRemove, opPatch}, matchingHost(),
		newHasNo("match", "name"), newHas("name"), newHas("domains")),
}

// filterOperations are the operations on filters, which are ordered: a filter
// is added at a position.
var filterOperations = []string{opRemove, opPatch, opAddFirst, opAddBefore, opAddAfter, opAddLast}

var listenerOfFilter = []def.Field{
	def.String.Field("listenerName", "Name of the listener."),
	{Name: "listenerTags", Type: def.StringMap{}, DropsEmpty: kuma.Before("2.10"), Doc: "Tags that the metadata of the listener must have."},
}

func matching(more ...def.Field) def.Field {
	return def.Field{
		Name: "match", Doc: "Selects the objects to modify; all conditions must match. All objects by default.",
		Type: append(def.Object{
			def.String.Field("origin", "Part of the control plane that generated the object, such as `inbound` or `outbound`."),
			def.String.Field("name", "Name of the object."),
		}, more...),
	}
}

// matchingHost is required, because a new virtual host also needs a route
// configuration.
func matchingHost() def.Field {
	f := matching(def.String.Field("routeConfigurationName", "Name of the route configuration."))
	f.Required = true
	return f
}

func modification(name, what, message string, operations []string, match def.Field, checks ...def.Check) def.Field {
	return def.Field{
		Name: name, Doc: "Changes " + what + ".", Checks: append(def.Checks(contentFits), checks...),
		Design: def.Checks(patchesAreUsed, pathExists(name)), Type: def.Object{
			match,
			{
				Name: "operation", Type: def.String, Required: true, OneOf: operations,
				Doc: "Operation to perform. `Patch` merges `value` into the existing configuration, or applies `json_patches` to it.",
			},
			def.String.Field("value",
				fmt.Sprintf("A %s of Envoy's API v3, or a part of it for `Patch`, in YAML or JSON. Not allowed with `Remove`.", message)),
			object.JSONPatches,
		},
	}
}

var oneModification = def.Check{
	Doc: "Each modification must have exactly one block.",
	Test: func(n tree.Node) []def.Problem {
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
		return []def.Problem{def.ErrorAt(n, "Several modifications in one entry",
			fmt.Sprintf("An entry must have exactly one modification, but %d are set. Use a separate entry for each.", len(set))).Instead(n.Path)}
	},
}

// operation returns what a modification does; empty when that is unknown.
func operation(n tree.Node) string {
	s, _ := n.Get("operation").Text()
	return s
}

// contentFits checks that a modification has what its operation works with.
var contentFits = def.Check{Test: func(n tree.Node) []def.Problem {
	value, patches := n.Get("value"), n.Get("jsonPatches")
	op := operation(n)
	switch {
	case op == "":
		return nil
	case op == opPatch && value.Known() && patches.Filled():
		return []def.Problem{def.ErrorAt(n, "value conflicts with jsonPatches",
			"A modification must set either \"value\" or \"jsonPatches\". Remove one of them.")}
	case op == opPatch && value.Absent() && patches.Empty():
		return []def.Problem{def.ErrorAt(n, "Missing value or jsonPatches", "The operation Patch requires \"value\" or \"jsonPatches\".")}
	case op == opPatch && patches.Unknown():
		return nil
	case op == opPatch && patches.Filled():
		return def.Each(object.JSONPatchStep).Test(patches)
	case op == opRemove:
		return def.RejectedEvenEmpty(value, "The operation Remove does not use a value. Use \"match\" to select what to remove.")
	case value.Absent():
		return []def.Problem{def.ErrorAt(value, "Missing value", fmt.Sprintf("The operation %s requires a value.", op))}
	}
	return check.YAMLObject.Test(value)
}}

// patchesAreUsed warns about JSON patches that are never applied.
var patchesAreUsed = def.Check{Test: func(n tree.Node) []def.Problem {
	patches := n.Get("jsonPatches")
	op := operation(n)
	return def.WarningIf(op != "" && op != opPatch && patches.Filled(), patches, "jsonPatches has no effect",
		"Only the operation Patch uses JSON patches. Remove them.")
}}

// alwaysSet are the fields that every generated object of a type has (measured with `_config`
// of 2.14.3 and the preview of 3.0).
var alwaysSet = map[string][]string{
	"cluster":       {"/name", "/type", "/connectTimeout", "/circuitBreakers"},
	"listener":      {"/name", "/address", "/trafficDirection"},
	"networkFilter": {"/statPrefix"},
	"virtualHost":   {"/name", "/domains", "/routes"},
}

// pathExists warns about steps of JSON patches that only work on what the generated object has:
// otherwise the control plane cannot generate the configuration of the proxy (validation.md §8).
func pathExists(patched string) def.Check {
	return def.Check{Test: func(n tree.Node) []def.Problem {
		if operation(n) != opPatch {
			return nil
		}
		var problems []def.Problem
		for _, step := range n.Get("jsonPatches").Items() {
			op, _ := step.Get("op").Text()
			for _, p := range neededPaths(op, step) {
				field, _, nested := strings.Cut(strings.TrimPrefix(p.pointer, "/"), "/")
				known := slices.Contains(alwaysSet[patched], "/"+field) && (!nested || field == "address")
				switch {
				case field == "" || known:
				case strings.Contains(field, "_"):
					problems = append(problems,
						def.ErrorAt(p.at, "Path does not exist",
							fmt.Sprintf("Paths use the names of JSON, such as connectTimeout, so no object has %q. "+
								"The control plane cannot generate the configuration of a proxy with an object to patch, which then gets no update at all.",
								p.pointer)).About(def.Frozen))
				default:
					problems = append(problems, def.WarningAt(p.at, "Path may not exist",
						fmt.Sprintf(
							"The operation %s requires %q. If an object to patch does not have it, the control plane cannot generate the configuration of the "+
								"proxy, which then gets no update at all, also not of other policies. Use the operation add, which creates or replaces a field.",
							op, p.pointer)))
				}
			}
		}
		return problems
	}}
}

// neededPath is a path that a step of a JSON patch requires.
type neededPath struct {
	at      tree.Node
	pointer string
}

// neededPaths returns the paths that must exist: what replace, move and copy read, and the parent
// of what move and copy write. The operations add and remove need none.
func neededPaths(op string, step tree.Node) []neededPath {
	path, from := step.Get("path"), step.Get("from")
	target, _ := path.Text()
	source, _ := from.Text()
	switch op {
	case "replace":
		return []neededPath{{path, target}}
	case "move", "copy":
		parent := target[:max(0, strings.LastIndex(target, "/"))]
		return []neededPath{{from, source}, {path, parent}}
	}
	return nil
}

func adds(n tree.Node) bool { return strings.HasPrefix(operation(n), opAdd) }

// newHas checks that what is added has a field that Envoy requires.
func newHas(field string) def.Check {
	return def.Check{Test: func(n tree.Node) []def.Problem {
		value := n.Get("value")
		text, ok := value.Text()
		m, err := check.ReadYAMLObject(text)
		return def.ErrorIf(ok && adds(n) && err == nil && (m[field] == nil || m[field] == ""), value, "Invalid Envoy resource",
			"A resource that is added must set %q.", field)
	}}
}

// newHasNo rejects a field of `match` with what is added.
func newHasNo(path ...string) def.Check {
	return def.Check{
		Doc: fmt.Sprintf("`%s` is not allowed with `Add`.", strings.Join(path, ".")),
		Test: func(n tree.Node) []def.Problem {
			m := n.Get(path...)
			return def.ErrorIf(operation(n) == opAdd && m.Known(), m, m.Key()+" cannot be set here",
				"The operation Add does not use a match. Remove it.")
		},
	}
}

// neighborRequired checks that a modification names the filter that it patches,
// or next to which it adds another one.
var neighborRequired = def.Check{
	Doc: "`AddBefore`, `AddAfter` and `Patch` require `match.name`.",
	Test: func(n tree.Node) []def.Problem {
		name := n.Get("match", "name")
		if !name.Absent() || !slices.Contains([]string{opAddBefore, opAddAfter, opPatch}, operation(n)) {
			return nil
		}
		return []def.Problem{def.ErrorAt(name, "Missing name",
			fmt.Sprintf("The operation %s requires the name of an existing filter.", operation(n)))}
	},
}
