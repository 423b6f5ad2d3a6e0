package policy

import (
	"slices"
	"strings"

	"github.com/spiffe/go-spiffe/v2/spiffeid"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Matches describes which incoming traffic a rule applies to.
func Matches(since string) def.Field {
	return def.Field{
		Name: "matches", Since: since,
		Doc:  "Conditions that select the traffic; one of them must match. If unset, the rule applies to all traffic.",
		Type: def.List{Elem: Match}, Elements: Clients("clients"),
	}
}

// Clients describes a list of [Match] in words.
func Clients(noun string) *def.Elements {
	return &def.Elements{Noun: noun, Parts: func(match tree.Node) []string {
		var conditions []string
		if id, ok := match.Get("spiffeID", "value").Text(); ok {
			if kind, _ := match.Get("spiffeID", "type").Text(); kind == "Prefix" {
				id += "*"
			}
			conditions = append(conditions, id)
		}
		if name, ok := match.Get("sni", "value").Text(); ok {
			conditions = append(conditions, "SNI "+name)
		}
		return []string{strings.Join(conditions, " with ")}
	}}
}

var idTypes = []string{"Exact", "Prefix"}

// clientID checks the value unless the type is wrong, which is reported: it says what the
// value is.
var clientID = def.Check{Test: func(n tree.Node) []def.Problem {
	if kind, ok := n.Get("type").Text(); ok && !slices.Contains(idTypes, kind) {
		return nil
	}
	return def.BelowAsWhole("value", spiffeID).Test(n)
}}

// Match is one condition on incoming traffic.
var Match = def.Object{
	{Name: "spiffeID", Doc: "Identity of the client.", Checks: def.Checks(clientID), Type: def.Object{
		{
			Name: "type", Type: def.String, Required: true, OneOf: idTypes,
			Doc: "How to match the value. The prefix `…/workload/web` also matches `…/workload/website`.",
		},
		def.String.Required("value",
			"SPIFFE ID of the client, or a prefix of it, by default `spiffe://MESH.ZONE.mesh.local/workload/NAME` with the label "+
				"`kuma.io/workload` as name."),
	}},
	{Name: "sni", Since: "2.14", Doc: "Server name (SNI) that the client sends in the TLS handshake.", Type: def.Object{
		{Name: "type", Type: def.String, Required: true, OneOf: []string{"Exact"}, Doc: "How to match the value."},
		def.String.Required("value", "The server name.", serverName),
	}},
}

// SomeCondition checks a [Match] in a kind in which an empty one breaks the
// configuration of a proxy (validation.md §6).
var SomeCondition = def.AnyOf("spiffeID", "sni")

// RulesByIdentity checks the matches of the rules: each has a condition, and
// what is decided before the client is known does not depend on the client.
func RulesByIdentity(doc string, early ...[]string) def.Check {
	return def.Check{Doc: doc, Test: func(n tree.Node) []def.Problem {
		var problems []def.Problem
		for _, rule := range n.Get("rules").Items() {
			byIdentity := false
			for _, m := range rule.Get("matches").Items() {
				id, sni := m.Get("spiffeID"), m.Get("sni")
				byIdentity = byIdentity || id.Known()
				if m.Known() && id.Absent() && sni.Absent() {
					problems = append(problems, def.ErrorAt(m, "Match has no condition",
						"A match must set spiffeID, sni or both. To match all traffic, omit matches."))
				}
			}
			if byIdentity {
				problems = append(problems, check.RejectAll(rule.Get("default"),
					"A rule that matches a spiffeID cannot set it, because it takes effect before the client is known. "+
						"Move it to a rule without spiffeID.", early...)...)
			}
		}
		return problems
	}}
}

// spiffeID checks the identity of a client with the library that control planes
// use. A prefix must itself be a valid identity.
var spiffeID = def.Check{Test: func(n tree.Node) []def.Problem {
	s, ok := n.Text()
	if !ok {
		return nil
	}
	_, err := spiffeid.FromString(s)
	return def.ErrorIf(err != nil, n, "Invalid SPIFFE ID",
		"%q is not a valid SPIFFE ID: %s. It must consist of \"spiffe://\", the trust domain and a path such as \"/workload/web\", "+
			"without a trailing slash.", s, err)
}}

// serverName checks the name that a client sends in the TLS handshake.
var serverName = def.Text(kuma.IsDNSSubdomain, "Invalid server name",
	"%q is not a valid server name. It must consist of lowercase letters, digits, \"-\" and \".\"; wildcards are not supported.")
