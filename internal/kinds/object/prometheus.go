package object

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Values of the mode of the TLS of a metrics endpoint.
const (
	tlsOfMesh   = "activeMTLSBackend"
	tlsDisabled = "disabled"
)

// Prometheus describes how Prometheus collects metrics from a proxy, of a whole
// mesh or of one Dataplane.
var Prometheus = def.Object{
	def.Int.Field("port", "Port on which proxies expose their metrics. Defaults to `5670`.", check.Unsigned(0, math.MaxUint32)),
	def.String.Field("path", "Path under which proxies expose their metrics. Defaults to `/metrics`."),
	def.StringMap{}.Field("tags", "Tags of the metrics endpoint in the mesh. Defaults to `kuma.io/service: dataplane-metrics`."),
	{
		Name: "skipMTLS", Type: def.Bool, Distinct: true, Doc: "Whether to expose metrics without mutual TLS. Defaults to `false`.",
		Deprecated: "Use `mode` of `tls`.",
	},
	{
		Name: "aggregate", Doc: "Metrics of applications, which the proxy exposes together with its own.",
		Checks: def.Checks(def.UniqueOrEmpty("name")),
		Type: def.List{Elem: def.Object{
			def.String.Field("name", "Name of the application."),
			def.Int.Field("port", "Port of the application.", check.Unsigned(0, math.MaxUint32)),
			def.String.Field("path", "Path under which the application exposes its metrics. Defaults to `/metrics`."),
			{Name: "enabled", Type: def.Bool, Distinct: true, Doc: "Whether to collect the metrics. Defaults to `true`."},
			def.String.Field("address", "Address of the application. Defaults to the address of the inbound."),
		}},
	},
	{Name: "envoy", Doc: "Metrics of the proxy itself to expose.", Type: def.Object{
		def.String.Field("filterRegex", "Regular expression that selects the metrics to expose. All by default.", check.Regex),
		{
			Name: "usedOnly", Type: def.Bool, Distinct: true,
			Doc: "Whether to expose only metrics that changed at least once. Defaults to `false`.",
		},
	}},
	{Name: "tls", Doc: "Protection of the metrics endpoint.", Type: def.Object{
		{
			Name: "mode", Type: def.String, OneOf: []string{tlsOfMesh, "providedTLS", tlsDisabled}, Default: tlsOfMesh,
			Doc: "`activeMTLSBackend` uses the certificates of the mesh, `providedTLS` uses those given to the proxy, and `disabled` turns TLS " +
				"off, like `skip_mtls`.",
		},
	}},
}

// SkipMTLSAgrees checks that the two fields that protect a metrics endpoint
// agree.
var SkipMTLSAgrees = def.Check{
	Doc: "`skipMTLS` and `tls` must agree: `true` with `disabled`, `false` with `activeMTLSBackend`.",
	Test: func(n tree.Node) []def.Problem {
		skip, tls := n.Get("skipMTLS"), n.Get("tls")
		mode := tls.Get("mode")
		if !skip.Known() || !tls.Known() || mode.Unknown() {
			return nil
		}
		want := tlsOfMesh
		if skip.True() {
			want = tlsDisabled
		}
		if got, _ := mode.Text(); cmp.Or(got, tlsOfMesh) == want {
			return nil
		}
		return []def.Problem{def.ErrorAt(n, "skipMTLS conflicts with tls",
			fmt.Sprintf("skipMTLS is %t, which only allows \"tls\" with mode %q. Remove skipMTLS, which is deprecated.", skip.True(), want))}
	},
}

// prometheusDefaults is what the control plane adds to the conf of a Mesh, but
// not to that of a Dataplane.
func prometheusDefaults(conf map[string]any) map[string]any {
	tls := map[string]any{}
	if conf["skipMTLS"] == true {
		tls["mode"] = tlsDisabled
	}
	return map[string]any{
		"port": json.Number("5670"),
		"path": "/metrics",
		"tags": map[string]any{kuma.TagService: "dataplane-metrics"},
		"tls":  tls,
	}
}

func withDefaults(o def.Object, defaults func(parent map[string]any) map[string]any) def.Object {
	out := make(def.Object, len(o))
	for i, f := range o {
		f.DefaultFrom = func(parent map[string]any) any { return defaults(parent)[f.Name] }
		out[i] = f
	}
	return out
}
