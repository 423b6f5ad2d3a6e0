package lint

import "github.com/kuma-universal/terraform-provider-kuma/internal/kinds"

var deprecated = Code{
	Code: "deprecated", Severity: Info, Title: "Deprecated member or reference",
	Doc: "The document uses what Kuma announces to take away, such as `from` or a top-level reference of kind MeshSubset. The control plane answers with the same warning when the document is written.",
}

// findDeprecated repeats the warnings with which a control plane stores documents.
func findDeprecated(v *view) []Finding {
	var findings []Finding
	for _, r := range v.resources {
		k, _ := kinds.Find(r.Type)
		for _, p := range k.Validate(r.Document()) {
			if p.Warning {
				findings = append(findings, deprecated.at(r, p.Path, p.Detail, "Replace it as the message says."))
			}
		}
	}
	return findings
}
