package kinds

import (
	"encoding/json"
	"fmt"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// MeshMetric decides which metrics proxies publish, and how.
var MeshMetric = spec.Kind{
	Name: "MeshMetric", Path: "meshmetrics", ShortName: "mm",
	ZoneOwned: true, GlobalOwned: true, Status: true,
	Doc:    "Publishes metrics of the selected proxies, and of the applications next to them, for Prometheus to scrape or to an OpenTelemetry collector.",
	Policy: &spec.Policy{Order: 1500, Single: true},
	Fields: spec.Object{
		topRefByRole(mesh.KindMesh, mesh.KindDataplane, mesh.KindMeshGateway, mesh.KindMeshSubset, mesh.KindMeshService, mesh.KindMeshServiceSubset),
		optionalConf(spec.Object{
			{Name: "sidecar", Type: proxyMetrics, Doc: "Which metrics of the proxy itself are published."},
			{Name: "applications", Type: spec.List{Elem: meteredApplication}, Doc: "Applications next to the proxy whose metrics are published together with its own."},
			{
				Name: "backends", Type: spec.List{Elem: metricsBackend},
				Checks: spec.Checks(spec.Each(spec.ByType(metricsBackends...))), Design: spec.Checks(spec.Each(spec.Unused(metricsBackends...)), portsOfPrometheus),
				Doc: "Ways to publish the metrics. Without any, nothing is published.",
			},
		}),
	},
	Design: spec.Checks(emptyDefaults()),
}

var proxyMetrics = spec.Object{
	{Name: "profiles", Doc: "Selects metrics by sets and by name.", Type: spec.Object{
		{
			Name: "appendProfiles", Merge: spec.Append, Doc: "Sets of metrics. Those of all policies for a proxy add up; `Basic` when there is none.",
			Type: spec.List{Elem: spec.Object{
				{
					Name: "name", Type: spec.String, Required: true, OneOf: []string{"All", "Basic", "None"},
					Doc: "Name of the set: every metric, those that Kuma's dashboards need, or none.",
				},
			}},
		},
		metricSelectors("exclude", "Metrics that are left out of the sets."),
		metricSelectors("include", "Metrics that are published in any case, even if `exclude` fits them."),
	}},
	{
		Name: "includeUnused", Type: spec.Bool,
		Doc: "Whether metrics are published that Envoy has never changed. They are not when unset.",
	},
}

func metricSelectors(name, doc string) spec.Field {
	return spec.Field{Name: name, Doc: doc, Checks: spec.Checks(spec.Each(regexCompiles("Regex", "match"))), Type: spec.List{Elem: spec.Object{
		{Name: "type", Type: spec.String, Required: true, OneOf: []string{"Prefix", "Regex", "Exact", "Contains"}, Doc: "How the name of a metric is compared."},
		{Name: "match", Type: spec.String, Required: true, Doc: "The name, a part of it, or a regular expression in the syntax of RE2."},
	}}}
}

var meteredApplication = spec.Object{
	{Name: "name", Type: spec.String, Doc: "Name of the application, which its metrics carry. They carry none when unset."},
	{Name: "path", Type: spec.String, Default: "/metrics", Doc: "Path under which the application publishes its metrics."},
	{Name: "address", Type: spec.String, Doc: "Address that the application listens on. That of the proxy when unset."},
	{Name: "port", Type: spec.Int, Required: true, Checks: spec.Checks(spec.Between(1, maxPort)), Doc: "Port that the application listens on."},
}

// metricsBackends are the types of [metricsBackend].
var metricsBackends = []spec.Variant{
	{Type: "Prometheus", Member: "prometheus"},
	{Type: "OpenTelemetry", Member: "openTelemetry"},
}

var metricsBackend = spec.Object{
	{
		Name: "type", Type: spec.String, Required: true, OneOf: []string{"Prometheus", "OpenTelemetry"},
		Doc: "How the metrics are published. The block of the same name holds the settings; the other one has no effect.",
	},
	{Name: "prometheus", Doc: "Settings of the type `Prometheus`: the endpoint of the proxy that Prometheus scrapes.", Type: spec.Object{
		{Name: "clientId", Type: spec.String, Doc: "Name of the Prometheus that may find the endpoint through Kuma's service discovery. Every one may when unset."},
		{Name: "port", Type: spec.Int, Default: prometheusPort, Checks: spec.Checks(spec.Between(1, maxPort)), Doc: "Port of the endpoint; each backend needs its own."},
		{Name: "path", Type: spec.String, Default: "/metrics", Doc: "Path of the endpoint."},
		{Name: "tls", Doc: "Protects the endpoint. It is plain HTTP when unset.", Type: spec.Object{
			{
				Name: "mode", Type: spec.String, Default: "Disabled", OneOf: []string{"Disabled", "ProvidedTLS", "ActiveMTLSBackend"},
				Doc: "Where the certificate comes from: there is none, the proxy was started with one, or it is that of the mesh.",
			},
		}},
	}},
	openTelemetry(notURLWithPort, spec.Field{
		Name: "refreshInterval", Type: spec.Duration, Doc: "Time between two transmissions to the collector. Kuma chooses it when unset.",
	}),
}

const prometheusPort = json.Number("5670")

// portsOfPrometheus: a proxy cannot open a port for two backends.
var portsOfPrometheus = spec.Check{Test: func(n spec.Node) []spec.Problem {
	var problems []spec.Problem
	seen := map[int64]bool{}
	for _, b := range n.Items() {
		port := b.Get("prometheus", "port")
		number, ok := port.Int()
		if port.Absent() {
			i, err := prometheusPort.Int64()
			number, ok = i, err == nil
		}
		if kind, _ := b.Get("type").Text(); kind != "Prometheus" || !ok {
			continue
		}
		if seen[number] {
			problems = append(problems, port.Problem("Port is used twice", fmt.Sprintf("Another backend has port %d already, and a proxy can open it only once. Choose another port.", number)))
		}
		seen[number] = true
	}
	return problems
}}
