package kinds

import (
	"cmp"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"regexp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// What stands in the `conf` of a backend of a Mesh depends on its type; the
// objects below hold the members of all types.

var authorityConf = def.Object{
	{Name: "caCert", Doc: "The certificate that a `builtin` authority generates for itself.", Type: def.Object{
		{Name: "RSAbits", Type: def.Int, Distinct: true, Doc: "Size of the key in bits. It is `2048` when unset."},
		{Name: "expiration", Type: def.String, Checks: def.Checks(calendarDuration), Doc: "Life of the certificate, such as `10y`, which is what Kuma uses when unset."},
	}},
	{Name: "cert", Type: dataSourceOrFile(false), Design: def.Checks(oneSource), Doc: "Certificate of a `provided` authority."},
	{Name: "key", Type: dataSourceOrFile(true), Design: def.Checks(oneSource), Doc: "Private key of a `provided` authority."},
}

var meshTracing = def.Object{
	{Name: "defaultBackend", Type: def.String, Doc: "Name of the backend that proxies use. None is used when unset."},
	{
		Name: "backends", Doc: "Places that proxies send their traces to.", Checks: def.Checks(def.Unique("name"), def.Each(tracingSettings)),
		Type: def.List{Elem: def.Object{
			{Name: "name", Type: def.String, Required: true, Doc: "Name of the backend."},
			{
				Name: "sampling", Type: def.Number, Distinct: true, Checks: def.Checks(percentage),
				Doc: "Share of the requests that is traced, in percent. All are when unset.",
			},
			{
				Name: "type", Type: def.String, Required: true, Checks: def.Checks(def.OneOf("zipkin", "datadog")),
				Doc: "Kind of the backend.",
			},
			{Name: "conf", FreeForm: true, Doc: "Settings of the backend, by `type`.", Type: def.Object{
				{Name: "url", Type: def.String, Doc: "For `zipkin`: address that traces are sent to, with its port."},
				{Name: "traceId128bit", Type: def.Bool, Doc: "For `zipkin`: whether trace ids have 128 bits. They have 64 when unset."},
				{
					Name: "apiVersion", Type: def.String, Checks: def.Checks(def.OneOf("httpJson", "httpJsonV1", "httpProto")),
					Doc: "For `zipkin`: format of the traces. It is `httpJson` when unset.",
				},
				{Name: "sharedSpanContext", Type: def.Bool, Distinct: true, Doc: "For `zipkin`: whether client and server share one span. They do when unset."},
				{Name: "address", Type: def.String, Doc: "For `datadog`: host of the agent."},
				{Name: "port", Type: def.Int, Doc: "For `datadog`: port of the agent."},
				{Name: "splitService", Type: def.Bool, Doc: "For `datadog`: whether traffic to each destination counts as a service of its own. It does not when unset."},
			}},
		}},
	},
}

var meshLogging = def.Object{
	{Name: "defaultBackend", Type: def.String, Doc: "Name of the backend that proxies use. None is used when unset."},
	{
		Name: "backends", Doc: "Places that proxies write access logs to.", Checks: def.Checks(def.Unique("name"), def.Each(loggingSettings)),
		Type: def.List{Elem: def.Object{
			{Name: "name", Type: def.String, Required: true, Doc: "Name of the backend."},
			{Name: "format", Type: def.String, Doc: "Format of a line, with the placeholders of Envoy. Kuma has one of its own when unset."},
			{
				Name: "type", Type: def.String, Required: true, Checks: def.Checks(def.OneOf("file", "tcp")),
				Doc: "Kind of the backend.",
			},
			{Name: "conf", FreeForm: true, Doc: "Settings of the backend, by `type`.", Type: def.Object{
				{Name: "path", Type: def.String, Doc: "For `file`: path of the file, on the host of the proxy."},
				{Name: "address", Type: def.String, Doc: "For `tcp`: host and port of the receiver, such as `127.0.0.1:5000`."},
			}},
		}},
	},
}

var meshMetrics = def.Object{
	{Name: "enabledBackend", Type: def.String, Doc: "Name of the backend that proxies use. None is used when unset."},
	{
		Name: "backends", Doc: "Ways to collect metrics.", Checks: def.Checks(def.Unique("name")),
		Type: def.List{Elem: def.Object{
			{Name: "name", Type: def.String, Required: true, Doc: "Name of the backend."},
			{
				Name: "type", Type: def.String, Required: true, Checks: def.Checks(def.OneOf("prometheus")),
				Doc: "Kind of the backend.",
			},
			{
				Name: "conf", StoresDefaults: true, Checks: def.Checks(skipMTLSAgrees), Type: withDefaults(prometheusConf, prometheusDefaults),
				DefaultFrom: func(map[string]any) any { return prometheusDefaults(nil) },
				Doc:         "Settings of the backend. The control plane adds what is missing.",
			},
		}},
	},
}

// Values of the mode of the TLS of a metrics endpoint.
const (
	tlsOfMesh   = "activeMTLSBackend"
	tlsDisabled = "disabled"
)

// prometheusConf says how Prometheus collects metrics from a proxy, of a whole
// mesh or of one Dataplane.
var prometheusConf = def.Object{
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
		{Name: "filterRegex", Type: def.String, Checks: def.Checks(regexOnly), Doc: "Regular expression of the metrics to offer. All are offered when unset."},
		{Name: "usedOnly", Type: def.Bool, Distinct: true, Doc: "Whether only metrics that changed at least once are offered. All are when unset."},
	}},
	{Name: "tls", Doc: "How the metrics endpoint is protected.", Type: def.Object{
		{
			Name: "mode", Type: def.String, OneOf: []string{tlsOfMesh, "providedTLS", tlsDisabled}, Default: tlsOfMesh,
			Doc: "`activeMTLSBackend` uses the certificates of the mesh, `providedTLS` those given to the proxy, `disabled` none, as `skip_mtls` does.",
		},
	}},
}

// skipMTLSAgrees checks the two members that say whether a metrics endpoint is
// protected.
var skipMTLSAgrees = def.Check{
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

// needs reports a member of a backend's conf that its type cannot do without.
func needs(conf tree.Node, kind, member string) []def.Problem {
	if m := conf.Get(member); m.Empty() {
		return []def.Problem{def.ErrorAt(m, member+" is missing", fmt.Sprintf("A backend of type %s needs %q in its conf.", kind, member))}
	}
	return nil
}

var tracingSettings = def.Check{
	Doc: "`zipkin` needs `url`, `datadog` needs `address` and `port`.",
	Test: func(n tree.Node) []def.Problem {
		kind, _ := n.Get("type").Text()
		conf := n.Get("conf")
		switch kind {
		case "zipkin":
			return append(needs(conf, kind, "url"), urlWithPort(conf.Get("url"))...)
		case "datadog":
			problems := append(needs(conf, kind, "address"), needs(conf, kind, "port")...)
			return append(problems, unsigned(1, maxPort).Test(conf.Get("port"))...)
		}
		return nil
	},
}

func urlWithPort(n tree.Node) []def.Problem {
	s, ok := n.Text()
	if u, err := url.ParseRequestURI(s); !ok || s == "" || err == nil && u.Port() != "" {
		return nil
	}
	return []def.Problem{def.ErrorAt(n, "Invalid address", fmt.Sprintf("%q is no URL with a port. Write it like \"http://zipkin:9411/api/v2/spans\".", s))}
}

var loggingSettings = def.Check{
	Doc: "`file` needs `path`, `tcp` needs `address`.",
	Test: func(n tree.Node) []def.Problem {
		kind, _ := n.Get("type").Text()
		conf := n.Get("conf")
		switch kind {
		case "file":
			return needs(conf, kind, "path")
		case "tcp":
			return append(needs(conf, kind, "address"), hostAndPort(conf.Get("address"))...)
		}
		return nil
	},
}

func hostAndPort(n tree.Node) []def.Problem {
	s, ok := n.Text()
	if host, port, err := net.SplitHostPort(s); !ok || s == "" || err == nil && host != "" && port != "" {
		return nil
	}
	return []def.Problem{def.ErrorAt(n, "Invalid address", fmt.Sprintf("%q is not host and port. Write it like \"127.0.0.1:5000\".", s))}
}

var authorityName = regexp.MustCompile(`^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$`)

// authoritySettings: the backend of a builtin authority becomes part of the
// names of Secrets; a provided one must hold a certificate and its key.
var authoritySettings = def.Check{
	Doc: "`provided` needs `cert` and `key` in `conf`.",
	Test: func(n tree.Node) []def.Problem {
		kind, _ := n.Get("type").Text()
		skip := n.Root().Get("mtls", "skipValidation")
		switch {
		case kind == "builtin":
			return secretName(n)
		case kind == "provided" && !skip.True() && !skip.Unknown():
			conf := n.Get("conf")
			problems := append(needs(conf, kind, "cert"), needs(conf, kind, "key")...)
			return append(problems, keyPair(conf)...)
		}
		return nil
	},
}.At(def.Objects)

// secretsNeedMesh: the Secrets of a mesh cannot exist before the mesh, and an
// authority is loaded when the mesh is written.
var secretsNeedMesh = def.Check{Test: func(n tree.Node) []def.Problem {
	mtls := n.Get("mtls")
	if skip := mtls.Get("skipValidation"); skip.True() || skip.Unknown() {
		return nil
	}
	var problems []def.Problem
	for _, backend := range mtls.Get("backends").Items() {
		if kind, _ := backend.Get("type").Text(); kind != "provided" {
			continue
		}
		for _, member := range []string{"cert", "key"} {
			if secret := backend.Get("conf", member, "secret"); secret.Filled() {
				problems = append(problems, def.WarningAt(secret, "The Secret cannot exist yet", "A Secret belongs to a mesh that exists, and the control plane loads the certificate authority when it creates the mesh, so it will refuse this one. Create the mesh without \"mtls\" and then its Secrets first, or set \"skipValidation\"."))
			}
		}
	}
	return problems
}}

func secretName(backend tree.Node) []def.Problem {
	const longest = 255
	n := backend.Get("name")
	name, _ := n.Text()
	meshName, _ := n.Root().Get("name").Text()
	switch {
	case name == "":
		return nil
	case !authorityName.MatchString(name):
		return []def.Problem{def.ErrorAt(n, "Invalid name", fmt.Sprintf("%q becomes part of the name of a Secret: use lower case letters, digits, \"-\", \".\" and \"_\", and start and end with a letter or digit.", name))}
	case len(meshName+".ca-builtin-cert-"+name) > longest:
		return []def.Problem{def.ErrorAt(n, "Name is too long", fmt.Sprintf("%q and the name of the mesh become part of the name of a Secret, which has at most %d characters. Choose a shorter one.", name, longest))}
	}
	return nil
}

// keyPair checks a certificate and a key that both stand in the document.
func keyPair(conf tree.Node) []def.Problem {
	n := conf.Get("cert")
	cert, okCert := inline(n)
	key, okKey := inline(conf.Get("key"))
	if !okCert || !okKey {
		return nil
	}
	pair, err := tls.X509KeyPair(cert, key)
	switch {
	case err != nil:
		return []def.Problem{def.ErrorAt(n, "Certificate and key do not load", "\"cert\" and \"key\" must hold a certificate and the private key that belongs to it, both in PEM format. Check the two texts.")}
	case !pair.Leaf.IsCA:
		return []def.Problem{def.ErrorAt(n, "This is no certificate authority", "The certificate in \"cert\" may not sign others. Give one of a certificate authority (basic constraint CA).")}
	}
	return nil
}

// inline returns the content of a data source that stands in the document.
func inline(source tree.Node) ([]byte, bool) {
	if s, ok := source.Get("inlineString").Text(); ok && s != "" {
		return []byte(s), true
	}
	s, ok := source.Get("inline").Text()
	data, err := base64.StdEncoding.DecodeString(s)
	return data, ok && err == nil && s != ""
}
