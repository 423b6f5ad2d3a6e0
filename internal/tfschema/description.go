package tfschema

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// Descriptions that all kinds share.
const (
	meshDescription   = "Mesh of the resource. Changing it forces a new resource."
	nameDescription   = "Name of the resource, of lowercase letters, digits, `-` and `.`. Changing it forces a new resource."
	labelsDescription = "Labels of the resource. [Computed labels](../guides/common-arguments.md#labels) are omitted unless set."
	TypeDescription   = "Kind in Kuma's API."
	KRIDescription    = "Kuma resource identifier (KRI)."

	ReplacedVersionDescription = "Fingerprint of the version that the creation replaced, if `existing` of the provider is `adopt`; null in all other cases."
)

func kindDoc(k def.Kind) string {
	doc := k.Doc
	if k.Since != "" {
		doc += " Since Kuma " + k.Since + "."
	}
	if k.Removed.In != "" {
		doc += " Kuma 2.x only. " + k.Removed.Instead
	}
	return doc
}

// The parts of descriptions about required blocks, and about required
// attributes inside single blocks, which a schema cannot require: the framework
// would require them even if the whole block is omitted.
const (
	required              = "Required. "
	requiredInBlock       = "Required inside the block. "
	requiredUnlessIsEmpty = "Required inside the block, unless listed in `" + ExplicitlyEmpty + "`. "
)

// TrimRequired returns a description without the words that say that a block or
// attribute is required, for documentation that shows it in another way.
func TrimRequired(doc string) (trimmed string, found bool) {
	if trimmed, found = strings.CutPrefix(doc, required); found {
		return trimmed, true
	}
	return strings.CutPrefix(doc, requiredInBlock)
}

// requiredDoc returns the part of a description that says that a field is
// required. shown reports whether the schema requires it.
func requiredDoc(f def.Field, shown, proto bool) string {
	switch {
	case !f.Required || shown:
		return ""
	case CanBeExplicitlyEmpty(f, proto):
		return requiredUnlessIsEmpty
	default:
		return requiredInBlock
	}
}

// fieldDoc adds to the description of a field what its declaration says and the
// schema does not show. names are the wire names of the kind.
func fieldDoc(f def.Field, names map[string]bool) string {
	doc := []string{f.Doc}
	if f.Deprecated != "" {
		doc = []string{"**Deprecated:** " + f.Deprecated, f.Doc}
	}
	if f.OneOf != nil {
		doc = append(doc, phrase.ValidValues(f.OneOf))
	}
	switch d := f.Default.(type) {
	case string:
		if d != "" && !f.Required {
			doc = append(doc, "Defaults to `"+d+"`.")
		}
	case bool, fmt.Stringer:
		doc = append(doc, fmt.Sprintf("Defaults to `%v`.", d))
	}
	if f.Type == def.JSON {
		doc = append(doc, "The value must be JSON; use `jsonencode`.")
	}
	if f.Sensitive {
		doc = append(doc, "If omitted, the stored value is kept, unless another argument of the block changes. An import does not read it.")
	}
	if f.ServerOwned {
		doc = append(doc, "Updates by the control plane do not show up in plans.")
	}
	if f.Since != "" {
		doc = append(doc, "Since Kuma "+f.Since+".")
	}
	for _, value := range slices.Sorted(maps.Keys(f.SinceOf)) {
		doc = append(doc, fmt.Sprintf("`%s` since Kuma %s.", value, f.SinceOf[value]))
	}
	if f.Immutable != (kuma.Releases{}) {
		doc = append(doc, "Changing it forces a new resource since Kuma 3.0.")
	}
	if f.Removed.In != "" {
		doc = append(doc, "Kuma 2.x only.")
	}
	if removed := slices.DeleteFunc(slices.Sorted(maps.Keys(f.RemovedOf)), func(v string) bool { return !slices.Contains(f.Values(), v) }); len(removed) > 0 {
		doc = append(doc, phrase.And(phrase.Code(removed)...)+" in Kuma 2.x only.")
	}
	return checksDoc(strings.Join(doc, " "), f.Checks, names)
}

// checksDoc adds the documentation of checks, which use the field names of the
// API.
func checksDoc(doc string, checks []def.Check, names map[string]bool) string {
	for _, c := range checks {
		if said := WithAttributeNames(c.Doc, names); said != "" && !strings.Contains(doc, said) {
			doc += " " + said
		}
	}
	return doc
}
