package policy

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// BackendRefs describes the weighted destinations of a route, with further fields of its kind.
func BackendRefs(doc string, fields ...def.Field) def.Field {
	backend := def.TargetRef(backendKinds, slices.Concat(backendFields, fields)...)
	return def.Field{
		Name: "backendRefs", Type: def.List{Elem: backend}, Doc: doc,
		Elements: &def.Elements{Noun: "destinations", Amount: "weight", Parts: destination},
		Checks:   def.Checks(def.Each(def.ReferenceFields(), multiZonePort)),
		Design:   def.Checks(someWeight, def.Each(backendHasPort, oneService, def.UncheckedFields())),
	}
}

var backendKinds = []string{kuma.KindMeshService, kuma.KindMeshServiceSubset, kuma.KindMeshExternalService, kuma.KindMeshMultiZoneService}

// destination returns what identifies a destination of a route.
func destination(n tree.Node) []string {
	ref := kuma.ParseTargetRef(n.Value())
	name := ref.Name
	if name == "" {
		name = phrase.Labels(ref.Labels, kuma.LabelDisplayName)
	}
	if len(ref.Tags) > 0 {
		name += " with " + phrase.Pairs(ref.Tags)
	}
	parts := []string{cmp.Or(name, "no name")}
	if port := n.Get("port"); port.Known() {
		parts = append(parts, fmt.Sprintf("port %v", port.Value()))
	}
	for _, part := range []struct{ before, value string }{{"port ", ref.SectionName}, {"namespace ", ref.Namespace}, {"", ref.Kind}} {
		if part.value != "" {
			parts = append(parts, part.before+part.value)
		}
	}
	return parts
}

// maxJSONInteger is the largest integer that a control plane tells from a fraction where
// its schema has no limit (validation.md §5.2).
const maxJSONInteger = 1<<53 - 1

// backendFields are the fields that only references to destinations of a route
// have.
var backendFields = []def.Field{
	{
		Name: "weight", Type: def.Int, Default: json.Number("1"),
		Checks: def.Checks(def.Limit(0, maxJSONInteger), def.InKuma3(def.Limit(0, math.MaxUint32))),
		Doc:    "Share of the traffic, relative to the other destinations. At least one weight must not be `0`.",
	},
	{
		Name: "port", Type: def.Int, Checks: def.Checks(def.Limit(0, math.MaxInt32)), Design: def.Checks(def.Between(1, check.MaxPort)),
		Doc: "Port of the destination. Required for MeshMultiZoneService. " +
			"Without `port` and `section_name`, Kuma 3.0 uses the only port of a MeshService; before, the name is a value of the " +
			"tag `kuma.io/service`.",
	},
}

var multiZonePort = def.Check{Test: func(n tree.Node) []def.Problem {
	port := n.Get("port")
	kind, _ := n.Get("kind").Text()
	return def.ErrorIf(kind == kuma.KindMeshMultiZoneService && port.Absent(), port, "Missing port",
		"A reference to a MeshMultiZoneService must set the port that the traffic goes to.")
}}

// someWeight checks that a weight is above zero (proxies.md §3).
var someWeight = def.Check{Test: func(n tree.Node) []def.Problem {
	for _, b := range n.Items() {
		if w, ok := b.Get("weight").Int(); !ok || w > 0 {
			return nil
		}
	}
	if n.Empty() {
		return nil
	}
	effect := "before Kuma 3.0, proxies ignore the rule, and since then, they answer its requests with 500"
	if route, _ := n.Root().Get("type").Text(); route == kuma.KindMeshTCPRoute {
		effect = "connections fail"
	}
	return []def.Problem{def.ErrorAt(n, "All weights are zero",
		fmt.Sprintf("No destination gets any traffic: %s. Set at least one weight to 1 or more.", effect))}
}}

// backendHasPort warns about a MeshService without a port, whose name is read
// as a value of the tag kuma.io/service before Kuma 3.0. Kuma 3.0 uses its only port.
var backendHasPort = def.BeforeKuma3(def.Check{Test: func(n tree.Node) []def.Problem {
	if kind, _ := n.Get("kind").Text(); kind != kuma.KindMeshService || !n.Get("port").Absent() || !n.Get("sectionName").Absent() {
		return nil
	}
	route, _ := n.Root().Get("type").Text()
	switch {
	case n.Get("labels").Empty():
		return []def.Problem{def.WarningAt(n, "Missing port",
			"Without a port, the reference resolves to the tag kuma.io/service with its name, and to no MeshService. "+
				"Set port if a MeshService is meant.").About(def.PortlessBackend)}
	case route == kuma.KindMeshTCPRoute:
		return []def.Problem{def.ErrorAt(n, "Missing port",
			"A reference by labels without a port matches nothing in a MeshTCPRoute before Kuma 3.0, and the control plane cannot generate the "+
				"configuration of its proxies. Set port.").About(def.Frozen)}
	}
	return []def.Problem{def.WarningAt(n, "Missing port",
		"Before Kuma 3.0, a reference by labels without a port matches nothing. Set port.").About(def.PortlessBackend)}
}})

// placeLabels are labels that Kuma adds to every resource of a mesh or zone, so
// they do not identify a service.
var placeLabels = []string{kuma.LabelMesh, kuma.LabelOrigin, kuma.LabelZone, kuma.LabelEnv, kuma.LabelK8sNamespace}

// oneService warns about a destination that matches more than one service,
// which the design rules out (design record 002). The reference alone shows
// this only if all of its labels are [placeLabels]; with other labels it is
// possible.
var oneService = def.Check{Test: func(n tree.Node) []def.Problem {
	labels := n.Get("labels")
	if !labels.Filled() || !labels.Get(kuma.LabelDisplayName).Absent() {
		return nil
	}
	const detail = "A destination is a single service. If the labels match several, the oldest one is used. " +
		"Add the labels kuma.io/display-name and kuma.io/zone, or before Kuma 3.0, set name instead."
	if slices.ContainsFunc(labels.Entries(), func(label tree.Node) bool { return !slices.Contains(placeLabels, label.Key()) }) {
		return []def.Problem{def.WarningAt(labels, "Labels may match several services", detail).About(def.AmbiguousBackend)}
	}
	return []def.Problem{def.ErrorAt(labels, "Labels match every service", detail).About(def.AmbiguousBackend)}
}}

// mirrorBackend is a reference to the destination of copies of requests.
var mirrorBackend = func() def.Object {
	const since = "3.0"
	ref := def.TargetRef(backendKinds, backendFields...)
	ref[0].SinceOf = map[string]string{kuma.KindMeshExternalService: since, kuma.KindMeshMultiZoneService: since}
	return ref
}()

// mirrorByTag rejects copies of requests to a MeshService by labels, with which a proxy gets no
// configuration at all before Kuma 3.0. By name, they go to the tag (matching.md §17.10).
var mirrorByTag = def.BeforeKuma3(def.Check{Test: func(n tree.Node) []def.Problem {
	if kind, _ := n.Get("kind").Text(); kind != kuma.KindMeshService {
		return nil
	}
	const only = "Set only name, to the value of the tag kuma.io/service of an HTTP service, or remove the filter."
	if labels := n.Get("labels"); labels.Filled() {
		return []def.Problem{def.ErrorAt(labels, "MeshService cannot be mirrored to",
			"With labels the reference refers to a MeshService, for which the proxy gets no configuration. "+only).About(def.Frozen)}
	}
	for _, field := range []string{"port", "sectionName"} {
		if m := n.Get(field); m.Filled() {
			return []def.Problem{def.WarningAt(m, field+" has no effect",
				"Before Kuma 3.0, copies of requests go to the tag kuma.io/service with the name of the reference, whatever the port. "+
					"If no HTTP service has the tag, the proxy gets no configuration. "+only)}
		}
	}
	return nil
}})
