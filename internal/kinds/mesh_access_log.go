package kinds

import (
	"encoding/json"
	"fmt"
	"net"
	"regexp"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/object"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/policy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// MeshAccessLog decides where proxies log connections and requests.
var MeshAccessLog = def.Kind{
	Name: "MeshAccessLog", Path: "meshaccesslogs", ShortName: "mal",
	ZoneOwned: kuma.Always(), GlobalOwned: true, Status: true,
	Doc: "Logs connections and requests of outgoing (`to`) or incoming traffic (`rules`) to files, TCP receivers or " +
		"OpenTelemetry collectors.",
	Use: "Use it to audit or debug traffic. For metrics use `kuma_mesh_metric`, for the path of single requests use `kuma_mesh_trace`.",
	Policy: &def.Policy{
		Order: 600, To: true, From: true, Rules: true, FromAsRules: true, Additive: true,
		Gateway: def.Gateway{ForAll: []string{""}},
	},
	Fields: def.Object{
		policy.TargetRef(policy.AllProxies()...),
		policy.ToSince(map[string]string{kuma.KindMeshHTTPRoute: "2.11"}, policy.Default(accessLog), kuma.KindMesh, kuma.KindMeshService,
			kuma.KindMeshExternalService, kuma.KindMeshMultiZoneService),
		policy.From(policy.Default(accessLog), kuma.KindMesh),
		policy.Rules("2.10", policy.Matches("2.14"), policy.Default(accessLog)),
	},
	Checks: def.Checks(
		policy.SomeEntries("to", "from", "rules"),
		policy.RulesExclude("to", "from"),
		policy.FromIsDeprecated,
		policy.DestinationKinds([]string{kuma.KindMeshGateway}, kuma.KindMesh),
	),
}

var accessLog = def.Object{{
	Name: "backends", Type: def.List{Elem: logBackend}, Required: true, RequiredByRule: true,
	Checks: def.Checks(def.Each(def.ByType(logBackends...))), Design: def.Checks(def.Each(def.Unused(logBackends...))),
	Doc: "Backends, each of which receives the log. An empty list disables logging.",
}}

var logBackend = def.Object{
	def.TypeField("Type of the backend. The block with the same name has its settings.", logBackends...),
	{Name: "tcp", Doc: "Sends log lines over TCP.", Type: def.Object{
		logFormat,
		{
			Name: "address", Type: def.String, Required: true, Checks: def.Checks(def.NotEmpty()), Design: def.Checks(receiverIsHostAndPort),
			Doc: "Host and port of the receiver, such as `127.0.0.1:5000`.",
		},
	}},
	{Name: "file", Doc: "Writes log lines to a file on the host of the proxy.", Type: def.Object{
		logFormat,
		def.String.Required("path", "Absolute path of the file. `/dev/stdout` writes to the output of the proxy.", def.NotEmpty()),
	}},
	{Name: "openTelemetry", Doc: "Sends log records to an OpenTelemetry collector.", Type: append(def.Object{
		{Name: "attributes", Doc: "Attributes of each log record.", DropsEmpty: kuma.Before("2.10"), Type: def.List{Elem: def.Object{
			def.String.Required("key",
				"Name of the attribute. Must not begin with `otel.`.", def.Pattern(regexp.MustCompile(`^[a-z]([a-z0-9]|[._][a-z0-9])*$`),
					"Must consist of lowercase letters and digits, with single dots and underscores between them.")),
			def.String.Required("value", "Value of the attribute, with Envoy's command operators."),
		}}},
		def.JSON.Field("body",
			"Body of the log record: a string with Envoy's command operators, or an object in the format of OpenTelemetry's `AnyValue`. "+
				"Defaults to a log line in Kuma's format."),
	}, object.Collector...)},
}

var logFormat = def.Field{
	Name: "format", Design: def.Checks(def.Unused(logLines...)),
	Doc: "Format of a log line. Kuma's default format depends on the protocol.", Type: def.Object{
		def.TypeField("Whether a line is plain text or a JSON object. The attribute or block with the same name holds the format.", logLines...),
		def.String.Field("plain", "The line, with Envoy's command operators. Required with `Plain`."),
		{Name: "json", Doc: "The fields of the JSON object. At least one is required with `Json`.", Type: def.List{Elem: def.Object{
			def.String.Required("key", "Name of the field."),
			def.String.Required("value", "Value of the field, with Envoy's command operators. Quotation marks must be escaped as `\\\"`."),
		}}},
		{
			Name: "omitEmptyValues", Type: def.Bool, Default: false,
			Doc: "Whether to omit fields without a value. Otherwise they are logged as `-`.",
		},
	},
}

var logBackends = []def.Variant{
	{Type: "Tcp", Field: "tcp", Checks: def.Checks(def.Below("format", def.ByType(logLines...)), def.Below("address", receiverAddress))},
	{Type: "File", Field: "file", Checks: def.Checks(def.Below("format", def.ByType(logLines...)), def.Below("path", check.FilePath))},
	{
		Type: "OpenTelemetry", Field: "openTelemetry",
		Checks: append(object.CollectorRules(object.NotURL), def.Below("attributes", def.Each(def.Below("key", reservedAttribute)))),
	},
}

var logLines = []def.Variant{
	{Type: "Plain", Field: "plain", Checks: def.Checks(check.NotEmpty)},
	{Type: "Json", Field: "json", Checks: def.Checks(check.SomeItems,
		def.Each(def.Below("key", check.NotEmpty), def.Below("value", check.NotEmpty), jsonField))},
}

// jsonField checks that a field is valid JSON when key and value are put
// between quotation marks, which is what the proxy does.
var jsonField = def.Check{Test: func(n tree.Node) []def.Problem {
	key, okKey := n.Get("key").Text()
	value, okValue := n.Get("value").Text()
	return def.ErrorIf(okKey && okValue && !json.Valid(fmt.Appendf(nil, `{"%s": "%s"}`, key, value)), n, "Invalid JSON field",
		"Key %q and value %q are placed between quotation marks in the log line, where they are not valid JSON. "+
			"Escape quotation marks and backslashes with a backslash.", key, value)
}}

var reservedAttribute = def.Text(func(s string) bool { return !strings.HasPrefix(s, "otel.") }, "Reserved attribute name",
	"%q begins with \"otel.\", which is reserved for OpenTelemetry. Use a different name.")

// receiverIsHostAndPort checks that an address is what kuma-dp can connect to, which gets it as
// it is.
var receiverIsHostAndPort = def.Text(func(s string) bool {
	_, _, err := net.SplitHostPort(s)
	return s == "" || err == nil && !strings.Contains(s, "/")
}, "Invalid address", "The address must consist of host and port only, such as \"logs.example:5000\", but it is %q.")

// receiverAddress checks the address of a receiver of access logs. Only a host
// and a port work, but a control plane accepts whatever govalidator considers a
// URL.
var receiverAddress = def.Text(check.IsURL, "Invalid address",
	"%q is not a valid address. It must be a host and a port, such as \"127.0.0.1:5000\" or \"logs.example:5000\".")
