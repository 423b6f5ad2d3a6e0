package spec

import (
	"encoding/json"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
)

// wholeNumber reads an integer of 64 bits; 5.0 and 1e2 are integers too.
func wholeNumber(n json.Number) (int64, bool) {
	if i, err := n.Int64(); err == nil {
		return i, true
	}
	f, ok := mesh.ParseNumber(n)
	if !ok || !f.IsInt() {
		return 0, false
	}
	i, accuracy := f.Int64()
	return i, accuracy == 0
}
