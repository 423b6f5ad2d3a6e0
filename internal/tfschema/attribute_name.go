package tfschema

import (
	"strings"
	"unicode"
)

// AttributeName derives the name in Terraform from a name of the API:
// spiffeID -> spiffe_id, MeshHTTPRoute -> mesh_http_route.
func AttributeName(wire string) string {
	if wire == "RSAbits" { // the only acronym that runs into the next word
		return "rsa_bits"
	}
	letters := []rune(wire)
	var b strings.Builder
	for i, r := range letters {
		if i > 0 && unicode.IsUpper(r) {
			afterLower := !unicode.IsUpper(letters[i-1])
			endsAcronym := i+1 < len(letters) && unicode.IsLower(letters[i+1])
			if afterLower || endsAcronym {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
