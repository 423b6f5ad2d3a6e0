package kinds

import (
	"fmt"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// openTelemetryCollector describes which collector a proxy sends to; its rule
// is [oneCollector].
var openTelemetryCollector = spec.Object{
	{
		Name: "endpoint", Type: spec.String, Default: "", Deprecated: "Use `backend_ref`.",
		Doc: "Host and port of the collector; port `4317` when there is none. Either this or `backend_ref` is needed.",
	},
	{Name: "backendRef", Since: "2.14", Doc: "The collector, as described by a MeshOpenTelemetryBackend.", Type: spec.Object{
		{Name: "kind", Type: spec.String, Required: true, OneOf: []string{"MeshOpenTelemetryBackend"}, Doc: "Kind of the object."},
		{
			Name: "labels", Type: spec.Map{Elem: spec.String}, DropsEmpty: true,
			Doc: "Labels that the object must all carry, at least one. The oldest object that does is taken; without any, nothing is sent.",
		},
	}},
}

// oneCollector checks an object with the members of [openTelemetryCollector].
var oneCollector = spec.Check{Test: func(n spec.Node) []spec.Problem {
	endpoint, ref := n.Get("endpoint"), n.Get("backendRef")
	switch address, _ := endpoint.Text(); {
	case strings.ContainsAny(address, "/?#"):
		return []spec.Problem{endpoint.Problem("Endpoint is no host and port", fmt.Sprintf("%q looks like a URL. Write host and port, like \"collector:4317\".", address))}
	case endpoint.Filled() && ref.Known():
		return []spec.Problem{n.Problem("Two collectors are given", "\"endpoint\" and \"backendRef\" both name the collector. Keep \"backendRef\".")}
	case endpoint.Filled():
		return []spec.Problem{endpoint.Warning("endpoint is deprecated", "Later releases know the collector only by \"backendRef\". Describe it in a MeshOpenTelemetryBackend and refer to that.")}
	case endpoint.Empty() && ref.Absent():
		return []spec.Problem{n.Problem("No collector is given", "Name the collector in \"backendRef\".")}
	case ref.Known() && ref.Get("labels").Empty():
		return []spec.Problem{ref.Problem("Labels are missing", "The reference finds a MeshOpenTelemetryBackend by its labels. Give at least one.")}
	}
	return nil
}}
