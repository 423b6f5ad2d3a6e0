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
	ZoneOwned: kuma.Always(), GlobalOwned: true, Status: true,
	Doc:    "Exposes metrics of the selected proxies and their applications to Prometheus, or sends them to an OpenTelemetry collector.",
	Use:    "Use it to monitor proxies and applications. It replaces the `metrics` of `kuma_mesh`.",
	Policy: &def.Policy{Order: 1500, Single: true},
	Fields: def.Object{
		policy.TargetRefByRole(policy.AllProxies()...),
		policy.OptionalDefault(def.Object{
			{Name: "sidecar", Type: proxyMetrics, Doc: "Metrics of the proxy itself."},
			def.List{Elem: metricsApplication}.Field("applications", "Applications whose metrics the proxy publishes together with its own."),
			{
				Name: "backends", Type: def.List{Elem: metricsBackend},
				Checks: def.Checks(def.Each(def.ByType(metricsBackends...))),
				Design: def.Checks(def.Each(def.Unused(metricsBackends...)), portsOfPrometheus),
				Doc:    "Backends that publish the metrics. Without backends, nothing is published.",
			},
		}),
	},
	Design: def.Checks(policy.EmptyDefaults()),
}

var proxyMetrics = def.Object{
	{Name: "profiles", Doc: "Selects metrics by profile and by name.", Type: def.Object{
		{
			Name: "appendProfiles", Merge: def.Append,
			Doc: "Predefined sets of metrics. The sets of all policies for a proxy are combined. Defaults to `Basic`.",
			Type: def.List{Elem: def.Object{
				{
					Name: "name", Type: def.String, Required: true, OneOf: []string{"All", "Basic", "None"},
					Doc: "Name of the set: all metrics (`All`), those that Kuma's dashboards use (`Basic`), or none (`None`).",
				},
			}},
		},
		metricSelectors("exclude", "Metrics to exclude from the sets."),
		metricSelectors("include", "Metrics to always publish, even if `exclude` matches them."),
	}},
	def.Bool.Field("includeUnused", "Whether to publish metrics that Envoy has never updated. Defaults to `false`."),
}

func metricSelectors(name, doc string) def.Field {
	return def.Field{
		Name: name, Doc: doc, Checks: def.Checks(def.Each(check.RegexCompiles("Regex", "match"))),
		Type: def.List{Elem: def.Object{
			{
				Name: "type", Type: def.String, Required: true, OneOf: []string{"Prefix", "Regex", "Exact", "Contains"},
				Doc: "How to match the name of a metric.",
			},
			def.String.Required("match", "Name, part of a name or RE2 regular expression, depending on `type`."),
		}},
	}
}

var metricsApplication = def.Object{
	def.String.Field("name", "Name of the application, added to its metrics. None by default."),
	{Name: "path", Type: def.String, Default: "/metrics", Doc: "Path under which the application exposes its metrics."},
	def.String.Field("address", "Address that the application listens on. Defaults to the address of the proxy."),
	def.Int.Required("port", "Port that the application listens on.", def.Between(1, check.MaxPort)),
}

// metricsBackends are the types of [metricsBackend].
var metricsBackends = []def.Variant{
	{Type: "Prometheus", Field: "prometheus", Checks: def.Checks(def.Below("port", def.Between(1, check.MaxPort)))},
	{Type: "OpenTelemetry", Field: "openTelemetry", Checks: object.CollectorRules(object.NotURLWithPort)},
}

var metricsBackend = def.Object{
	def.TypeField("Type of the backend. The block with the same name has its settings.", metricsBackends...),
	{Name: "prometheus", Doc: "Settings of the type `Prometheus`: the endpoint of the proxy that Prometheus scrapes.", Type: def.Object{
		def.String.Field("clientId",
			"Name of the Prometheus client that finds the endpoint through Kuma's service discovery. All clients by default."),
		{Name: "port", Type: def.Int, Default: prometheusPort, Doc: "Port of the endpoint, from 1 to 65535. Must be different for each backend."},
		{Name: "path", Type: def.String, Default: "/metrics", Design: def.Checks(check.RootedPath), Doc: "Path of the endpoint."},
		{Name: "tls", Doc: "TLS of the endpoint. Plain HTTP by default.", Type: def.Object{
			{
				Name: "mode", Type: def.String, Default: "Disabled", OneOf: []string{"Disabled", "ProvidedTLS", "ActiveMTLSBackend"},
				Doc: "Source of the certificate: none (`Disabled`), the one that the proxy was started with (`ProvidedTLS`), or that of the mesh " +
					"(`ActiveMTLSBackend`).",
			},
		}},
	}},
	object.OpenTelemetry(def.Duration.Field("refreshInterval", "Time between two transmissions to the collector. If unset, Kuma chooses it.")),
}

const prometheusPort = json.Number("5670")

// portsOfPrometheus checks that no two backends have the same port, which a
// proxy cannot open twice.
var portsOfPrometheus = def.Check{Test: func(n tree.Node) []def.Problem {
	portOf := func(b tree.Node) (int64, bool) {
		port := b.Get("prometheus", "port")
		if port.Absent() {
			port = port.With(prometheusPort)
		}
		kind, _ := b.Get("type").Text()
		number, ok := port.Int()
		return number, ok && kind == "Prometheus"
	}
	return def.Repeated(n.Items(), portOf, func(b tree.Node, port int64) def.Problem {
		return def.ErrorAt(b.Get("prometheus", "port"), "Duplicate port",
			fmt.Sprintf("Another backend already uses port %d. Use a different port.", port))
	})
}}
