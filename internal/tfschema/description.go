package tfschema

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// Descriptions that all kinds share.
const (
	meshDescription   = "Name of the mesh. Changing it forces replacement."
	nameDescription   = "[Name](../guides/common-arguments.md#names). Changing it forces replacement."
	labelsDescription = "[Labels](../guides/common-arguments.md#labels)."
	TypeDescription   = "Kind of the resource in Kuma's API."
	KRIDescription    = "Kuma resource identifier (KRI), as reported by the inspect API."

	ReplacedVersionDescription = "Fingerprint of the stored version that the creation of the resource replaced, if `existing` of the " +
		"provider is `adopt`. Null in all other cases."
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
	requiredUnlessIsEmpty = "Required, unless listed in `" + ExplicitlyEmpty + "`. "
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
	if values := valuesDoc(f); values != "" {
		doc = append(doc, values)
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
		doc = append(doc, "[Sensitive](../guides/common-arguments.md#sensitive-arguments).")
	}
	if f.ServerOwned {
		doc = append(doc, "Updated by the control plane, without a change in plans.")
	}
	if f.Since != "" {
		doc = append(doc, "Since Kuma "+f.Since+".")
	}
	if f.Immutable != (kuma.Releases{}) {
		doc = append(doc, "Changing it forces replacement since Kuma 3.0.")
	}
	if f.Removed.In != "" {
		doc = append(doc, "Kuma 2.x only.")
	}
	return shortenLists(checksDoc(strings.Join(doc, " "), f.Checks, names), len(def.ObjectOf(f.Type)))
}

// valuesDoc returns the sentences about the allowed values of a field, and about the releases
// that have them. It does not list them if the description or the documentation of a check does.
func valuesDoc(f def.Field) string {
	values := f.Values()
	listed := f.OneOf == nil && slices.ContainsFunc(f.Checks, func(c def.Check) bool { return c.Values != nil && c.Doc != "" })
	if listed || !slices.ContainsFunc(values, func(v string) bool { return !strings.Contains(f.Doc, "`"+v+"`") }) {
		var sentences []string
		for _, v := range slices.Sorted(maps.Keys(f.SinceOf)) {
			sentences = append(sentences, fmt.Sprintf("`%s` since Kuma %s.", v, f.SinceOf[v]))
		}
		if removed := slices.DeleteFunc(slices.Sorted(maps.Keys(f.RemovedOf)),
			func(v string) bool { return !slices.Contains(values, v) }); len(removed) > 0 {
			sentences = append(sentences, phrase.And(phrase.Code(removed)...)+" in Kuma 2.x only.")
		}
		return strings.Join(sentences, " ")
	}
	var current, removed []string
	for _, v := range values {
		_, isRemoved := f.RemovedOf[v]
		shown := "`" + v + "`"
		if since := f.SinceOf[v]; since != "" {
			shown += " (since Kuma " + since + ")"
		}
		if isRemoved {
			removed = append(removed, shown)
		} else {
			current = append(current, shown)
		}
	}
	switch {
	case removed != nil:
		return "Valid values: " + phrase.And(current...) + ", in Kuma 2.x also " + phrase.And(removed...) + "."
	case len(current) == 1:
		return "The only valid value is " + current[0] + "."
	}
	return "Valid values: " + phrase.And(current...) + "."
}

var (
	atLeastOne = regexp.MustCompile(`At least one of ((?:` + "`\\w+`" + `(?:, | or )?)+) (is required|must have an entry)\.`)
	atMostOne  = regexp.MustCompile(`At most one of ((?:` + "`\\w+`" + `(?:, | or )?)+) can be set\.`)
)

// shortenLists shortens the sentences about lists of fields, of which the block has as many as
// given.
func shortenLists(doc string, fields int) string {
	least, most := atLeastOne.FindStringSubmatch(doc), atMostOne.FindStringSubmatch(doc)
	if least == nil {
		return doc
	}
	if most != nil && least[1] == most[1] {
		doc = strings.Replace(doc, most[0], "", 1)
		doc = strings.Replace(doc, least[0], "Exactly one of "+least[1]+" is required.", 1)
	}
	if strings.Count(least[1], "`") == 2*fields {
		doc = strings.Replace(doc, "one of "+least[1], "one argument", 1)
	}
	return strings.Join(strings.Fields(doc), " ")
}

// checksDoc adds the documentation of checks, which use the field names of the
// API.
func checksDoc(doc string, checks []def.Check, names map[string]bool) string {
	for _, c := range checks {
		said := WithAttributeNames(c.Doc, names)
		if bound := strings.TrimPrefix(said, "Must be at least "); bound == "0." || strings.HasPrefix(bound, "-") {
			continue // the range of the type says nothing to a user
		}
		if said != "" && !strings.Contains(doc, said) {
			doc += " " + said
		}
	}
	return doc
}
