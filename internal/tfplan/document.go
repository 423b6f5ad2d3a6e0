package tfplan

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// indexes matches the indexes of the instances of modules in an address.
var indexes = regexp.MustCompile(`\[("(\\.|[^"\\])*"|\d+)\]`)

const ownType = "kuma"

// isKuma reports whether a resource is one of Kuma: of this provider, whatever its registry and
// namespace, or of another one, whose resources have the same envelope.
func isKuma(r resourceChange) bool {
	prefix := tfschema.OtherPrefix(r.Provider)
	return isOwn(r) || prefix != "" && strings.HasPrefix(r.Type, prefix)
}

func isOwn(r resourceChange) bool {
	return strings.HasSuffix(r.Provider, "/"+ownType) && strings.HasPrefix(r.Type, ownType+"_")
}

// readDocuments reads the resource before and after the change.
func (c *Change) readDocuments(r resourceChange) {
	var errs [2]error
	c.Before, errs[0] = document(r, r.Change.Before, nil)
	if c.Action != Delete && c.Action != Forget {
		c.After, errs[1] = document(r, r.Change.After, r.Change.AfterUnknown)
	}
	for _, side := range []any{r.Change.After, r.Change.Before} {
		if kri := tree.Text(tree.Object(side)["kri"]); kri != "" && c.KRI == "" {
			c.KRI = kri
		}
	}
	for _, err := range errs {
		if err != nil {
			c.Unreadable = err
		}
	}
}

// document returns the document of a resource. That of another provider has only the key.
func document(r resourceChange, value, unknown any) (map[string]any, error) {
	object, ok := withUnknown(value, unknown).(map[string]any)
	if !ok || object == nil {
		return nil, nil
	}
	if !isOwn(r) {
		return envelope(object), fmt.Errorf("the resources of provider %s are not read", r.Provider)
	}
	if r.Type == configuration.ManifestType {
		manifest, ok := object["manifest"].(map[string]any)
		if !ok {
			return map[string]any{}, fmt.Errorf("its manifest is known only after the apply")
		}
		return tree.Object(withoutNulls(manifest)), nil
	}
	of, ok := tfvalue.ResourceTypes()[r.Type]
	if !ok {
		return envelope(object), fmt.Errorf("this version of the provider has no resource %s", r.Type)
	}
	converted, err := tfvalue.OfType(context.Background(), of.Values, object)
	if err != nil {
		return envelope(object), fmt.Errorf("%w, as this version of the provider reads it", err)
	}
	return tfvalue.Encode(of.Kind, converted)
}

func envelope(object map[string]any) map[string]any {
	out := map[string]any{}
	for _, name := range []string{"type", "mesh", "name"} {
		if object[name] != nil {
			out[name] = object[name]
		}
	}
	return out
}

// withUnknown returns a value in which [tree.Unknown] stands for what is not known.
func withUnknown(value, unknown any) any {
	switch u := unknown.(type) {
	case bool:
		if u {
			return tree.Unknown
		}
	case map[string]any:
		object, _ := value.(map[string]any)
		out := make(map[string]any, len(object)+len(u))
		maps.Copy(out, object)
		for name, marks := range u {
			if v := withUnknown(object[name], marks); v != nil {
				out[name] = v
			}
		}
		return out
	case []any:
		list, _ := value.([]any)
		out := slices.Clone(list)
		for i, marks := range u {
			var v any
			if i < len(list) {
				v = list[i]
			}
			v = withUnknown(v, marks)
			if i < len(out) {
				out[i] = v
			} else {
				out = append(out, v)
			}
		}
		return out
	}
	return value
}

// withoutNulls returns a value without the attributes that are null.
func withoutNulls(value any) any {
	return tree.Map(value, func(step, v any) (any, bool) {
		_, isElement := step.(int)
		return v, v != nil || isElement
	})
}
