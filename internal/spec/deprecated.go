package spec

// DeprecatedMembers returns the problems of members in use that are deprecated,
// in the order of the description. A control plane warns of few of them.
func (k Kind) DeprecatedMembers(doc map[string]any) []Problem {
	n, fields := Root(doc), k.Fields
	if !k.Flat {
		fields = Object{{Name: "spec", Type: k.Fields}}
	}
	return deprecatedMembers(fields, n)
}

func deprecatedMembers(t Type, n Node) []Problem {
	var out []Problem
	switch t := t.(type) {
	case Object:
		for _, f := range t {
			child := n.Get(f.Name)
			if f.Deprecated != "" && !f.ServerOwned && child.Filled() {
				out = append(out, child.Warning(f.Name+" is deprecated", f.Deprecated).About(Deprecation))
				continue
			}
			out = append(out, deprecatedMembers(f.Type, child)...)
		}
	case List:
		for _, e := range n.Items() {
			out = append(out, deprecatedMembers(t.Elem, e)...)
		}
	case Map:
		for _, e := range n.Entries() {
			out = append(out, deprecatedMembers(t.Elem, e)...)
		}
	case Scalar:
	}
	return out
}
