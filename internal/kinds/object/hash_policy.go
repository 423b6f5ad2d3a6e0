package object

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// HashPolicies are the properties of a request that are hashed.
var HashPolicies = def.Field{
	Name: "hashPolicies", Since: "2.12", Type: def.List{Elem: hashPolicy}, Checks: def.Checks(def.Each(hashPolicyRules)), Design: def.Checks(def.Each(def.Unused(hashPolicyTypes...), noSourceIP)),
	Doc: "Properties of a request that are hashed, in this order. Only with `RingHash` and `Maglev`, which take an endpoint at random for every request when unset.",
}

// sourceIP is the deprecated name of a hash of the connection.
const sourceIP = "SourceIP"

// hashPolicy is one property of a request that decides which endpoint it goes
// to. Its rules are [hashPolicyRules].
var hashPolicy = def.Object{
	{
		Name: "type", Type: def.String, Required: true, OneOf: []string{"Header", "Cookie", "Connection", sourceIP, "QueryParameter", "FilterState"}, SinceOf: map[string]string{"Connection": "2.10"},
		Doc: "Property that is hashed. The block of the same name holds its settings; others have no effect. `SourceIP` is deprecated: use `Connection`.",
	},
	{
		Name: "terminal", Type: def.Bool,
		Doc: "Whether the properties that follow are ignored if the request has this one. All properties together decide when unset.",
	},
	{Name: "header", Doc: "A header of the request.", Type: hashedName("name", "Name of the header.")},
	{Name: "cookie", Doc: "A cookie of the request.", Type: def.Object{
		{Name: "name", Type: def.String, Required: true, Checks: def.Checks(def.NotEmpty()), Doc: "Name of the cookie."},
		{
			Name: "ttl", Type: def.Duration,
			Doc: "Life of the cookie that the proxy sets if the request has none; `0s` makes it end with the session. The proxy sets no cookie when unset.",
		},
		{Name: "path", Type: def.String, Doc: "Path of the cookie that the proxy sets, which begins with `/`."},
	}},
	{Name: "connection", Doc: "A property of the connection.", Type: def.Object{
		{Name: "sourceIP", Type: def.Bool, Doc: "Whether the address of the client is hashed. It is not when unset."},
	}},
	{Name: "queryParameter", Doc: "A query parameter of the request.", Type: hashedName("name", "Name of the parameter; the first one of that name counts.")},
	{Name: "filterState", Doc: "An object that filters of the proxy share.", Type: hashedName("key", "Name of the object.")},
}

func hashedName(member, doc string) def.Object {
	return def.Object{{Name: member, Type: def.String, Required: true, Checks: def.Checks(def.NotEmpty()), Doc: doc}}
}

var hashPolicyRules = def.ByType(hashPolicyTypes...)

// hashPolicyTypes are the types of [hashPolicy].
var hashPolicyTypes = []def.Variant{
	{Type: "Header", Member: "header"},
	{Type: "Cookie", Member: "cookie", Checks: def.Checks(def.Below("path", check.RootedPath))},
	{Type: "Connection", Member: "connection"},
	{Type: sourceIP, Member: "connection"},
	{Type: "QueryParameter", Member: "queryParameter"},
	{Type: "FilterState", Member: "filterState"},
}

// noSourceIP: next to the algorithm, the deprecated name makes a policy
// without content.
var noSourceIP = def.Check{Test: func(n tree.Node) []def.Problem {
	kind := n.Get("type")
	if s, _ := kind.Text(); s != sourceIP {
		return nil
	}
	return []def.Problem{def.ErrorAt(kind, "SourceIP breaks the proxies", "Here it makes a hash policy without content, which Envoy refuses. Use the type Connection.")}
}}
