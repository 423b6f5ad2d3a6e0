package provider

import (
	"strings"
	"unicode"
)

// attributeName derives the Terraform name from a name of the API:
// spiffeID -> spiffe_id, MeshHTTPRoute -> mesh_http_route.
func attributeName(wire string) string {
	if name, ok := irregular[wire]; ok {
		return name
	}
	letters := []rune(wire)
	var b strings.Builder
	for i, r := range letters {
		if unicode.IsUpper(r) && i > 0 {
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

// irregular lists the names in which an acronym runs into the next word.
var irregular = map[string]string{"RSAbits": "rsa_bits"}

// TypeName returns the name of the resource and data source of a kind.
func TypeName(kind string) string { return "kuma_" + attributeName(kind) }
