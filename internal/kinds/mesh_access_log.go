package kinds

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// MeshAccessLog decides where proxies log connections and requests.
var MeshAccessLog = spec.Kind{
	Name: "MeshAccessLog", Path: "meshaccesslogs", ShortName: "mal",
	ZoneOwned: true, GlobalOwned: true, Status: true,
	Doc:    "Logs connections and requests: to files, to TCP receivers or to OpenTelemetry collectors, for outgoing traffic (`to`) or for incoming traffic (`rules`).",
	Policy: &spec.Policy{Order: 600, To: true, From: true, Rules: true, FromAsRules: true},
	Fields: spec.Object{
		topRef(mesh.KindMesh, mesh.KindDataplane, mesh.KindMeshGateway, mesh.KindMeshSubset, mesh.KindMeshService, mesh.KindMeshServiceSubset),
		laterTo("2.11", mesh.KindMeshHTTPRoute, defaultConf(accessLog), mesh.KindMesh, mesh.KindMeshService, mesh.KindMeshExternalService, mesh.KindMeshMultiZoneService),
		from(defaultConf(accessLog), mesh.KindMesh),
		inboundRules("2.10", inboundMatches("2.14"), defaultConf(accessLog)),
	},
	Checks: spec.Checks(
		someEntries("to", "from", "rules"),
		rulesExclude("to", "from"),
		fromIsDeprecated,
		narrowTop([]string{mesh.KindMeshGateway}, mesh.KindMesh),
	),
	Readiness: fromReadiness,
}

var accessLog = spec.Object{{
	Name: "backends", Type: spec.List{Elem: logBackend}, Required: true, Checks: spec.Checks(spec.Each(spec.ByType(logBackends...))), Design: spec.Checks(spec.Each(spec.Unused(logBackends...))),
	Doc: "Where log lines go: to every backend of the list. An empty list turns logging off.",
}}

var logBackend = spec.Object{
	{
		Name: "type", Type: spec.String, Required: true, OneOf: []string{"Tcp", "File", "OpenTelemetry"},
		Doc: "Kind of the backend. The block of the same name holds its settings; others have no effect.",
	},
	{Name: "tcp", Doc: "A receiver of log lines over TCP.", Type: spec.Object{
		logFormat,
		{
			Name: "address", Type: spec.String, Required: true, Checks: spec.Checks(spec.NotEmpty()),
			Doc: "Host and port of the receiver, such as `127.0.0.1:5000`.",
		},
	}},
	{Name: "file", Doc: "A file on the host of the proxy.", Type: spec.Object{
		logFormat,
		{
			Name: "path", Type: spec.String, Required: true, Checks: spec.Checks(spec.NotEmpty()),
			Doc: "Absolute path of the file. `/dev/stdout` writes to the output of the proxy.",
		},
	}},
	{Name: "openTelemetry", Doc: "An OpenTelemetry collector.", Type: append(spec.Object{
		{Name: "attributes", Doc: "Attributes that each record gets.", Type: spec.List{Elem: spec.Object{
			{
				Name: "key", Type: spec.String, Required: true,
				Checks: spec.Checks(spec.Pattern(regexp.MustCompile(`^[a-z]([a-z0-9]|[._][a-z0-9])*$`), "Lower case letters and digits, with single dots and underscores between them.")),
				Doc:    "Name of the attribute, which must not begin with `otel.`.",
			},
			{Name: "value", Type: spec.String, Required: true, Doc: "Value of the attribute, with the placeholders of Envoy."},
		}}},
		{
			Name: "body", Type: spec.JSON,
			Doc: "Body of the record as JSON: text with the placeholders of Envoy, or an object in the form of OpenTelemetry's `AnyValue`. The log line in Kuma's own format when unset.",
		},
	}, collector...)},
}

var logFormat = spec.Field{Name: "format", Design: spec.Checks(spec.Unused(logLines...)), Doc: "Format of a log line. Kuma uses one of its own, which depends on the protocol, when unset.", Type: spec.Object{
	{
		Name: "type", Type: spec.String, Required: true, OneOf: []string{"Plain", "Json"},
		Doc: "Whether a line is text or a JSON object. The attribute or block of the same name holds the format.",
	},
	{Name: "plain", Type: spec.String, Doc: "The line, with the placeholders of Envoy. Needed with `Plain`."},
	{Name: "json", Doc: "The members of the object. At least one is needed with `Json`.", Type: spec.List{Elem: spec.Object{
		{Name: "key", Type: spec.String, Required: true, Doc: "Name of the member."},
		{Name: "value", Type: spec.String, Required: true, Doc: "Value of the member, with the placeholders of Envoy; quotation marks are written as `\\\"`."},
	}}},
	{Name: "omitEmptyValues", Type: spec.Bool, Default: false, Doc: "Whether placeholders without a value are left out. They become `-` when unset."},
}}

var logBackends = []spec.Variant{
	{Type: "Tcp", Member: "tcp", Checks: spec.Checks(spec.Below("format", spec.ByType(logLines...)), spec.Below("address", receiverAddress))},
	{Type: "File", Member: "file", Checks: spec.Checks(spec.Below("format", spec.ByType(logLines...)), spec.Below("path", filePath))},
	{Type: "OpenTelemetry", Member: "openTelemetry", Checks: append(collectorRules(notURL), spec.Below("attributes", spec.Each(spec.Below("key", reservedAttribute))))},
}

var logLines = []spec.Variant{
	{Type: "Plain", Member: "plain", Checks: spec.Checks(notEmpty)},
	{Type: "Json", Member: "json", Checks: spec.Checks(someItems, spec.Each(spec.Below("key", notEmpty), spec.Below("value", notEmpty), jsonMember))},
}

// jsonMember: key and value are put between quotation marks as they are.
var jsonMember = spec.Check{Test: func(n spec.Node) []spec.Problem {
	key, okKey := n.Get("key").Text()
	value, okValue := n.Get("value").Text()
	if !okKey || !okValue || json.Valid(fmt.Appendf(nil, `{"%s": "%s"}`, key, value)) {
		return nil
	}
	return []spec.Problem{n.Problem("Member is no valid JSON", fmt.Sprintf("%q and %q stand between quotation marks in the log line, where they are no valid JSON. Write quotation marks and backslashes in them with a backslash in front.", key, value))}
}}

var reservedAttribute = spec.Check{Test: func(n spec.Node) []spec.Problem {
	s, ok := n.Text()
	if !ok || !strings.HasPrefix(s, "otel.") {
		return nil
	}
	return []spec.Problem{n.Problem("Name of an attribute is reserved", fmt.Sprintf("%q begins with \"otel.\", which is reserved for OpenTelemetry. Choose another name.", s))}
}}
