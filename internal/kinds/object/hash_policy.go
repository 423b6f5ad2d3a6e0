package object

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// HashPolicies are the properties of a request that are hashed.
var HashPolicies = def.Field{
	Name: "hashPolicies", Since: "2.12", Protocols: kuma.HTTPProtocols(), Type: def.List{Elem: hashPolicy},
	Checks: def.Checks(def.Each(hashPolicyRules)), Design: def.Checks(def.Each(def.Unused(hashPolicyTypes...), noSourceIP)),
	Doc: "Properties of a request to hash, in this order. " +
		"Only used with `RingHash` and `Maglev`, which choose a random endpoint for each request if this is unset.",
}

// sourceIP is the deprecated name of a hash of the connection.
const sourceIP = "SourceIP"

// hashPolicy is one property of a request that decides which endpoint it goes
// to. Its rules are [hashPolicyRules].
var hashPolicy = def.Object{
	{
		Name: "type", Type: def.String, Required: true,
		OneOf:     []string{"Header", "Cookie", "Connection", sourceIP, "QueryParameter", "FilterState"},
		SinceOf:   map[string]string{"Connection": "2.10"},
		RemovedOf: map[string]def.Removal{sourceIP: def.RemovedIn3("Use Connection with sourceIP.")},
		Doc:       "Property to hash. The block with the same name has its settings. `SourceIP` is deprecated: use `Connection`.",
	},
	def.Bool.Field("terminal", "Whether to ignore the properties that follow if the request has this one. Defaults to `false`."),
	{Name: "header", Doc: "A header of the request.", Type: hashedName("name", "Name of the header.")},
	{Name: "cookie", Doc: "A cookie of the request.", Type: def.Object{
		def.String.Required("name", "Name of the cookie.", def.NotEmpty()),
		def.Duration.Field("ttl",
			"Lifetime of the cookie that the proxy sets if the request has none; `0s` makes it a session cookie. "+
				"If unset, the proxy sets no cookie."),
		def.String.Field("path", "Path of the cookie that the proxy sets. Must begin with `/`."),
	}},
	{Name: "connection", Doc: "A property of the connection.", Type: def.Object{
		def.Bool.Field("sourceIP", "Whether to hash the address of the client. Defaults to `false`."),
	}},
	{
		Name: "queryParameter", Doc: "A query parameter of the request.",
		Type: hashedName("name", "Name of the parameter. If it occurs several times, the first one is used."),
	},
	{Name: "filterState", Doc: "A filter state object of Envoy.", Type: hashedName("key", "Name of the object.")},
}

func hashedName(field, doc string) def.Object {
	return def.Object{def.String.Required(field, doc, def.NotEmpty())}
}

var hashPolicyRules = def.ByType(hashPolicyTypes...)

// hashPolicyTypes are the types of [hashPolicy].
var hashPolicyTypes = []def.Variant{
	{Type: "Header", Field: "header"},
	{Type: "Cookie", Field: "cookie", Checks: def.Checks(def.Below("path", check.RootedPath))},
	{Type: "Connection", Field: "connection"},
	{Type: sourceIP, Field: "connection"},
	{Type: "QueryParameter", Field: "queryParameter"},
	{Type: "FilterState", Field: "filterState"},
}

// noSourceIP rejects the deprecated name, which results in an empty policy (measured with
// `_config` on 2.14.3, next to the algorithm and inside of it).
var noSourceIP = def.Check{Test: func(n tree.Node) []def.Problem {
	kind := n.Get("type")
	s, _ := kind.Text()
	return def.ErrorIf(s == sourceIP, kind, "SourceIP breaks the proxies",
		"SourceIP produces an empty hash policy, which Envoy rejects. Use the type Connection.")
}}
