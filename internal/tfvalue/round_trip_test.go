package tfvalue

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// TestRoundTrip checks with generated values of every kind that a value that is
// written, stored and read back with itself as prior value is unchanged.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	const rounds = 300
	for _, k := range kinds.All() {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			typ, ok := tfschema.Resource(k).Type().TerraformType(t.Context()).(tftypes.Object)
			if !ok {
				t.Fatal("a resource is always an object")
			}
			for seed := range rounds {
				if !testworld.Runs(seed) {
					continue
				}
				g := generator{rand.New(rand.NewPCG(uint64(seed), 1))}
				value := g.resource(k, typ)
				doc, err := Encode(k, value)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				r, err := kuma.FromDocument(doc, kinds.Form)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				c := def.StoreContext{ControlPlane: kuma.ControlPlane{Mode: kuma.ModeZone, Zone: "east"}, Create: true}
				values, err := Decode(k, k.Store(r, c), kuma.Release{}, typ, value, false)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				null := tftypes.NewValue(tftypes.String, nil)
				values["kri"], values["type"] = null, null
				if diffs, err := value.Diff(tftypes.NewValue(typ, values)); err != nil || len(diffs) > 0 {
					t.Fatalf("seed %d: reading back differs: %v %v", seed, diffs, err)
				}
				own, err := Attributes(value)
				testworld.NoError(t, err)
				testworld.NoError(t, KeepSpelling(k, own, own))
				if diffs, err := value.Diff(tftypes.NewValue(typ, own)); err != nil || len(diffs) > 0 {
					t.Fatalf("seed %d: its own spelling differs: %v %v", seed, diffs, err)
				}
			}
		})
	}
}

// generator generates configurations with the structure of a kind, whether they
// are valid or not.
type generator struct{ *rand.Rand }

func (g generator) resource(k def.Kind, typ tftypes.Object) tftypes.Value {
	fields := slices.Concat(k.Envelope(), k.Root())
	if k.Scope == def.InMesh {
		fields[1].Required = true // the schema has a default for the mesh
	}
	return g.object(fields, typ, k.Proto())
}

func (g generator) object(o def.Object, typ tftypes.Object, proto bool) tftypes.Value {
	values := map[string]tftypes.Value{}
	for name, t := range typ.AttributeTypes {
		values[name] = tftypes.NewValue(t, nil)
	}
	var empty []tftypes.Value
	for _, f := range o {
		name := tfschema.AttributeName(f.Name)
		t := typ.AttributeTypes[name]
		values[name] = g.field(f, t, proto)
		if tfschema.CanBeExplicitlyEmpty(f, proto) && values[name].Equal(tftypes.NewValue(t, []tftypes.Value{})) && (f.Required || g.IntN(3) == 0) {
			empty = append(empty, tftypes.NewValue(tftypes.String, name))
		}
	}
	if empty != nil {
		values[tfschema.ExplicitlyEmpty] = tftypes.NewValue(typ.AttributeTypes[tfschema.ExplicitlyEmpty], empty)
	}
	return tftypes.NewValue(typ, values)
}

func (g generator) field(f def.Field, t tftypes.Type, proto bool) tftypes.Value {
	switch {
	case tfschema.IsBlockList(f.Type) && !f.Required && g.IntN(3) == 0:
		return tftypes.NewValue(t, []tftypes.Value{})
	case !tfschema.IsBlockList(f.Type) && !f.Required && g.IntN(2) == 0:
		return tftypes.NewValue(t, nil)
	}
	return g.value(f, f.Type, t, proto)
}

func (g generator) value(f def.Field, st def.Type, t tftypes.Type, proto bool) tftypes.Value {
	switch st := st.(type) {
	case def.Object:
		typ, _ := t.(tftypes.Object)
		return g.object(st, typ, proto)
	case def.List:
		typ, _ := t.(tftypes.List)
		elems := []tftypes.Value{}
		for range g.IntN(3) {
			elems = append(elems, g.value(f, st.Elem, typ.ElementType, proto))
		}
		return tftypes.NewValue(t, elems)
	case def.StringMap:
		elems := map[string]tftypes.Value{}
		for i := range g.IntN(3) {
			elems[fmt.Sprintf("key%d", i)] = tftypes.NewValue(tftypes.String, g.scalar(f, def.String))
		}
		return tftypes.NewValue(t, elems)
	case def.Secret:
		return tftypes.NewValue(t, g.scalar(f, def.Base64))
	case def.Scalar:
		return tftypes.NewValue(t, g.scalar(f, st))
	default:
		panic(fmt.Sprintf("unknown type %T", st))
	}
}

func (g generator) scalar(f def.Field, s def.Scalar) any {
	if f.OneOf != nil && s == def.String {
		return f.OneOf[g.IntN(len(f.OneOf))]
	}
	switch s {
	case def.Bool:
		return g.IntN(2) == 0
	case def.Int:
		return int64(g.IntN(5))
	case def.Number:
		return float64(g.IntN(10)) / 4
	case def.Duration, def.ProtoDuration:
		return []string{"0s", "90s", "1m30s", "1500ms", "2h"}[g.IntN(5)]
	case def.IntOrString:
		return []string{"50", "50.5", "0"}[g.IntN(3)]
	case def.JSON:
		return []string{`{"b": 1.0, "a": [null, "x"]}`, `"text"`, `[]`, `{}`, `12`}[g.IntN(5)]
	case def.Base64:
		return []string{"aGVsbG8=", "eA=="}[g.IntN(2)]
	default:
		return []string{"x", "web", "a b", "ü"}[g.IntN(4)]
	}
}
