package tfvalue

import (
	"errors"
	"maps"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// KeepSpelling replaces attributes of a plan with those of the state wherever
// both are set and equivalent, so a change from 60s to 1m plans nothing.
// Terraform accepts that for configured attributes. It never changes what is
// null in one of them.
func KeepSpelling(k def.Kind, plan, state map[string]tftypes.Value) error {
	return edit(keepSpelling).fields(k.Root(), nil, plan, state)
}

func keepSpelling(f def.Field, t def.Type, _ tree.Path, plan, state tftypes.Value) (tftypes.Value, error) {
	scalar, isScalar := t.(def.Scalar)
	switch {
	case plan.IsNull() || state.IsNull() || !plan.IsKnown() || !state.IsKnown():
	case f.ServerKeys != nil:
		return keepMapSpelling(f, plan, state)
	case isScalar:
		p, errPlan := encodeScalar(scalar, plan)
		s, errState := encodeScalar(scalar, state)
		if errPlan == nil && errState == nil && def.SameScalar(scalar, p, s) { // validation reports what cannot be read
			return state, nil
		}
	}
	return plan, nil
}

// keepMapSpelling is for a map of strings, which have one form. Keys that the
// control plane sets by itself may be omitted; validation has checked the
// others.
func keepMapSpelling(f def.Field, plan, state tftypes.Value) (tftypes.Value, error) {
	p, errPlan := Attributes(plan)
	s, errState := Attributes(state)
	if err := errors.Join(errPlan, errState); err != nil {
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
