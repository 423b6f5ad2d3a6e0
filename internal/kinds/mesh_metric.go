package kinds

import (
	"encoding/json"
	"fmt"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/object"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/policy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// MeshMetric decides which metrics proxies publish, and how.
var MeshMetric = def.Kind{
	Name: "MeshMetric", Path: "meshmetrics", ShortName: "mm",
	ZoneOwned: true, GlobalOwned: true, Status: true,
	Doc:    "Publishes metrics of the selected proxies, and of the applications next to them, for Prometheus to scrape or to an OpenTelemetry collector.",
	Policy: &def.Policy{Order: 1500, Single: true},
	Fields: def.Object{
		policy.TargetRefByRole(kuma.KindMesh, kuma.KindDataplane, kuma.KindMeshGateway, kuma.KindMeshSubset, kuma.KindMeshService, kuma.KindMeshServiceSubset),
		policy.OptionalDefault(def.Object{
			{Name: "sidecar", Type: proxyMetrics, Doc: "Which metrics of the proxy itself are published."},
			{Name: "applications", Type: def.List{Elem: metricsApplication}, Doc: "Applications next to the proxy whose metrics are published together with its own."},
			{
				Name: "backends", Type: def.List{Elem: metricsBackend},
				Checks: def.Checks(def.Each(def.ByType(metricsBackends...))), Design: def.Checks(def.Each(def.Unused(metricsBackends...)), portsOfPrometheus),
				Doc: "Ways to publish the metrics. Without any, nothing is published.",
			},
		}),
	},
	Design: def.Checks(policy.EmptyDefaults()),
}

var proxyMetrics = def.Object{
	{Name: "profiles", Doc: "Selects metrics by sets and by name.", Type: def.Object{
		{
			Name: "appendProfiles", Merge: def.Append, Doc: "Sets of metrics. Those of all policies for a proxy add up; `Basic` when there is none.",
			Type: def.List{Elem: def.Object{
				{
					Name: "name", Type: def.String, Required: true, OneOf: []string{"All", "Basic", "None"},
					Doc: "Name of the set: every metric, those that Kuma's dashboards need, or none.",
				},
			}},
		},
		metricSelectors("exclude", "Metrics that are left out of the sets."),
		metricSelectors("include", "Metrics that are published in any case, even if `exclude` fits them."),
	}},
	{
		Name: "includeUnused", Type: def.Bool,
		Doc: "Whether metrics are published that Envoy has never changed. They are not when unset.",
	},
}

func metricSelectors(name, doc string) def.Field {
	return def.Field{Name: name, Doc: doc, Checks: def.Checks(def.Each(check.RegexCompiles("Regex", "match"))), Type: def.List{Elem: def.Object{
		{Name: "type", Type: def.String, Required: true, OneOf: []string{"Prefix", "Regex", "Exact", "Contains"}, Doc: "How the name of a metric is compared."},
		{Name: "match", Type: def.String, Required: true, Doc: "The name, a part of it, or a regular expression in the syntax of RE2."},
	}}}
}

var metricsApplication = def.Object{
	{Name: "name", Type: def.String, Doc: "Name of the application, which its metrics carry. They carry none when unset."},
	{Name: "path", Type: def.String, Default: "/metrics", Doc: "Path under which the application publishes its metrics."},
	{Name: "address", Type: def.String, Doc: "Address that the application listens on. That of the proxy when unset."},
	{Name: "port", Type: def.Int, Required: true, Checks: def.Checks(def.Between(1, check.MaxPort)), Doc: "Port that the application listens on."},
}

// metricsBackends are the types of [metricsBackend].
var metricsBackends = []def.Variant{
	{Type: "Prometheus", Member: "prometheus", Checks: def.Checks(def.Below("port", def.Between(1, check.MaxPort)))},
	{Type: "OpenTelemetry", Member: "openTelemetry", Checks: object.CollectorRules(object.NotURLWithPort)},
}

var metricsBackend = def.Object{
	{
		Name: "type", Type: def.String, Required: true, OneOf: []string{"Prometheus", "OpenTelemetry"},
		Doc: "How the metrics are published. The block of the same name holds the settings; the other one has no effect.",
	},
	{Name: "prometheus", Doc: "Settings of the type `Prometheus`: the endpoint of the proxy that Prometheus scrapes.", Type: def.Object{
		{Name: "clientId", Type: def.String, Doc: "Name of the Prometheus that may find the endpoint through Kuma's service discovery. Every one may when unset."},
		{Name: "port", Type: def.Int, Default: prometheusPort, Doc: "Port of the endpoint, from 1 to 65535; each backend needs its own."},
		{Name: "path", Type: def.String, Default: "/metrics", Doc: "Path of the endpoint."},
		{Name: "tls", Doc: "Protects the endpoint. It is plain HTTP when unset.", Type: def.Object{
			{
				Name: "mode", Type: def.String, Default: "Disabled", OneOf: []string{"Disabled", "ProvidedTLS", "ActiveMTLSBackend"},
				Doc: "Where the certificate comes from: there is none, the proxy was started with one, or it is that of the mesh.",
			},
		}},
	}},
	object.OpenTelemetry(def.Field{
		Name: "refreshInterval", Type: def.Duration, Doc: "Time between two transmissions to the collector. Kuma chooses it when unset.",
	}),
}

const prometheusPort = json.Number("5670")

// portsOfPrometheus: a proxy cannot open a port for two backends.
var portsOfPrometheus = def.Check{Test: func(n tree.Node) []def.Problem {
	var problems []def.Problem
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
			problems = append(problems, def.ErrorAt(port, "Port is used twice", fmt.Sprintf("Another backend has port %d already, and a proxy can open it only once. Choose another port.", number)))
		}
		seen[number] = true
	}
	return problems
}}
