package def

import (
	"fmt"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Envelope describes the fields of a document that all kinds have in common.
func (k Kind) Envelope() Object {
	name, labels := Field{Name: "name", Type: String, Required: true}, Field{Name: "labels", Type: StringMap{}}
	if k.Scope == Global {
		return Object{name, labels}
	}
	return Object{name, {Name: "mesh", Type: String}, labels}
}

// envelope checks what all kinds have in common.
func envelope(doc tree.Node) []Problem {
	var problems []Problem
	report := func(n tree.Node, summary, detail string) {
		p := ErrorAt(n, summary, detail)
		p.Stage = Envelope
		problems = append(problems, p)
	}
	for _, field := range []string{"name", "mesh"} {
		n := doc.Get(field)
		if s, ok := n.Text(); ok && !kuma.IsDNSSubdomain(s) {
			report(n, "Invalid "+field, fmt.Sprintf("%q is not a valid %s. It must consist of lowercase letters, digits, \"-\" and \".\", must begin and end with a letter or digit, and must have at most %d characters.", s, field, kuma.MaxNameLength))
		}
	}
	origin := doc.Get("labels", kuma.LabelOrigin)
	if s, ok := origin.Text(); ok && s != "" && s != kuma.OriginZone && s != kuma.OriginGlobal {
		report(origin, "Unknown origin", fmt.Sprintf("%q is not a valid origin. Use %q or %q, or omit the label.", s, kuma.OriginZone, kuma.OriginGlobal))
	}
	for _, n := range doc.Get("labels").Entries() {
		key := n.Key()
		prefix, name, prefixed := strings.Cut(key, "/")
		if !prefixed {
			prefix, name = "", key
		}
		if prefixed && !kuma.IsDNSSubdomain(prefix) || !kuma.IsLabelName(name) {
			report(n, "Invalid label key", fmt.Sprintf("%q is not a valid label key. It must consist of at most %d letters, digits, \"-\", \"_\" and \".\", optionally prefixed with a DNS name and \"/\".", key, kuma.MaxLabelLength))
		}
		if value, ok := n.Text(); ok && value != "" && !kuma.IsLabelName(value) {
			report(n, "Invalid label value", fmt.Sprintf("Label %q has the invalid value %q. It must consist of at most %d letters, digits, \"-\", \"_\" and \".\", and must begin and end with a letter or digit.", key, value, kuma.MaxLabelLength))
		}
	}
	return problems
}
