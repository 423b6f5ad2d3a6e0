package tfvalue

import (
	"errors"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// KeepSpelling gives the attributes of a plan the state's spelling wherever both
// are set and mean the same, so that writing 1m for 60s plans nothing. Terraform
// accepts that for configured attributes. It never changes what is null in one of
// them.
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
	case def.Secret: // text is what it is
	case def.StringMap:
		return keepMapSpelling(f, plan, state)
	}
	return plan, nil
}

// keepMapSpelling is for a map of plain texts, which have one spelling. Keys that the
// control plane sets by itself may be left out; validation has checked those that
// are not.
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
