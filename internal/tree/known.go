package tree

import (
	"slices"
)

// FullyKnown reports whether nothing in a decoded tree is [Unknown].
func FullyKnown(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			if !FullyKnown(e) {
				return false
			}
		}
	case []any:
		return !slices.ContainsFunc(v, func(e any) bool { return !FullyKnown(e) })
	}
	return v != Unknown
}
