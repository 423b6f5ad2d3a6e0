package def

import (
	"encoding/json"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// AbsentMeans returns the value that is equivalent to an absent field, nil when
// absence has its own meaning. parent is the object that lacks the field; proto
// reports whether it belongs to an older kind, see [Kind.Proto]; r is the release of the
// control plane.
func (f Field) AbsentMeans(parent map[string]any, proto bool, r kuma.Release) any {
	switch {
	case f.DefaultIn3 != nil && r.Kuma3():
		return f.DefaultIn3
	case f.DefaultFrom != nil:
		return f.DefaultFrom(parent)
	case f.Default != nil:
		return f.Default
	case proto && !f.Distinct, f.DropsEmpty == kuma.Always(), f.EmptyIsAbsent:
		return zero(f.Type)
	default:
		return nil
	}
}

// CountsAsAbsent reports whether the control plane cannot distinguish v from an
// absent field, such as zero in an older kind; proto reports whether it is one.
func (f Field) CountsAsAbsent(v any, proto bool) bool {
	return proto && !f.Distinct && isZero(f, v)
}

// zero returns the value that protobuf does not distinguish from an absent one,
// nil for none.
func zero(t Type) any {
	switch t := t.(type) {
	case List:
		return []any{}
	case StringMap:
		return map[string]any{}
	case Secret:
		return ""
	case Scalar:
		switch t {
		case String, IntOrString, Base64:
			return ""
		case Bool:
			return false
		case Int, Number:
			return json.Number("0")
		case Duration, ProtoDuration, JSON: // messages of their own, which are absent or not
		}
	case Object:
	}
	return nil
}

func isZero(f Field, v any) bool {
	if f.Default != nil {
		return tree.Equal(f.Default, v)
	}
	z := zero(f.Type)
	return z != nil && tree.Equal(z, v)
}
