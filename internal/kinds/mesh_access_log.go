package kinds

import (
	"encoding/json"
	"fmt"
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
	ZoneOwned: true, GlobalOwned: true, Status: true,
	Doc:    "Logs connections and requests: to files, to TCP receivers or to OpenTelemetry collectors, for outgoing traffic (`to`) or for incoming traffic (`rules`).",
	Policy: &def.Policy{Order: 600, To: true, From: true, Rules: true, FromAsRules: true},
	Fields: def.Object{
		policy.TargetRef(kuma.KindMesh, kuma.KindDataplane, kuma.KindMeshGateway, kuma.KindMeshSubset, kuma.KindMeshService, kuma.KindMeshServiceSubset),
		policy.ToSince("2.11", kuma.KindMeshHTTPRoute, policy.Default(accessLog), kuma.KindMesh, kuma.KindMeshService, kuma.KindMeshExternalService, kuma.KindMeshMultiZoneService),
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
	Name: "backends", Type: def.List{Elem: logBackend}, Required: true, RequiredByRule: true, Checks: def.Checks(def.Each(def.ByType(logBackends...))), Design: def.Checks(def.Each(def.Unused(logBackends...))),
	Doc: "Where log lines go: to every backend of the list. An empty list turns logging off.",
}}

var logBackend = def.Object{
	{
		Name: "type", Type: def.String, Required: true, OneOf: []string{"Tcp", "File", "OpenTelemetry"},
		Doc: "Kind of the backend. The block of the same name holds its settings; others have no effect.",
	},
	{Name: "tcp", Doc: "A receiver of log lines over TCP.", Type: def.Object{
		logFormat,
		{
			Name: "address", Type: def.String, Required: true, Checks: def.Checks(def.NotEmpty()),
			Doc: "Host and port of the receiver, such as `127.0.0.1:5000`.",
		},
	}},
	{Name: "file", Doc: "A file on the host of the proxy.", Type: def.Object{
		logFormat,
		{
			Name: "path", Type: def.String, Required: true, Checks: def.Checks(def.NotEmpty()),
			Doc: "Absolute path of the file. `/dev/stdout` writes to the output of the proxy.",
		},
	}},
	{Name: "openTelemetry", Doc: "An OpenTelemetry collector.", Type: append(def.Object{
		{Name: "attributes", Doc: "Attributes that each record gets.", Type: def.List{Elem: def.Object{
			{
				Name: "key", Type: def.String, Required: true,
				Checks: def.Checks(def.Pattern(regexp.MustCompile(`^[a-z]([a-z0-9]|[._][a-z0-9])*$`), "Lower case letters and digits, with single dots and underscores between them.")),
				Doc:    "Name of the attribute, which must not begin with `otel.`.",
			},
			{Name: "value", Type: def.String, Required: true, Doc: "Value of the attribute, with the placeholders of Envoy."},
		}}},
		{
			Name: "body", Type: def.JSON,
			Doc: "Body of the record as JSON: text with the placeholders of Envoy, or an object in the form of OpenTelemetry's `AnyValue`. The log line in Kuma's own format when unset.",
		},
	}, object.Collector...)},
}

var logFormat = def.Field{Name: "format", Design: def.Checks(def.Unused(logLines...)), Doc: "Format of a log line. Kuma uses one of its own, which depends on the protocol, when unset.", Type: def.Object{
	{
		Name: "type", Type: def.String, Required: true, OneOf: []string{"Plain", "Json"},
		Doc: "Whether a line is text or a JSON object. The attribute or block of the same name holds the format.",
	},
	{Name: "plain", Type: def.String, Doc: "The line, with the placeholders of Envoy. Needed with `Plain`."},
	{Name: "json", Doc: "The members of the object. At least one is needed with `Json`.", Type: def.List{Elem: def.Object{
		{Name: "key", Type: def.String, Required: true, Doc: "Name of the member."},
		{Name: "value", Type: def.String, Required: true, Doc: "Value of the member, with the placeholders of Envoy; quotation marks are written as `\\\"`."},
	}}},
	{Name: "omitEmptyValues", Type: def.Bool, Default: false, Doc: "Whether placeholders without a value are left out. They become `-` when unset."},
}}

var logBackends = []def.Variant{
	{Type: "Tcp", Member: "tcp", Checks: def.Checks(def.Below("format", def.ByType(logLines...)), def.Below("address", receiverAddress))},
	{Type: "File", Member: "file", Checks: def.Checks(def.Below("format", def.ByType(logLines...)), def.Below("path", check.FilePath))},
	{Type: "OpenTelemetry", Member: "openTelemetry", Checks: append(object.CollectorRules(object.NotURL), def.Below("attributes", def.Each(def.Below("key", reservedAttribute))))},
}

var logLines = []def.Variant{
	{Type: "Plain", Member: "plain", Checks: def.Checks(check.NotEmpty)},
	{Type: "Json", Member: "json", Checks: def.Checks(check.SomeItems, def.Each(def.Below("key", check.NotEmpty), def.Below("value", check.NotEmpty), jsonMember))},
}

// jsonMember: key and value are put between quotation marks as they are.
var jsonMember = def.Check{Test: func(n tree.Node) []def.Problem {
	key, okKey := n.Get("key").Text()
	value, okValue := n.Get("value").Text()
	if !okKey || !okValue || json.Valid(fmt.Appendf(nil, `{"%s": "%s"}`, key, value)) {
		return nil
	}
	return []def.Problem{def.ErrorAt(n, "Member is no valid JSON", fmt.Sprintf("%q and %q stand between quotation marks in the log line, where they are no valid JSON. Write quotation marks and backslashes in them with a backslash in front.", key, value))}
}}

var reservedAttribute = def.Check{Test: func(n tree.Node) []def.Problem {
	s, ok := n.Text()
	if !ok || !strings.HasPrefix(s, "otel.") {
		return nil
	}
	return []def.Problem{def.ErrorAt(n, "Name of an attribute is reserved", fmt.Sprintf("%q begins with \"otel.\", which is reserved for OpenTelemetry. Choose another name.", s))}
}}

// receiverAddress checks the address of a receiver of access logs. Host and port
// are what works; a control plane takes whatever govalidator calls a URL.
var receiverAddress = def.Check{Test: func(n tree.Node) []def.Problem {
	s, ok := n.Text()
	if !ok || check.IsURL(s) {
		return nil
	}
	return []def.Problem{def.ErrorAt(n, "Invalid address", fmt.Sprintf("%q is not host and port. Write it like \"127.0.0.1:5000\" or \"logs.example:5000\".", s))}
}}
