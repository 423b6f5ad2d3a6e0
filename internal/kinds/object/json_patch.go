package object

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// JSONPatches are steps of JSON patches that change a resource of Envoy.
var JSONPatches = def.Field{
	Name: "jsonPatches", Type: def.List{Elem: jsonPatch},
	Doc: "Steps of a JSON patch (RFC 6902), for `Patch` instead of `value`. A step whose path does not exist is left out silently.",
}

// jsonPatch is one step of a JSON patch (RFC 6902).
var jsonPatch = def.Object{
	{Name: "op", Type: def.String, Required: true, OneOf: []string{"add", "remove", "replace", "move", "copy"}, Doc: "What the step does."},
	{Name: "path", Type: def.String, Required: true, Doc: "Where it does that, as a JSON pointer. The root cannot be removed."},
	{Name: "value", Type: def.JSON, Doc: "What is put there. Needed by `add` and `replace`, and not used by others."},
	{Name: "from", Type: def.String, Doc: "Where it comes from, as a JSON pointer. Needed by `move` and `copy`, and not used by others."},
}

// JSONPatchStep checks that a step of [JSONPatches] has what its operation works
// with; null is a value like others.
var JSONPatchStep = def.Check{Test: func(n tree.Node) []def.Problem {
	op, ok := n.Get("op").Text()
	if !ok {
		return nil
	}
	problems := append(usedBy(n, "value", op, "add", "replace"), usedBy(n, "from", op, "move", "copy")...)
	path := n.Get("path")
	if s, ok := path.Text(); ok && op == "remove" && (s == "" || s == "/") {
		problems = append(problems, def.ErrorAt(path, "The root cannot be removed", "Give the path of a member. To remove the whole, use the operation Remove."))
	}
	return problems
}}

// usedBy checks that a member is there exactly with the operations that use it.
func usedBy(step tree.Node, member, op string, users ...string) []def.Problem {
	used, n := slices.Contains(users, op), step.Get(member)
	switch {
	case used && !step.Has(member):
		return []def.Problem{def.ErrorAt(n, member+" is missing", fmt.Sprintf("The operation %q needs it.", op))}
	case !used && step.Has(member) && !n.Unknown():
		return []def.Problem{def.ErrorAt(n, member+" cannot be set here", fmt.Sprintf("Only %s use it, and the operation is %q. Remove it.", phrase.And(users...), op))}
	}
	return nil
}
