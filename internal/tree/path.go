package tree

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Path leads to a value inside a document: a string for a field of an object
// or a key of a map, an int for a position in a list.
type Path []any

// Child returns the path of a field, key or position below p. It never shares
// memory with p.
func (p Path) Child(step any) Path {
	return slices.Concat(p, Path{step})
}

// Parent returns the path of the object or list that p leads into; the parent
// of the whole document is the document itself.
func (p Path) Parent() Path { return p[:max(0, len(p)-1):max(0, len(p)-1)] }

var plainStep = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// keyed are the fields whose keys the control plane always quotes.
var keyed = []any{"labels", "tags"}

// String formats the path as the control plane does: spec.to[0].targetRef,
// labels["kuma.io/zone"].
func (p Path) String() string {
	var b strings.Builder
	for i, step := range p {
		switch s := step.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", s)
		case string:
			switch {
			case !plainStep.MatchString(s), i > 0 && slices.Contains(keyed, p[i-1]):
				fmt.Fprintf(&b, "[%q]", s)
			case b.Len() > 0:
				b.WriteString("." + s)
			default:
				b.WriteString(s)
			}
		}
	}
	return b.String()
}

var inBrackets = regexp.MustCompile(`^\[(?:(\d+)|("(?:[^"\\]|\\.)*"))\]`)

// ParsePath parses the format of [Path.String]. The path ends where it cannot
// be parsed: some control planes report fields that do not exist.
func ParsePath(s string) Path {
	var p Path
	for s != "" {
		if s[0] != '[' { // as most steps, for which a regular expression is slow
			s = strings.TrimPrefix(s, ".")
			end := strings.IndexAny(s+".", ".[]")
			if end == 0 {
				return p
			}
			p, s = append(p, s[:end]), s[end:]
			continue
		}
		m := inBrackets.FindStringSubmatch(s)
		switch {
		case m == nil:
			return p
		case m[1] != "":
			i, err := strconv.Atoi(m[1])
			if err != nil {
				return p
			}
			p = append(p, i)
		default:
			key, err := strconv.Unquote(m[2])
			if err != nil {
				return p
			}
			p = append(p, key)
		}
		s = s[len(m[0]):]
	}
	return p
}

// ComparePaths orders paths: positions in lists before fields, which are sorted
// by name, and a path before those below it.
func ComparePaths(a, b Path) int {
	return slices.CompareFunc(a, b, func(x, y any) int {
		i, xInt := x.(int)
		j, yInt := y.(int)
		switch {
		case xInt && yInt:
			return cmp.Compare(i, j)
		case xInt:
			return -1
		case yInt:
			return 1
		}
		s, _ := x.(string)
		t, _ := y.(string)
		return cmp.Compare(s, t)
	})
}

// At returns the value that a path leads to, nil when there is none.
func At(v any, p Path) any {
	for _, step := range p {
		switch s := step.(type) {
		case string:
			m := Object(v)
			v = m[s]
		case int:
			list := List(v)
			if s < 0 || s >= len(list) {
				return nil
			}
			v = list[s]
		}
	}
	return v
}
