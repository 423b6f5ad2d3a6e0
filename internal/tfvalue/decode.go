package tfvalue

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// decoder turns documents into Terraform values. With a prior value it keeps
// its form wherever the document is equivalent; without one it returns the
// canonical form.
type decoder struct {
	proto   bool // the kind is an older one, see [def.Kind.Proto]
	release kuma.Release
	// all includes what a resource does not manage: defaults, and values that
	// the control plane writes by itself. Data sources set it.
	all bool
}

// Decode returns the attributes of a stored resource by name. prior is the
// value of the state, null when there is none; t is the type of the resource.
// all includes defaults and values that the control plane writes by itself; release is
// the release of the control plane. It fails if the response of the control plane does not have
// the structure of the kind.
func Decode(k def.Kind, r kuma.Resource, release kuma.Release, t tftypes.Object, prior tftypes.Value, all bool) (map[string]tftypes.Value,
	error,
) {
	priors, err := Attributes(prior)
	if err != nil {
		return nil, err
	}
	d := decoder{proto: k.Proto(), release: release, all: all}
	out, err := d.object(k.Root(), t, r.Body, priors)
	if err != nil {
		return nil, err
	}
	out["type"] = tftypes.NewValue(tftypes.String, k.Name)
	out["name"] = tftypes.NewValue(tftypes.String, r.Name)
	if k.Scope == def.InMesh {
		out["mesh"] = tftypes.NewValue(tftypes.String, r.Mesh)
	}
	out["kri"] = StringOrNull(k.KRI(r))
	if force, ok := t.AttributeTypes[tfschema.ForceDestroy]; ok {
		out[tfschema.ForceDestroy] = OrNull(priors[tfschema.ForceDestroy], force)
	}
	if _, ok := t.AttributeTypes[tfschema.ReplacedVersion]; ok { // a resource, not a data source
		out[tfschema.ReplacedVersion] = OrNull(priors[tfschema.ReplacedVersion], tftypes.String)
	}
	out["labels"], err = d.labels(r.Labels, priors["labels"])
	return out, err
}

// StringOrNull returns a string value, null when s is empty.
func StringOrNull(s string) tftypes.Value {
	if s == "" {
		return tftypes.NewValue(tftypes.String, nil)
	}
	return tftypes.NewValue(tftypes.String, s)
}

// OptionalString is [StringOrNull] for models of the framework.
func OptionalString(s string) types.String {
	if s == "" {
		return types.StringNull()
	}
	return types.StringValue(s)
}

// StringMap returns a map of strings.
func StringMap(m map[string]string) tftypes.Value {
	values := make(map[string]tftypes.Value, len(m))
	for key, value := range m {
		values[key] = tftypes.NewValue(tftypes.String, value)
	}
	return tftypes.NewValue(tftypes.Map{ElementType: tftypes.String}, values)
}

// labels omits what the control plane computed or does not allow to be changed,
// unless the prior value shows that the user set it.
func (d decoder) labels(stored map[string]string, prior tftypes.Value) (tftypes.Value, error) {
	t := tftypes.Map{ElementType: tftypes.String}
	had, err := Attributes(OrNull(prior, t))
	if err != nil {
		return tftypes.Value{}, err
	}
	out := map[string]tftypes.Value{}
	for key, value := range stored {
		if _, mine := had[key]; d.all || mine || !kuma.ServerLabel(key) {
			out[key] = tftypes.NewValue(tftypes.String, value)
		}
	}
	if len(out) == 0 && !d.all && (prior.Type() == nil || prior.IsNull()) {
		return tftypes.NewValue(t, nil), nil
	}
	return tftypes.NewValue(t, out), nil
}

func (d decoder) object(o def.Object, t tftypes.Object, wire map[string]any, priors map[string]tftypes.Value) (map[string]tftypes.Value,
	error,
) {
	out := make(map[string]tftypes.Value, len(o))
	var empty []tftypes.Value
	for _, f := range o {
		name := tfschema.AttributeName(f.Name)
		if f.IsSecret() {
			maps.Copy(out, d.decodeSecret(name, t, wire[f.Name], priors))
			continue
		}
		ft, ok := t.AttributeTypes[name]
		if !ok {
			return nil, fmt.Errorf("the schema has no attribute %s", name)
		}
		v, err := d.field(f, ft, wire, OrNull(priors[name], ft))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		out[name] = v
		if list, ok := wire[f.Name].([]any); ok && len(list) == 0 && tfschema.CanBeExplicitlyEmpty(f, d.proto) {
			empty = append(empty, tftypes.NewValue(tftypes.String, name))
		}
	}
	if st, ok := t.AttributeTypes[tfschema.ExplicitlyEmpty]; ok {
		out[tfschema.ExplicitlyEmpty] = tftypes.NewValue(st, nil)
		if len(empty) > 0 {
			out[tfschema.ExplicitlyEmpty] = tftypes.NewValue(st, empty)
		}
	}
	return out, nil
}

func (d decoder) field(f def.Field, t tftypes.Type, parent map[string]any, prior tftypes.Value) (tftypes.Value, error) {
	wire := parent[f.Name]
	none := tftypes.NewValue(t, nil)
	if tfschema.IsBlockList(f.Type) && !d.all { // blocks cannot be null
		none = tftypes.NewValue(t, []tftypes.Value{})
	}
	had := !prior.IsNull() && prior.IsKnown()
	if f.ServerOwned && !d.all {
		if had {
			return prior, nil
		}
		return none, nil
	}
	implied := f.AbsentMeans(parent, d.proto, d.release)
	if had && implied != nil {
		// Absence and the prior value may be equivalent.
		before, err := encodeValue(f.Type, prior)
		switch {
		case err != nil:
			return tftypes.Value{}, err
		case wire == nil && sameValue(f.Type, before, implied):
			return prior, nil
		case wire != nil && f.CountsAsAbsent(before, d.proto) && sameValue(f.Type, wire, implied):
			return prior, nil
		}
	}
	switch {
	case wire == nil:
		return none, nil
	case !had && !d.all && implied != nil && sameValue(f.Type, wire, implied):
		return none, nil
	}
	return d.value(f, f.Type, t, wire, prior)
}

func (d decoder) value(f def.Field, st def.Type, t tftypes.Type, wire any, prior tftypes.Value) (tftypes.Value, error) {
	switch st := st.(type) {
	case def.Scalar:
		return d.scalar(st, t, wire, prior)
	case def.Secret:
		return d.scalar(def.Base64, t, wire, prior)
	case def.List:
		return d.list(f, st, t, wire, prior)
	case def.StringMap:
		return d.stringMap(f, t, wire, prior)
	case def.Object:
		m, ok := wire.(map[string]any)
		if !ok {
			return tftypes.Value{}, fmt.Errorf("the control plane returned %T instead of an object", wire)
		}
		ot, ok := t.(tftypes.Object)
		if !ok {
			return tftypes.Value{}, fmt.Errorf("the schema has %s instead of an object", t)
		}
		priors, err := Attributes(prior)
		if err != nil {
			return tftypes.Value{}, err
		}
		out, err := d.object(st, ot, m, priors)
		if err != nil {
			return tftypes.Value{}, err
		}
		return tftypes.NewValue(t, out), nil
	default:
		panic(fmt.Sprintf("tfvalue: unknown type %T", st))
	}
}

func (d decoder) list(f def.Field, st def.List, t tftypes.Type, wire any, prior tftypes.Value) (tftypes.Value, error) {
	lt, ok := t.(tftypes.List)
	elems, isList := wire.([]any)
	if !ok || !isList {
		return tftypes.Value{}, fmt.Errorf("the control plane returned %T instead of a list", wire)
	}
	var priors []tftypes.Value
	if !prior.IsNull() && prior.IsKnown() {
		if err := prior.As(&priors); err != nil {
			return tftypes.Value{}, err
		}
	}
	out := make([]tftypes.Value, len(elems))
	for i, e := range elems {
		p := tftypes.NewValue(lt.ElementType, nil)
		if i < len(priors) {
			p = priors[i]
		}
		var err error
		if out[i], err = d.value(f, st.Elem, lt.ElementType, e, p); err != nil {
			return tftypes.Value{}, fmt.Errorf("element %d: %w", i, err)
		}
	}
	return tftypes.NewValue(t, out), nil
}

func (d decoder) stringMap(f def.Field, t tftypes.Type, wire any, prior tftypes.Value) (tftypes.Value, error) {
	mt, ok := t.(tftypes.Map)
	entries, isMap := wire.(map[string]any)
	if !ok || !isMap {
		return tftypes.Value{}, fmt.Errorf("the control plane returned %T instead of a map", wire)
	}
	priors, err := Attributes(prior)
	if err != nil {
		return tftypes.Value{}, err
	}
	out := map[string]tftypes.Value{}
	hidden := false
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		p, mine := priors[key]
		if f.SetsKey(key) && !mine && !d.all {
			hidden = true
			continue
		}
		if out[key], err = d.scalar(def.String, mt.ElementType, entries[key], OrNull(p, mt.ElementType)); err != nil {
			return tftypes.Value{}, fmt.Errorf("%q: %w", key, err)
		}
	}
	if hidden && len(out) == 0 && prior.IsNull() {
		return prior, nil
	}
	return tftypes.NewValue(t, out), nil
}

func (d decoder) scalar(s def.Scalar, t tftypes.Type, wire any, prior tftypes.Value) (tftypes.Value, error) {
	if !prior.IsNull() && prior.IsKnown() {
		before, err := encodeScalar(s, prior)
		if err == nil && def.SameScalar(s, before, wire) {
			return prior, nil
		}
	}
	if s == def.JSON {
		text, err := json.Marshal(wire)
		return tftypes.NewValue(t, string(text)), err
	}
	switch w := wire.(type) {
	case string:
		if t.Is(tftypes.String) {
			return tftypes.NewValue(t, w), nil
		}
	case bool:
		if t.Is(tftypes.Bool) {
			return tftypes.NewValue(t, w), nil
		}
	case json.Number:
		if t.Is(tftypes.String) {
			return tftypes.NewValue(t, w.String()), nil
		}
		if n, ok := tree.ParseNumber(w); ok && t.Is(tftypes.Number) {
			return tftypes.NewValue(t, n), nil
		}
	}
	return tftypes.Value{}, fmt.Errorf("the control plane returned %s instead of %s", tree.Describe(wire), t)
}

// sameValue reports whether two decoded values of one type are equivalent.
func sameValue(t def.Type, a, b any) bool {
	if s, ok := t.(def.Scalar); ok {
		return def.SameScalar(s, a, b)
	}
	return tree.Equal(a, b)
}

// OrNull returns a null value of the type for a missing one.
func OrNull(v tftypes.Value, t tftypes.Type) tftypes.Value {
	if v.Type() == nil {
		return tftypes.NewValue(t, nil)
	}
	return v
}
