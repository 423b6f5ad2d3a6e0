package functions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// optionsParameter is the last parameter of a function with options.
func optionsParameter(description string) function.DynamicParameter {
	return function.DynamicParameter{Name: "options", MarkdownDescription: "Object of options: " + description + ". At most one object."}
}

// kumaVersionOption describes the option kuma_version.
const kumaVersionOption = "`kuma_version` is the [release](../guides/common-arguments.md#analyses) whose rules apply, such as `\"2.14\"`"

// shadowOption describes the option with_shadow.
const shadowOption = "`with_shadow = true` treats shadow policies as if they were in effect"

// readOptions reads the options of a function into the variables with their names:
// pointers to a bool, to a string, to a list of strings, or to a release.
func readOptions(ctx context.Context, arguments []types.Dynamic, options map[string]any) error {
	if len(arguments) == 0 {
		return nil
	}
	if len(arguments) > 1 {
		return errors.New("only one object of options is allowed")
	}
	return readObject(ctx, arguments[0], "option", "{ import = true }", options)
}

// readObject reads an object into the variables with the names of its fields, which may
// also be pointers to a string, an integer, a map of strings, or an object. noun names a field.
func readObject(ctx context.Context, object types.Dynamic, noun, example string, fields map[string]any) error {
	value, err := object.UnderlyingValue().ToTerraformValue(ctx)
	if err != nil {
		return err
	}
	if !value.Type().Is(tftypes.Object{}) && !value.Type().Is(tftypes.Map{}) {
		return fmt.Errorf("the %ss must be an object, such as %s", noun, example)
	}
	return readFields(value, noun, fields)
}

// object is a field with fields of its own.
type object struct {
	fields map[string]any
	given  bool
}

// readFields reads the fields of an object.
func readFields(value tftypes.Value, noun string, fields map[string]any) error {
	values, err := tfvalue.Attributes(value)
	if err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(fields))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		field, ok := fields[name]
		if !ok {
			return fmt.Errorf("%q is not a valid %s. Valid %ss: %s.%s", name, noun, noun, phrase.Or(names...), phrase.Suggest(name, names))
		}
		if values[name].IsNull() {
			continue
		}
		if err := readOption(noun+" "+name, values[name], field); err != nil {
			return err
		}
	}
	return nil
}

func readOption(name string, v tftypes.Value, option any) error {
	value, err := tfvalue.ToTree(v)
	if err != nil {
		return err
	}
	wants, ok := "", false
	switch option := option.(type) {
	case *string:
		wants = "a string"
		*option, ok = value.(string)
	case *int:
		wants = "an integer"
		n, _ := value.(json.Number)
		_, ok = tree.ParseInteger(n)
		*option = tree.Int(n)
	case *bool:
		wants = "true or false"
		*option, ok = value.(bool)
	case *[]string:
		wants = "a list of strings"
		list, isList := value.([]any)
		*option = tree.Strings(list)
		ok = isList && len(*option) == len(list)
	case *map[string]string:
		wants = "a map of strings"
		entries, isMap := value.(map[string]any)
		*option = tree.StringMap(entries)
		ok = isMap && len(*option) == len(entries)
	case *object:
		wants = "an object"
		if _, ok = value.(map[string]any); ok {
			option.given = true
			return readFields(v, name+" field", option.fields)
		}
	case *kuma.Release:
		wants = "a string, such as \"3.0\""
		var text string
		if text, ok = value.(string); ok {
			if *option, err = input.ParseVersion(text); err != nil {
				return fmt.Errorf("the %s: %w", name, err)
			}
		}
	}
	if !ok {
		return fmt.Errorf("the %s must be %s", name, wants)
	}
	return nil
}
