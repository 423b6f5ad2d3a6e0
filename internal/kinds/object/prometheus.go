package object

import (
	"cmp"
	"encoding/json"
	"fmt"

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

// Prometheus says how Prometheus collects metrics from a proxy, of a whole
// mesh or of one Dataplane.
var Prometheus = def.Object{
	{Name: "port", Type: def.Int, Doc: "Port on which proxies offer their metrics. It is `5670` when no setting names one."},
	{Name: "path", Type: def.String, Doc: "Path under which proxies offer their metrics. It is `/metrics` when no setting names one."},
	{Name: "tags", Type: def.StringMap{}, Doc: "Tags under which the metrics endpoint can be reached in the mesh. They are `kuma.io/service: dataplane-metrics` when no setting names any."},
	{Name: "skipMTLS", Type: def.Bool, Distinct: true, Doc: "Whether metrics are offered without mutual TLS. They are not when unset.", Deprecated: "Use `mode` of `tls`."},
	{
		Name: "aggregate", Doc: "Metrics of applications, which the proxy offers together with its own.", Checks: def.Checks(def.Unique("name")),
		Type: def.List{Elem: def.Object{
			{Name: "name", Type: def.String, Doc: "Name of the application."},
			{Name: "port", Type: def.Int, Doc: "Port of the application."},
			{Name: "path", Type: def.String, Doc: "Path under which the application offers its metrics. It is `/metrics` when unset."},
			{Name: "enabled", Type: def.Bool, Distinct: true, Doc: "Whether the metrics are collected. They are when unset."},
			{Name: "address", Type: def.String, Doc: "Address of the application. It is that of the inbound when unset."},
		}},
	},
	{Name: "envoy", Doc: "Which metrics of the proxy itself are offered.", Type: def.Object{
		{Name: "filterRegex", Type: def.String, Checks: def.Checks(check.Regex), Doc: "Regular expression of the metrics to offer. All are offered when unset."},
		{Name: "usedOnly", Type: def.Bool, Distinct: true, Doc: "Whether only metrics that changed at least once are offered. All are when unset."},
	}},
	{Name: "tls", Doc: "How the metrics endpoint is protected.", Type: def.Object{
		{
			Name: "mode", Type: def.String, OneOf: []string{tlsOfMesh, "providedTLS", tlsDisabled}, Default: tlsOfMesh,
			Doc: "`activeMTLSBackend` uses the certificates of the mesh, `providedTLS` those given to the proxy, `disabled` none, as `skip_mtls` does.",
		},
	}},
}

// SkipMTLSAgrees checks the two members that say whether a metrics endpoint is
// protected.
var SkipMTLSAgrees = def.Check{
	Doc: "`skipMTLS` together with `tls` must say the same: `true` with `disabled`, `false` with `activeMTLSBackend`.",
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
		return []def.Problem{def.ErrorAt(skip, "skipMTLS conflicts with tls", fmt.Sprintf("skipMTLS is %t, which allows \"tls\" with mode %q only. Remove skipMTLS, which is deprecated.", skip.True(), want))}
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
