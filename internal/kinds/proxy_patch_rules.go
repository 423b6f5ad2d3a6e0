package kinds

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// operation returns what a modification does; empty when that is unknown.
func operation(n tree.Node) string {
	s, _ := n.Get("operation").Text()
	return s
}

// contentFits checks that a modification has what its operation works with.
var contentFits = def.Check{Test: func(n tree.Node) []def.Problem {
	value, patches := n.Get("value"), n.Get("jsonPatches")
	op := operation(n)
	switch {
	case op == "":
		return nil
	case op == opPatch && value.Known() && patches.Filled():
		return []def.Problem{def.ErrorAt(n, "Two patches are given", "A modification either merges \"value\" or applies \"jsonPatches\". Remove one of them.")}
	case op == opPatch && value.Absent() && patches.Empty():
		return []def.Problem{def.ErrorAt(n, "The patch is missing", "Give \"value\" to merge, or \"jsonPatches\" to apply.")}
	case op == opPatch:
		return nil
	}
	problems := def.Refused(patches, fmt.Sprintf("Only Patch applies JSON patches, and the operation is %s. Remove them.", op))
	switch {
	case op == opRemove && value.Known():
		problems = append(problems, def.ErrorAt(value, "value cannot be set here", "What is removed needs no value. Use \"match\" to choose it."))
	case op != opRemove && value.Absent():
		problems = append(problems, def.ErrorAt(value, "value is missing", fmt.Sprintf("The operation %s needs what is to be added.", op)))
	}
	return problems
}}

func adds(n tree.Node) bool { return strings.HasPrefix(operation(n), opAdd) }

// newHas checks that what is added has a member that Envoy requires.
func newHas(member string) def.Check {
	return def.Check{Test: func(n tree.Node) []def.Problem {
		value := n.Get("value")
		text, ok := value.Text()
		m, err := readObject(text)
		if !ok || !adds(n) || err != nil || m[member] != nil && m[member] != "" {
			return nil
		}
		return []def.Problem{def.ErrorAt(value, "Not a resource of Envoy", fmt.Sprintf("What is added here needs %q. Add it.", member))}
	}}
}

var yamlObject = def.Check{Test: func(n tree.Node) []def.Problem {
	text, ok := n.Text()
	if _, err := readObject(text); ok && err != nil {
		return []def.Problem{def.ErrorAt(n, "Not a resource of Envoy", fmt.Sprintf("The text %s. Write the members of the resource in YAML or JSON.", err))}
	}
	return nil
}}

// readObject reads YAML, or JSON. Empty text is an object without members.
func readObject(text string) (map[string]any, error) {
	docs, err := tree.DecodeYAML([]byte(text))
	switch {
	case err != nil:
		return nil, fmt.Errorf("is no YAML (%w)", err)
	case len(docs) == 0:
		return nil, nil
	}
	m, ok := docs[0].(map[string]any)
	if !ok {
		return nil, errors.New("is YAML, but no object")
	}
	return m, nil
}

// newHasNo refuses a member of `match` with what is added.
func newHasNo(path ...string) def.Check {
	return def.Check{
		Doc: fmt.Sprintf("`%s` not with `Add`.", strings.Join(path, ".")),
		Test: func(n tree.Node) []def.Problem {
			m := n.Get(path...)
			if operation(n) != opAdd || !m.Known() {
				return nil
			}
			return []def.Problem{def.ErrorAt(m, m.Key()+" cannot be set here", "What is added is new, so there is none to match. Remove it.")}
		},
	}
}

// neighbourNeeded: a filter is placed next to another one, and patched by name.
var neighbourNeeded = def.Check{
	Doc: "`AddBefore`, `AddAfter` and `Patch` need `match.name`.",
	Test: func(n tree.Node) []def.Problem {
		name := n.Get("match", "name")
		if !name.Absent() || !slices.Contains([]string{opAddBefore, opAddAfter, opPatch}, operation(n)) {
			return nil
		}
		return []def.Problem{def.ErrorAt(name, "name is missing", fmt.Sprintf("The operation %s needs the name of a filter that is there already.", operation(n)))}
	},
}
