package spec

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
)

// Syntax of names and labels (spec/rest-api.md §7).
var (
	dnsLabel     = regexp.MustCompile(`^[a-z]([-a-z0-9]*[a-z0-9])?$`)
	dnsSubdomain = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
	labelPart    = regexp.MustCompile(`^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$`)
)

const (
	maxName      = 253
	maxLabelPart = 63
)

// IsDNSLabel reports whether s is a lower-case RFC 1035 label of at most 63 characters.
func IsDNSLabel(s string) bool { return len(s) <= maxLabelPart && dnsLabel.MatchString(s) }

// IsDNSSubdomain reports whether s is a lower-case RFC 1123 subdomain.
func IsDNSSubdomain(s string) bool { return len(s) <= maxName && dnsSubdomain.MatchString(s) }

// envelope checks what all kinds have in common.
func envelope(doc Node) []Problem {
	var problems []Problem
	report := func(n Node, summary, detail string) {
		p := n.Problem(summary, detail)
		p.Stage = Envelope
		problems = append(problems, p)
	}
	for _, member := range []string{"name", "mesh"} {
		n := doc.Get(member)
		if s, ok := n.Text(); ok && !IsDNSSubdomain(s) {
			report(n, "Invalid "+member, fmt.Sprintf("%q is no valid %s: use lower case letters, digits, \"-\" and \".\", start and end with a letter or digit, at most %d characters.", s, member, maxName))
		}
	}
	origin := doc.Get("labels", mesh.LabelOrigin)
	if s, ok := origin.Text(); ok && s != "" && s != mesh.OriginZone && s != mesh.OriginGlobal {
		report(origin, "Unknown origin", fmt.Sprintf("%q is no origin: use %q or %q, or leave the label to the control plane.", s, mesh.OriginZone, mesh.OriginGlobal))
	}
	for _, n := range doc.Get("labels").Entries() {
		key := n.Key()
		prefix, name, prefixed := strings.Cut(key, "/")
		if !prefixed {
			prefix, name = "", key
		}
		if prefixed && !IsDNSSubdomain(prefix) || len(name) > maxLabelPart || !labelPart.MatchString(name) {
			report(n, "Invalid label key", fmt.Sprintf("%q is no label key: use at most %d letters, digits, \"-\", \"_\" and \".\", with an optional DNS name and \"/\" in front.", key, maxLabelPart))
		}
		if value, ok := n.Text(); ok && value != "" && (len(value) > maxLabelPart || !labelPart.MatchString(value)) {
			report(n, "Invalid label value", fmt.Sprintf("Label %q is %q: use at most %d letters, digits, \"-\", \"_\" and \".\", and start and end with a letter or digit.", key, value, maxLabelPart))
		}
	}
	return problems
}
