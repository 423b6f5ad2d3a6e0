package object

import (
	"net"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Collector describes which OpenTelemetry collector a proxy sends to; its rules
// are [CollectorRules].
var Collector = def.Object{
	{
		Name: "endpoint", Type: def.String, Default: "", RequiredIn: kuma.Before("2.14"), Deprecated: "Use `backend_ref`.",
		Design:  def.Checks(numericPort),
		Removed: def.RemovedIn3("Define the collector in a MeshOpenTelemetryBackend, and refer to it in backendRef."),
		Doc:     "Host and port of the collector, such as `otel-collector:4317`. Exactly one of `endpoint` and `backend_ref` is required.",
	},
	{Name: "backendRef", Since: "2.14", Doc: "The MeshOpenTelemetryBackend that describes the collector.", Type: def.Object{
		{Name: "kind", Type: def.String, Required: true, OneOf: []string{"MeshOpenTelemetryBackend"}, Doc: "Kind of the object."},
		{
			Name: "labels", Type: def.StringMap{}, DropsEmpty: kuma.Always(),
			Doc: "Labels that the object must have, at least one. If several objects match, the oldest one is used.",
		},
	}},
}

// OpenTelemetry describes a collector and the other settings of a backend; its
// rules are [CollectorRules].
func OpenTelemetry(more ...def.Field) def.Field {
	return def.Field{
		Name: "openTelemetry",
		Doc: "Settings of the type `OpenTelemetry`: the collector that proxies send to. " +
			"Exactly one of `backend_ref` and `endpoint` is required.",
		Type: append(slices.Clip(Collector), more...),
	}
}

// CollectorRules check an object with the fields of [Collector]. Which
// addresses the control plane accepts as endpoint depends on the kind.
func CollectorRules(endpoint def.Check) []def.Check {
	return def.Checks(oneCollector, endpointIsDeprecated, def.Below("endpoint", endpoint), def.Below("backendRef", labelsOfCollector))
}

// oneCollector checks that exactly one collector is set. An empty endpoint is
// the same as none.
var oneCollector = def.Check{
	Doc: "Exactly one of `backendRef` and `endpoint` is required.",
	Test: func(n tree.Node) []def.Problem {
		endpoint, ref := n.Get("endpoint"), n.Get("backendRef")
		switch {
		case endpoint.Filled() && ref.Known():
			return []def.Problem{def.ErrorAt(n, "Conflicting collectors",
				"\"backendRef\" conflicts with \"endpoint\". Remove one of them.").Instead(n.Path)}
		case endpoint.Empty() && ref.Absent():
			return []def.Problem{def.ErrorAt(n, "Missing collector", "Set \"backendRef\" to a MeshOpenTelemetryBackend.")}
		}
		return nil
	},
}

var endpointIsDeprecated = def.Check{Test: func(n tree.Node) []def.Problem {
	endpoint := n.Get("endpoint")
	if !endpoint.Filled() {
		return nil
	}
	return []def.Problem{def.WarningAt(endpoint, "endpoint is deprecated",
		"Define the collector in a MeshOpenTelemetryBackend, and refer to it in \"backendRef\".").About(def.Deprecation).From("2.14")}
}}

var labelsOfCollector = def.Check{Test: func(n tree.Node) []def.Problem {
	labels := n.Get("labels")
	return def.ErrorIf(labels.Empty(), n, "Missing labels", "A MeshOpenTelemetryBackend is selected by its labels. Set at least one.")
}}

// NotURL checks that an address is not a URL.
var NotURL = def.Text(func(s string) bool { return !strings.ContainsAny(s, "/?#") }, "Invalid address",
	"%q is a URL. The address must consist of host and port only, such as \"otel-collector:4317\".")

// NotURLWithPort checks an address that is host and port.
var NotURLWithPort = def.Check{Test: func(n tree.Node) []def.Problem {
	if problems := NotURL.Test(n); problems != nil {
		return problems
	}
	return check.HostAndPort.Test(n)
}}

// numericPort warns about an address with a port that is not a number.
var numericPort = def.Check{Test: func(n tree.Node) []def.Problem {
	s, _ := n.Text()
	_, port, err := net.SplitHostPort(s)
	return def.WarningIf(err == nil && !check.IsPort(port), n, "Invalid port",
		"%q is not a valid port. It must be a number from 1 to %d, as in \"otel-collector:4317\".", port, check.MaxPort)
}}
