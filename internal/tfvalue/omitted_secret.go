package tfvalue

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// PlanOmittedSecrets sets the sensitive arguments of a plan that the
// configuration omits: to the values of the stored document at the paths in
// kept, and to null elsewhere.
func PlanOmittedSecrets(k def.Kind, plan, config map[string]tftypes.Value, stored map[string]any, kept []tree.Path) error {
	p := omittedPlanner{stored, kept}
	return p.fields(k.Root(), nil, plan, config)
}

type omittedPlanner struct {
	stored map[string]any
	kept   []tree.Path
}

func (p omittedPlanner) fields(o def.Object, at tree.Path, plan, config map[string]tftypes.Value) error {
	for _, f := range o {
		name, path := tfschema.AttributeName(f.Name), at.Child(f.Name)
		if _, ok := plan[name]; !ok {
			continue
		}
		if f.Sensitive {
			if config[name].IsNull() {
				plan[name] = StringOrNull(p.storedText(path))
			}
			continue
		}
		if !def.HasSensitive(f.Type) {
			continue
		}
		v, err := p.value(f.Type, path, plan[name], config[name])
		if err != nil {
			return err
		}
		plan[name] = v
	}
	return nil
}

// storedText returns the value to keep at a path, empty for none.
func (p omittedPlanner) storedText(path tree.Path) string {
	if slices.ContainsFunc(p.kept, func(kept tree.Path) bool { return tree.ComparePaths(kept, path) == 0 }) {
		return tree.Text(tree.At(p.stored, path))
	}
	return ""
}

func (p omittedPlanner) value(t def.Type, at tree.Path, plan, config tftypes.Value) (tftypes.Value, error) {
	if plan.IsNull() || config.IsNull() || !plan.IsKnown() || !config.IsKnown() {
		return plan, nil
	}
	if o, ok := t.(def.Object); ok {
		planned, err := Attributes(plan)
		if err != nil {
			return plan, err
		}
		configured, err := Attributes(config)
		if err != nil {
			return plan, err
		}
		err = p.fields(o, at, planned, configured)
		return tftypes.NewValue(plan.Type(), planned), err
	}
	var planned, configured []tftypes.Value
	if err := plan.As(&planned); err != nil {
		return plan, err
	}
	if err := config.As(&configured); err != nil {
		return plan, err
	}
	planned = slices.Clone(planned)
	for i := range min(len(planned), len(configured)) {
		var err error
		if planned[i], err = p.value(def.ObjectOf(t), at.Child(i), planned[i], configured[i]); err != nil {
			return plan, err
		}
	}
	return tftypes.NewValue(plan.Type(), planned), nil
}
