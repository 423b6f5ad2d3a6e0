package tfvalue

import (
	"errors"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// KeepSpelling replaces attributes of a plan with those of the state wherever
// both are set and equivalent, so a change from 60s to 1m plans nothing.
// Terraform accepts that for configured attributes. It never changes what is
// null in one of them.
func KeepSpelling(k def.Kind, plan, state map[string]tftypes.Value) error {
	return keepSpellings(k.Root(), plan, state)
}

func keepSpellings(o def.Object, plan, state map[string]tftypes.Value) error {
	for _, f := range o {
		name := tfschema.AttributeName(f.Name)
		p, okPlan := plan[name]
		s, okState := state[name]
		if !okPlan || !okState {
			continue
		}
		v, err := keepSpelling(f, f.Type, p, s)
		if err != nil {
			return err
		}
		plan[name] = v
	}
	return nil
}

func keepSpelling(f def.Field, t def.Type, plan, state tftypes.Value) (tftypes.Value, error) {
	if plan.IsNull() || state.IsNull() || !plan.IsKnown() || !state.IsKnown() {
		return plan, nil
	}
	switch t := t.(type) {
	case def.Scalar:
		p, err := encodeScalar(t, plan)
		if err != nil {
			return plan, nil //nolint:nilerr // validation reports what cannot be read
		}
		s, err := encodeScalar(t, state)
		if err == nil && def.SameScalar(t, p, s) {
			return state, nil
		}
		return plan, nil
	case def.List:
		var ps, ss []tftypes.Value
		if err := plan.As(&ps); err != nil {
			return plan, err
		}
		if err := state.As(&ss); err != nil {
			return plan, err
		}
		out := slices.Clone(ps)
		for i := range min(len(ps), len(ss)) {
			v, err := keepSpelling(f, t.Elem, ps[i], ss[i])
			if err != nil {
				return plan, err
			}
			out[i] = v
		}
		return tftypes.NewValue(plan.Type(), out), nil
	case def.Object:
		ps, err := Attributes(plan)
		if err != nil {
			return plan, err
		}
		ss, err := Attributes(state)
		if err != nil {
			return plan, err
		}
		if err := keepSpellings(t, ps, ss); err != nil {
			return plan, err
		}
		return tftypes.NewValue(plan.Type(), ps), nil
	case def.Secret: // strings have one form
	case def.StringMap:
		return keepMapSpelling(f, plan, state)
	}
	return plan, nil
}

// keepMapSpelling is for a map of strings, which have one form. Keys that the
// control plane sets by itself may be omitted; validation has checked the
// others.
func keepMapSpelling(f def.Field, plan, state tftypes.Value) (tftypes.Value, error) {
	p, errPlan := Attributes(plan)
	s, errState := Attributes(state)
	if err := errors.Join(errPlan, errState); err != nil || f.ServerKeys == nil {
		return plan, err
	}
	for _, m := range []map[string]tftypes.Value{p, s} {
		maps.DeleteFunc(m, func(key string, _ tftypes.Value) bool { return f.SetsKey(key) })
	}
	if maps.EqualFunc(p, s, tftypes.Value.Equal) {
		return state, nil
	}
	return plan, nil
}
