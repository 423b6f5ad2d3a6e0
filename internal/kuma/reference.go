package kuma

import (
	"fmt"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// Reference describes what a reference is to: `MeshService "web" with section http`.
func Reference(ref TargetRef) string {
	var b strings.Builder
	b.WriteString(ref.Kind)
	if ref.Kind == "" {
		b.WriteString(KindMesh)
	}
	if ref.Name != "" {
		fmt.Fprintf(&b, " %q", ref.Name)
	}
	with := " with "
	for _, part := range []struct{ text, value string }{
		{"namespace", ref.Namespace},
		{"labels", phrase.Pairs(ref.Labels)},
		{"tags", phrase.Pairs(ref.Tags)},
		{"section", ref.SectionName},
		{"proxy types", strings.Join(ref.ProxyTypes, ", ")},
	} {
		if part.value != "" {
			b.WriteString(with + part.text + " " + part.value)
			with = " and "
		}
	}
	return b.String()
}
