package def

import (
	"strings"
	"unicode"
)

// snakeCase returns the name of a field in protobuf, which a control plane
// accepts in addition to the one in JSON: maxPort -> max_port.
func snakeCase(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
