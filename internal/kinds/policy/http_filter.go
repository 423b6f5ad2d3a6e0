package policy

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/object"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// HTTPFilters are the changes that a rule makes to requests and responses.
var HTTPFilters = def.Field{
	Name: "filters", Type: def.List{Elem: httpFilter},
	Checks: def.Checks(def.Each(def.ByType(filters...))), Design: def.Checks(def.Each(def.Unused(filters...)), redirectIsLast),
	Doc: "Filters to apply to the request and the response, in this order. None by default.",
}

// BackendFilters are the changes that a rule makes to the requests for one destination.
var BackendFilters = def.Field{
	Name: "filters", Since: "3.0", Stated: true, Checks: def.Checks(def.Each(def.ByType(filters[0]))),
	Type: def.List{Elem: def.Object{
		def.TypeField("Type of the filter.", filters[0]),
		{Name: "requestHeaderModifier", Type: object.HeaderChanges, Doc: "Changes headers of the request."},
	}},
	Doc: "Filters to apply to the requests for this destination.",
}

// maxHostName is the maximum length of a host name, in characters.
const maxHostName = 253

// Types of filters.
const (
	filterRequestHeaders  = "RequestHeaderModifier"
	filterResponseHeaders = "ResponseHeaderModifier"
	filterRedirect        = "RequestRedirect"
	filterRewrite         = "URLRewrite"
	filterMirror          = "RequestMirror"
)

// filters are the types of [httpFilter].
var filters = []def.Variant{
	{Type: filterRequestHeaders, Field: "requestHeaderModifier", Checks: object.HeaderChangeRules},
	{Type: filterResponseHeaders, Field: "responseHeaderModifier", Checks: object.HeaderChangeRules},
	{Type: filterRedirect, Field: "requestRedirect"},
	{Type: filterRewrite, Field: "urlRewrite"},
	{Type: filterMirror, Field: "requestMirror", Checks: def.Checks(def.Below("backendRef", def.ReferenceFields()))},
}

// httpFilter is one change of a request or of its response.
var httpFilter = def.Object{
	def.TypeField("Type of the filter. The block with the same name has its settings.", filters...),
	{
		Name: "requestHeaderModifier", Type: object.HeaderChanges,
		Doc: "Changes headers of the request. At least one of `set`, `add` or `remove` is required. " +
			"Each header can occur only once across the three lists.",
	},
	{
		Name: "responseHeaderModifier", Type: object.HeaderChanges,
		Doc: "Changes headers of the response. At least one of `set`, `add` or `remove` is required. " +
			"Each header can occur only once across the three lists.",
	},
	{Name: "requestRedirect", Doc: "Responds with a redirect. Unset parts are taken from the request.", Type: def.Object{
		{Name: "scheme", Type: def.String, OneOf: []string{"http", "https"}, Doc: "Scheme of the new URL."},
		newHostName("Host of the new URL."),
		newPath,
		def.Int.Field("port", "Port of the new URL.", def.Limit(1, check.MaxPort)),
		{
			Name: "statusCode", Type: def.Int, OneOf: []string{"301", "302", "303", "307", "308"}, Default: json.Number("302"),
			Doc: "Status code of the response.",
		},
	}},
	{
		Name: "urlRewrite", Checks: def.Checks(oneHostName), Doc: "Rewrites the host and path of the request before it is forwarded.",
		Type: def.Object{
			newHostName("New value of the host header. Unchanged by default."),
			newPath,
			{
				Name: "hostToBackendHostname", Type: def.Bool, DropsEmpty: kuma.Before("2.10"),
				Removed: def.RemovedIn3("Kuma 3.0 has no builtin gateways. Remove it, or set hostname."),
				Doc: "Whether to set the host header to the host name of the destination. Defaults to `false`. " +
					"Only valid with MeshGateway as top-level reference. Conflicts with `hostname`.",
			},
		},
	},
	{Name: "requestMirror", Doc: "Sends a copy of the request to a second destination and ignores its response.", Type: def.Object{
		{
			Name: "percentage", Type: def.IntOrString, Design: def.Checks(check.Percentage.Warn()),
			Doc: "Percentage of requests to copy, such as `10` or `\"7.5\"`. All by default.",
		},
		{
			Name: "backendRef", Required: true, Checks: def.Checks(def.InKuma3(multiZonePort)), Design: def.Checks(mirrorByTag),
			Type: mirrorBackend,
			Doc: "Destination of the copies. Kuma 2.14 only finds services by the value of their tag `kuma.io/service`, set as `name` " +
				"without other fields.",
		},
	}},
}

func newHostName(doc string) def.Field {
	return def.String.Field("hostname", doc,
		def.Length(1, maxHostName),
		def.Pattern(regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`), "Must be a host name in lowercase."),
		noIPAddress,
	)
}

var noIPAddress = def.Text(func(s string) bool {
	_, err := netip.ParseAddr(s)
	return err != nil
}, "Invalid host name", "%q is an IP address. It must be a host name.")

// pathChanges are the types of [newPath].
var pathChanges = []def.Variant{
	{Type: "ReplaceFullPath", Field: "replaceFullPath"},
	{Type: "ReplacePrefixMatch", Field: "replacePrefixMatch"},
}

// newPath is the change of a path.
var newPath = def.Field{
	Name: "path", Design: def.Checks(def.ByType(pathChanges...).About(def.Frozen), def.Unused(pathChanges...)),
	Doc: "Rewrite of the path. Unchanged by default.", Type: def.Object{
		def.TypeField(
			"Which part of the path to replace. The attribute with the same name is required: without it, the proxy gets no configuration.",
			pathChanges...),
		def.String.Field("replaceFullPath", "The new path."),
		def.String.Field("replacePrefixMatch",
			"Replacement of the matched prefix and the slash after it, which should therefore end with a slash: "+
				"with `/new/`, the prefix `/old` turns `/old/x` into `/new/x` and `/old` into `/new/`. An empty string changes nothing. "+
				"Only valid if every match of the rule has a path of type `PathPrefix`."),
	},
}

var oneHostName = def.Check{Test: func(n tree.Node) []def.Problem {
	own := n.Get("hostToBackendHostname")
	return def.ErrorIf(own.True() && n.Get("hostname").Filled(), own, "Conflicting host names",
		"\"hostname\" conflicts with \"hostToBackendHostname\", which sets the host header to the host name of the "+
			"destination. Remove one of them.")
}}

// GatewayFilters rejects what only a gateway can do.
func GatewayFilters(conf tree.Node) []def.Problem {
	var problems []def.Problem
	for _, f := range conf.Get("filters").Items() {
		kind, _ := f.Get("type").Text()
		if own := f.Get("urlRewrite", "hostToBackendHostname"); kind == filterRewrite && own.True() {
			problems = append(problems, def.ErrorAt(own, "Only supported on gateways",
				"This is only supported with MeshGateway as top-level reference. Remove it, or set \"hostname\"."))
		}
	}
	return problems
}

// replacing are the fields of the types of filters that replace a path.
var replacing = map[string]string{filterRedirect: "requestRedirect", filterRewrite: "urlRewrite"}

// PrefixIsMatched rejects the replacement of a prefix in a rule that does not
// match prefixes only.
var PrefixIsMatched = def.Check{Test: func(rule tree.Node) []def.Problem {
	if allPrefixes(rule.Get("matches")) {
		return nil
	}
	var problems []def.Problem
	for _, f := range rule.Get("default", "filters").Items() {
		kind, _ := f.Get("type").Text()
		if field, ok := replacing[kind]; ok {
			replaced := f.Get(field, "path", "replacePrefixMatch")
			problems = append(problems,
				def.Rejected(replaced,
					"A prefix can only be replaced if every match of the rule has a path of type PathPrefix. "+
						"Move the other matches to a separate rule.")...)
		}
	}
	return problems
}}

// PathIsJoined warns about the replacement of a prefix by one without a slash at its end,
// which proxies join with the rest of the path (validation.md, MeshHTTPRoute). What gateways do
// is not measured.
var PathIsJoined = def.Check{Test: func(n tree.Node) []def.Problem {
	if top := TopKind(n); top == "" || top == kuma.KindMeshGateway {
		return nil
	}
	var problems []def.Problem
	for _, filter := range n.Find("to[].rules[].default.filters[]") {
		kind, _ := filter.Get("type").Text()
		to := filter.Get(replacing[kind], "path", "replacePrefixMatch")
		if prefix, _ := to.Text(); prefix != "" && !strings.HasSuffix(prefix, "/") {
			problems = append(problems, def.WarningAt(to, "Missing slash in replacePrefixMatch",
				fmt.Sprintf("Proxies replace the prefix together with the slash after it: a path that continues with /x becomes %[1]sx. "+
					"Set %[1]s/, which makes it %[1]s/x, and the prefix itself %[1]s/.", prefix)).About(def.JoinedPath))
		}
	}
	return problems
}}

// allPrefixes reports whether every match may be one of a prefix.
func allPrefixes(matches tree.Node) bool {
	return !slices.ContainsFunc(matches.Find("[].path.type"), func(kind tree.Node) bool {
		s, _ := kind.Text()
		return s != "PathPrefix" && !kind.Unknown()
	})
}

// redirectIsLast rejects filters after a redirect that change a request which is sent on: the
// control plane then cannot generate the configuration of a proxy that has the route.
var redirectIsLast = def.Check{Test: func(n tree.Node) []def.Problem {
	redirected := false
	for _, f := range n.Items() {
		kind := f.Get("type")
		s, _ := kind.Text()
		if redirected && (s == filterRewrite || s == filterMirror) {
			return []def.Problem{def.ErrorAt(kind, s+" follows RequestRedirect",
				"The control plane cannot generate the configuration of proxies with both filters in this order. "+
					"A request that is redirected is not sent on: remove one of the two filters.")}
		}
		redirected = redirected || s == filterRedirect
	}
	return nil
}}.About(def.Frozen)

// RedirectHidesBackends warns about destinations that no request reaches.
var RedirectHidesBackends = def.Check{Test: func(n tree.Node) []def.Problem {
	isRedirect := func(f tree.Node) bool { s, _ := f.Get("type").Text(); return s == filterRedirect }
	refs := n.Get("backendRefs")
	return def.WarningIf(refs.Filled() && slices.ContainsFunc(n.Get("filters").Items(), isRedirect), refs, "backendRefs has no effect",
		"The filter RequestRedirect responds to every request of the rule. Remove backendRefs or the filter.")
}}

// Redirects reports whether one of the filters may answer the request.
func Redirects(filters tree.Node) bool {
	return filters.Unknown() || slices.ContainsFunc(filters.Find("[].type"), func(kind tree.Node) bool {
		s, _ := kind.Text()
		return s == filterRedirect || kind.Unknown()
	})
}
