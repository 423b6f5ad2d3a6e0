package tree

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Unknown represents a value in a document that a plan does not know yet.
// Every check that needs the value passes.
var Unknown any = unknown{}

type unknown struct{}

// Node is a place in a document, present or not. Reading below an absent or
// unknown value gives absent or unknown nodes, never a panic.
type Node struct {
	Path  Path
	value any
	state state
	root  *Node
}

type state int

const (
	absent state = iota
	unknownState
	known
)

// Root returns the node of a whole document, or of a value on its own.
func Root(doc any) Node {
	n := newNode(nil, doc, nil)
	n.root = &n
	return n
}

func newNode(path Path, v any, root *Node) Node {
	n := Node{Path: path, value: v, state: known, root: root}
	switch v.(type) {
	case nil:
		n.state = absent
	case unknown:
		n.state = unknownState
	}
	return n
}

// Root returns the node of the document that n is part of.
func (n Node) Root() Node { return *n.root }

// Absent reports whether the document is known to have no value here.
func (n Node) Absent() bool { return n.state == absent }

// Unknown reports whether a plan does not know the value yet.
func (n Node) Unknown() bool { return n.state == unknownState }

// Known reports whether the document has a value here, parts of which may
// still be unknown.
func (n Node) Known() bool { return n.state == known }

// Get returns the node reached by fields of objects or keys of maps.
func (n Node) Get(names ...string) Node {
	path := slices.Concat(n.Path, make(Path, len(names)))
	below := path[len(n.Path):]
	for i, name := range names {
		below[i] = name
		if n.state == known {
			n = newNode(nil, Object(n.value)[name], n.root)
		} else {
			n.value = nil
		}
	}
	n.Path = path
	return n
}

// With returns the node as if the document had another value there.
func (n Node) With(v any) Node { return newNode(n.Path, v, n.root) }

// Has reports whether n is an object with the field, which may be null.
func (n Node) Has(field string) bool {
	m := Object(n.value)
	_, ok := m[field]
	return ok
}

// Find returns the nodes that a path leads to in which "[]" stands for every
// element of a list and every field of an object: "to[].targetRef.name". Fields
// that the document does not have are returned as absent nodes.
func (n Node) Find(path string) []Node {
	nodes := []Node{n}
	for _, step := range ParsePath(strings.ReplaceAll(path, "[]", ".*")) {
		var next []Node
		for _, at := range nodes {
			switch name, _ := step.(string); name {
			case "*":
				next = append(append(next, at.Items()...), at.Entries()...)
			default:
				next = append(next, at.Get(name))
			}
		}
		nodes = next
	}
	return nodes
}

// Items returns the elements of a list; none when it is absent or unknown.
func (n Node) Items() []Node {
	list := List(n.value)
	out := make([]Node, len(list))
	for i, v := range list {
		out[i] = newNode(n.Path.Child(i), v, n.root)
		if v == nil {
			out[i].state = known // a null element is a value, and rejected as such
		}
	}
	return out
}

// Entries returns the values of an object or map by key, in key order.
func (n Node) Entries() []Node {
	m := Object(n.value)
	out := make([]Node, 0, len(m))
	keys := slices.AppendSeq(make([]string, 0, len(m)), maps.Keys(m))
	slices.Sort(keys)
	for _, k := range keys {
		out = append(out, newNode(n.Path.Child(k), m[k], n.root))
	}
	return out
}

// Text returns the string of n; false when it is not a known string.
func (n Node) Text() (string, bool) {
	s, ok := n.value.(string)
	return s, ok
}

// Int returns the integer of n; false when it is not a known integer.
func (n Node) Int() (int64, bool) {
	num, ok := n.value.(json.Number)
	if !ok {
		return 0, false
	}
	return ParseInteger(num)
}

// True reports whether n is known to be true.
func (n Node) True() bool {
	b, ok := n.value.(bool)
	return ok && b
}

// Value returns the decoded JSON value, which may contain [Unknown].
func (n Node) Value() any { return n.value }

// Empty reports whether n is known to be absent, an empty string, an empty list
// or an empty object.
func (n Node) Empty() bool { return n.state == absent || IsEmpty(n.value) }

// Filled reports whether n is known and not empty.
func (n Node) Filled() bool { return n.Known() && !n.Empty() }

// Complete reports whether n has a value of which no part is unknown.
func (n Node) Complete() bool {
	return n.Known() && !slices.ContainsFunc(append(n.Items(), n.Entries()...), func(m Node) bool { return !m.Complete() })
}

// Key returns the name of n in its object or map; empty for the
// elements of lists.
func (n Node) Key() string {
	if len(n.Path) == 0 {
		return ""
	}
	key, _ := n.Path[len(n.Path)-1].(string)
	return key
}

// IsEmptyObject reports whether v is an object without fields.
func IsEmptyObject(v any) bool {
	m, ok := v.(map[string]any)
	return ok && len(m) == 0
}

// IsEmpty reports whether v is an empty string, an empty list or an empty
// object.
func IsEmpty(v any) bool {
	switch v := v.(type) {
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	default:
		return false
	}
}
