package managed_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// difference compares two documents of a kind, apart from what is equivalent.
func difference(k def.Kind, a, b map[string]any) string {
	return cmp.Diff(canonical(k, a), canonical(k, b))
}

// canonical converts strings that may be numbers to numbers, because Terraform has one
// type for both, and omits values that are equivalent to absent ones.
func canonical(k def.Kind, doc map[string]any) map[string]any {
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

// holds checks that the control plane stores the same as when the document is
// written directly, and nothing else except what it wrote by itself.
func holds(t *testing.T, c providertest.Core, k def.Kind, r kuma.Resource) {
	t.Helper()
	got := c.Stored(t, r.Key())
	circumstances := def.StoreContext{ControlPlane: kuma.ControlPlane{Mode: kuma.ModeZone, Zone: "zone-1"}}
	if k.Scope == def.InMesh {
		circumstances.Mesh = c.Stored(t, kuma.Key{Type: "Mesh", Name: r.Mesh})
	}
	want := r.Clone()
	k.KeepServerOwned(&want, got)
	leftAlone(k, &want, got)
	want = k.Store(want, circumstances)
	if diff := difference(k, want.Document(), got.Document()); diff != "" {
		t.Fatalf("the control plane does not hold what the configuration says (-configured +stored):\n%s", diff)
	}
}
