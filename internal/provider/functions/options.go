package functions

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/analysis"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

// optionsParameter is the last parameter of a function with options.
func optionsParameter(description string) function.DynamicParameter {
	return function.DynamicParameter{Name: "options", MarkdownDescription: "Object of options: " + description + ". At most one object is allowed."}
}

// kumaVersionOption describes the option kuma_version.
const kumaVersionOption = "`kuma_version` is the release of Kuma as which the resources are read, such as `\"2.14\"`. What the release does not have is left out. " +
	"Resources count as stored by that release, by default Kuma 3.0, or by 2.14 if one has what Kuma 3.0 removed, such as tags or `from`"

// readOptions reads the options of a function into the variables with their names:
// pointers to a bool, to a string, to a list of strings, or to a release.
func readOptions(ctx context.Context, arguments []types.Dynamic, options map[string]any) error {
	if len(arguments) == 0 {
		return nil
	}
	if len(arguments) > 1 {
		return errors.New("only one object of options is allowed")
	}
	value, err := arguments[0].UnderlyingValue().ToTerraformValue(ctx)
	if err != nil {
		return err
	}
	if !value.Type().Is(tftypes.Object{}) && !value.Type().Is(tftypes.Map{}) {
		return errors.New("the options must be an object, such as { import = true }")
	}
	values, err := tfvalue.Attributes(value)
	if err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(options))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		option, ok := options[name]
		if !ok {
			return fmt.Errorf("%q is not a valid option. Valid options: %s.%s", name, phrase.Or(names...), phrase.Suggest(name, names))
		}
		if values[name].IsNull() {
			continue
		}
		if err := readOption(name, values[name], option); err != nil {
			return err
		}
	}
	return nil
}

func readOption(name string, v tftypes.Value, option any) error {
	switch option := option.(type) {
	case *bool:
		if v.As(option) != nil {
			return fmt.Errorf("the option %s must be true or false", name)
		}
	case *string:
		if v.As(option) != nil {
			return fmt.Errorf("the option %s must be a string", name)
		}
	case *[]string:
		var elements []tftypes.Value
		if v.As(&elements) != nil {
			return fmt.Errorf("the option %s must be a list of strings", name)
		}
		for _, e := range elements {
			var text string
			if e.IsNull() || e.As(&text) != nil {
				return fmt.Errorf("the option %s must be a list of strings", name)
			}
			*option = append(*option, text)
		}
	case *kuma.Release:
		var text string
		if v.As(&text) != nil {
			return fmt.Errorf("the option %s must be a string, such as \"3.0\"", name)
		}
		r, err := analysis.ParseVersion(text)
		if err != nil {
			return fmt.Errorf("the option %s: %w", name, err)
		}
		*option = r
	}
	return nil
}
