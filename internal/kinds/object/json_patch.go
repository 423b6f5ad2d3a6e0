package object

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// JSONPatches are steps of JSON patches that change a resource of Envoy.
var JSONPatches = def.Field{
	Name: "jsonPatches", Type: def.List{Elem: jsonPatch}, DropsEmpty: kuma.Before("2.10"),
	Doc: "Operations of a JSON patch (RFC 6902), used by `Patch` instead of `value`. " +
		"If an object lacks a path that `replace`, `move` or `copy` needs, the proxy gets no update at all.",
}

var patchOperations = []string{"add", "remove", "replace", "move", "copy"}

// jsonPatch is one step of a JSON patch (RFC 6902).
var jsonPatch = def.Object{
	{Name: "op", Type: def.String, Required: true, OneOf: patchOperations, Doc: "Name of the operation."},
	def.String.Required("path", "Target of the operation, as a JSON pointer. The root cannot be removed."),
	def.JSON.Field("value", "Value to set. Required by `add` and `replace`, not used by other operations."),
	def.String.Field("from", "Source of the operation, as a JSON pointer. Required by `move` and `copy`, not used by other operations."),
}

// JSONPatchStep checks that a step of [JSONPatches] has the fields that its
// operation uses; null counts as a value.
var JSONPatchStep = def.Check{Test: func(n tree.Node) []def.Problem {
	op, ok := n.Get("op").Text()
	if !ok || !slices.Contains(patchOperations, op) { // which is reported
		return nil
	}
	problems := append(usedBy(n, "value", op, "add", "replace"), usedBy(n, "from", op, "move", "copy")...)
	path := n.Get("path")
	if s, ok := path.Text(); ok && op == "remove" && (s == "" || s == "/") {
		problems = append(problems, def.ErrorAt(path, "Root cannot be removed",
			"The path must be that of a field. To remove the whole resource, use the operation Remove."))
	}
	return problems
}}

// usedBy checks that a field is there exactly with the operations that use it.
func usedBy(step tree.Node, field, op string, users ...string) []def.Problem {
	used, n := slices.Contains(users, op), step.Get(field)
	switch {
	case used && !step.Has(field):
		return []def.Problem{def.ErrorAt(n, field+" is missing", fmt.Sprintf("The operation %q requires it.", op))}
	case !used && step.Has(field) && !n.Unknown():
		return []def.Problem{def.ErrorAt(n, field+" cannot be set here",
			fmt.Sprintf("Only %s use it, but the operation is %q. Remove it.", phrase.And(users...), op))}
	}
	return nil
}
