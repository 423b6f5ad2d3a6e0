package kinds

import (
	"encoding/json"
	"fmt"
	"math"
	"net/netip"
	"regexp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Limits of HTTP routes that the schema sets.
const (
	maxItems      = math.MaxInt32 // in a list that only must not be empty
	maxHeaders    = 16
	maxHeaderName = 256
	maxHostName   = 253
)

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
	{Type: filterRequestHeaders, Member: "requestHeaderModifier"},
	{Type: filterResponseHeaders, Member: "responseHeaderModifier"},
	{Type: filterRedirect, Member: "requestRedirect"},
	{Type: filterRewrite, Member: "urlRewrite"},
	{Type: filterMirror, Member: "requestMirror"},
}

// httpFilter is one change of a request or of its response.
var httpFilter = def.Object{
	{
		Name: "type", Type: def.String, Required: true,
		OneOf: []string{filterRequestHeaders, filterResponseHeaders, filterRedirect, filterRewrite, filterMirror},
		Doc:   "What the filter does. The block of the same name holds its settings; others have no effect.",
	},
	{Name: "requestHeaderModifier", Type: headerChanges, Checks: headerRules, Doc: "Changes headers of the request."},
	{Name: "responseHeaderModifier", Type: headerChanges, Checks: headerRules, Doc: "Changes headers of the response."},
	{Name: "requestRedirect", Doc: "Answers the request with a redirect. What is unset stays as in the request.", Type: def.Object{
		{Name: "scheme", Type: def.String, OneOf: []string{"http", "https"}, Doc: "Scheme of the new address."},
		newHostName("Host of the new address."),
		newPath,
		{Name: "port", Type: def.Int, Checks: def.Checks(def.Limit(1, maxPort)), Doc: "Port of the new address."},
		{
			Name: "statusCode", Type: def.Int, OneOf: []string{"301", "302", "303", "307", "308"}, Default: json.Number("302"),
			Doc: "Status code of the answer. It is `302` when unset.",
		},
	}},
	{Name: "urlRewrite", Checks: def.Checks(oneHostName), Doc: "Changes host and path of the request before it is sent on.", Type: def.Object{
		newHostName("New value of the host header. It stays when unset."),
		newPath,
		{
			Name: "hostToBackendHostname", Type: def.Bool,
			Doc: "Whether the host header becomes the host name of the destination. It does not when unset. Only with MeshGateway as top-level reference, and not together with `hostname`.",
		},
	}},
	{Name: "requestMirror", Doc: "Sends a copy of the request to a second destination, whose answer is dropped.", Type: def.Object{
		{
			Name: "percentage", Type: def.IntOrString, Design: def.Checks(percentage.Warn()),
			Doc: "Share of the requests that is copied, in percent: a whole number, or text for a fraction (`\"7.5\"`). All are when unset.",
		},
		{
			Name: "backendRef", Required: true, Checks: def.Checks(def.ReferenceMembers()), Design: def.Checks(mirrorByTag),
			Type: def.TargetRef([]string{kuma.KindMeshService, kuma.KindMeshServiceSubset}, backendMembers...),
			Doc:  "Where the copies go. Kuma 2.14 finds only services by the value of their tag `kuma.io/service`, given as `name` alone.",
		},
	}},
}

var headerName = def.Field{
	Name: "name", Type: def.String, Required: true, Doc: "Name of the header.",
	Checks: def.Checks(
		def.Length(1, maxHeaderName),
		def.Pattern(regexp.MustCompile("^[a-z0-9!#$%&'*+\\-.^_`|~]+$"), "Header names are written in lower case."),
	),
}

// headerMatch is a condition on a header.
var headerMatch = def.Object{
	{
		Name: "type", Type: def.String, OneOf: []string{"Exact", "Present", typeRegex, "Absent", "Prefix"}, Default: "Exact",
		Doc: "How the value is compared: `Exact` when unset. `Present` and `Absent` look only at whether the header is there.",
	},
	headerName,
	{
		Name: "value", Type: def.String, DropsEmpty: true,
		Doc: "Value of the header, its beginning, or a regular expression in the syntax of RE2. Not with `Present` and `Absent`.",
	},
}

// newHeaders are headers to give to a request or a response.
var newHeaders = def.Object{
	headerValues("set", "Headers to set; a header that is there already is replaced."),
	headerValues("add", "Headers to add, next to those that are there already."),
}

// headerChanges are changes of the headers of a request or a response.
var headerChanges = append(newHeaders[:2:2], def.Field{
	Name: "remove", Type: def.List{Elem: def.String}, Checks: def.Checks(def.Items(0, maxHeaders)),
	Doc: "Names of headers to remove.",
})

func headerValues(name, doc string) def.Field {
	return def.Field{Name: name, Doc: doc, Checks: def.Checks(def.Items(0, maxHeaders)), Type: def.List{Elem: def.Object{
		headerName,
		{Name: "value", Type: def.String, Required: true, Doc: "Value of the header; several are separated by commas."},
	}}}
}

var headerRules = def.Checks(def.AnyOf("set", "add", "remove"), headersOnce)

// headersOnce: the changes are not made in the order of the document, so that
// two of one header would be ambiguous.
var headersOnce = def.Check{
	Doc: "Each header at most once in all three lists.",
	Test: func(n tree.Node) []def.Problem {
		var names []tree.Node
		for _, list := range []string{"set", "add"} {
			for _, header := range n.Get(list).Items() {
				names = append(names, header.Get("name"))
			}
		}
		names = append(names, n.Get("remove").Items()...)
		var problems []def.Problem
		seen := map[string]bool{}
		for _, name := range names {
			s, ok := name.Text()
			if ok && seen[s] {
				problems = append(problems, def.ErrorAt(name, "Header is changed twice", fmt.Sprintf("%q stands in \"set\", \"add\" or \"remove\" before. Keep one of the changes.", s)))
			}
			seen[s] = seen[s] || ok
		}
		return problems
	},
}

func newHostName(doc string) def.Field {
	return def.Field{Name: "hostname", Type: def.String, Doc: doc, Checks: def.Checks(
		def.Length(1, maxHostName),
		def.Pattern(regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`), "A host name in lower case."),
		noIPAddress,
	)}
}

var noIPAddress = def.Check{Test: func(n tree.Node) []def.Problem {
	s, ok := n.Text()
	if _, err := netip.ParseAddr(s); ok && err == nil {
		return []def.Problem{def.ErrorAt(n, "IP address is no host name", fmt.Sprintf("%q is an IP address. Give a host name.", s))}
	}
	return nil
}}

// pathChanges are the types of [newPath].
var pathChanges = []def.Variant{
	{Type: "ReplaceFullPath", Member: "replaceFullPath"},
	{Type: "ReplacePrefixMatch", Member: "replacePrefixMatch"},
}

// newPath is the change of a path.
var newPath = def.Field{Name: "path", Design: def.Checks(def.ByType(pathChanges...), def.Unused(pathChanges...)), Doc: "Change of the path. It stays when unset.", Type: def.Object{
	{
		Name: "type", Type: def.String, Required: true, OneOf: []string{"ReplaceFullPath", "ReplacePrefixMatch"},
		Doc: "Which part of the path is replaced. The attribute of the same name holds the replacement, without which the proxy gets no configuration.",
	},
	{Name: "replaceFullPath", Type: def.String, Doc: "The new path."},
	{
		Name: "replacePrefixMatch", Type: def.String,
		Doc: "What replaces the prefix that matched. Only when every match of the rule has a path of type `PathPrefix`.",
	},
}}

var oneHostName = def.Check{Test: func(n tree.Node) []def.Problem {
	own := n.Get("hostToBackendHostname")
	if !own.True() || !n.Get("hostname").Filled() {
		return nil
	}
	return []def.Problem{def.ErrorAt(own, "Two host names are given", "The host header becomes either \"hostname\" or the host name of the destination (\"hostToBackendHostname\"). Remove one of them.")}
}}

// gatewayFilters refuses what only a gateway can do.
func gatewayFilters(conf tree.Node) []def.Problem {
	var problems []def.Problem
	for _, f := range conf.Get("filters").Items() {
		if own := f.Get("urlRewrite", "hostToBackendHostname"); own.True() {
			problems = append(problems, def.ErrorAt(own, "Only a gateway can do this", "The host header can become the host name of the destination only with MeshGateway as top-level reference. Remove it, or set \"hostname\"."))
		}
	}
	return problems
}

// prefixIsMatched: only a prefix that matched can be replaced.
var prefixIsMatched = def.Check{Test: func(rule tree.Node) []def.Problem {
	if allPrefixes(rule.Get("matches")) {
		return nil
	}
	var problems []def.Problem
	for _, f := range rule.Get("default", "filters").Items() {
		for _, member := range []string{"requestRedirect", "urlRewrite"} {
			problems = append(problems, def.Refused(f.Get(member, "path", "replacePrefixMatch"), "A prefix can be replaced only if every match of the rule has a path of type PathPrefix. Move the other matches to a rule of their own.")...)
		}
	}
	return problems
}}

// allPrefixes reports whether every match may be one of a prefix.
func allPrefixes(matches tree.Node) bool {
	for _, m := range matches.Items() {
		kind := m.Get("path", "type")
		if s, _ := kind.Text(); s != "PathPrefix" && !kind.Unknown() {
			return false
		}
	}
	return true
}
