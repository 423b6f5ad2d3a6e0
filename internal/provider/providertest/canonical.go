package providertest

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Canonical converts strings that may be numbers to numbers, because Terraform has one
// type for both, and omits values that are equivalent to absent ones.
func Canonical(k def.Kind, doc map[string]any) map[string]any {
	root, out := k.Root(), map[string]any{}
	for field, v := range doc {
		f, ok := root.Field(field)
		if !ok {
			out[field] = v
			continue
		}
		if v := canonicalValue(f, f.Type, v, k.Proto()); v != nil {
			out[field] = v
		}
	}
	return out
}

// leftAlone copies the stored secrets that r omits into r, because an update
// without them keeps them.
func leftAlone(k def.Kind, r *kuma.Resource, stored kuma.Resource) {
	for _, f := range k.SecretFields() {
		if value, ok := stored.Body[f.Name]; ok && r.Body[f.Name] == nil {
			r.Body[f.Name] = value
		}
	}
}

func canonicalValue(f def.Field, typ def.Type, v any, proto bool) any {
	if (f.EmptyIsAbsent || f.IsSecret()) && tree.IsEmpty(v) {
		return nil
	}
	switch typ := typ.(type) {
	case def.Object:
		m, _ := v.(map[string]any)
		out := map[string]any{}
		for _, f := range typ {
			if v := canonicalValue(f, f.Type, m[f.Name], proto); v != nil {
				out[f.Name] = v
			}
		}
		if m == nil {
			return nil
		}
		return out
	case def.List:
		list, ok := v.([]any)
		if !ok || len(list) == 0 && tfschema.IsBlockList(typ) && !tfschema.CanBeExplicitlyEmpty(f, proto) {
			return nil
		}
		out := make([]any, len(list))
		for i, e := range list {
			out[i] = canonicalValue(f, typ.Elem, e, proto)
		}
		return out
	case def.Scalar:
		if c, err := def.Canonical(typ, v); err == nil && typ == def.IntOrString {
			return c
		}
	case def.StringMap, def.Secret:
	}
	return v
}
