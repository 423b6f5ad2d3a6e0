package tfschema

import (
	"strings"
	"unicode"
)

// AttributeName derives the name in Terraform from a name of the API:
// spiffeID -> spiffe_id, MeshHTTPRoute -> mesh_http_route, traceId128bit ->
// trace_id_128bit.
func AttributeName(wire string) string {
	if wire == "RSAbits" { // the only acronym that is followed by a lowercase letter of the same word
		return "rsa_bits"
	}
	letters := []rune(wire)
	var b strings.Builder
	for i, r := range letters {
		if i > 0 && (unicode.IsUpper(r) && startsWord(letters, i) || unicode.IsDigit(r) && startsNumber(letters, i)) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// startsWord reports whether the capital at i begins a word instead of
// continuing an acronym.
func startsWord(letters []rune, i int) bool {
	afterLower := !unicode.IsUpper(letters[i-1])
	endsAcronym := i+1 < len(letters) && unicode.IsLower(letters[i+1])
	return afterLower || endsAcronym
}

// startsNumber reports whether the digit at i begins a number with a unit
// (128bit). Other digits belong to the word before them (http2, base64Value).
func startsNumber(letters []rune, i int) bool {
	if unicode.IsDigit(letters[i-1]) {
		return false
	}
	for i < len(letters) && unicode.IsDigit(letters[i]) {
		i++
	}
	return i < len(letters) && unicode.IsLower(letters[i])
}
