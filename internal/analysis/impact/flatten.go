package impact

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// routeLists contains the names of the lists by which the confs of a route kind
// are flattened. The names are empty for other kinds.
type routeLists struct {
	kind  def.Kind
	keyed string // the list whose elements are identified by their matches
	split string // the list of values that each have their own conf
}

func routeListsOf(k def.Kind) routeLists {
	keyed, split := k.RouteLists()
	return routeLists{k, keyed, split}
}

// elements is the elements of a list whose order may be significant.
type elements struct {
	keys    []string
	setters map[string]rules.Origin
	value   any
}

// flatConf is the flattened form of settings.
type flatConf struct {
	values map[string]flatValue // by key
	lists  map[string]*elements // by path
}

// flatValue is a value in a conf.
type flatValue struct {
	rules.Setting

	path, prefix string
	conf         any
}

// flatten flattens settings with their confs. The result is empty if they are nil.
func (s routeLists) flatten(of *settings, confs []any) flatConf {
	out := flatConf{map[string]flatValue{}, map[string]*elements{}}
	if of == nil {
		return out
	}
	for i, leaves := range of.leaves() {
		conf := tree.Object(confs[i])
		prefix := ""
		if values, ok := conf[s.split].([]any); ok && s.split != "" {
			prefix = s.split + "[" + jsonItems(values) + "]"
			leaves = withoutSelf(leaves, tree.Path{s.split})
		}
		seen, matches := map[string]int{}, map[int]string{}
		for _, l := range leaves {
			s.add(&out, prefix, conf, l.Setting, seen, matches)
		}
	}
	return out
}

// add adds one leaf. It replaces positions in lists with keys of the
// elements, so that a new element does not change all elements behind it. It counts equal elements in
// seen, and keeps the matches of rules by position.
func (s routeLists) add(out *flatConf, prefix string, conf any, leaf rules.Setting, seen map[string]int, matches map[int]string) {
	put := func(key, path string) { out.values[key] = flatValue{leaf, path, prefix, conf} }
	n := slices.IndexFunc(leaf.Path, func(step any) bool { _, ok := step.(int); return ok })
	if n < 0 {
		path := joinPath(prefix, leaf.Path.String())
		put(path, path)
		return
	}
	list := tree.List(tree.At(conf, leaf.Path[:n]))
	position, _ := leaf.Path[n].(int)
	at := joinPath(prefix, leaf.Path[:n].String())
	var path, key, element string
	if n == 1 && leaf.Path[0] == s.keyed {
		rule := tree.Object(list[position])
		if element = matches[position]; element == "" {
			element = phrase.JSON(tree.List(canonical(def.Field{}, withoutTaken(list, position)))[0])
			matches[position] = element
		}
		if element == noMatches && position > 0 {
			return // proxies send no requests to it
		}
		if len(leaf.Path) > n+1 && leaf.Path[n+1] == def.MatchesField && len(rule) > 1 {
			return // already part of the path
		}
		path = joinPath(at+element, leaf.Path[n+1:].String())
		key = path
	} else {
		_, _, field := s.kind.Words(conf, leaf.Path[:n])
		value := phrase.JSON(canonical(field, leaf.Value))
		element = fmt.Sprintf("%s %d", value, seen[at+value])
		path = at + "[]"
		key = path + element
		if field.Set {
			put(key, path)
			return
		}
		seen[at+value]++
	}
	put(key, path)
	e, ok := out.lists[at]
	if !ok {
		e = &elements{setters: map[string]rules.Origin{}, value: list}
		out.lists[at] = e
	}
	if _, ok := e.setters[element]; !ok {
		e.keys = append(e.keys, element)
		e.setters[element] = leaf.SetBy
	}
}

const noMatches = "[]"

// withoutTaken returns the matches of the rule at a position that no earlier rule of the list has: proxies use the first.
func withoutTaken(list []any, position int) []any {
	matchesOf := func(n int) []any { return tree.List(tree.Object(list[n])[def.MatchesField]) }
	taken := func(match any) bool {
		for n := range position {
			if slices.ContainsFunc(matchesOf(n), func(other any) bool { return tree.Equal(other, match) }) {
				return true
			}
		}
		return false
	}
	return slices.DeleteFunc(append([]any{}, matchesOf(position)...), taken)
}

// withoutSelf removes the leaf at a path, unless it is the only one.
func withoutSelf(leaves []rules.Leaf, path tree.Path) []rules.Leaf {
	if len(leaves) < 2 {
		return leaves
	}
	return slices.DeleteFunc(leaves, func(l rules.Leaf) bool { return slices.Equal(l.Path, path) })
}

// joinPath joins two paths.
func joinPath(path, more string) string {
	if path == "" || more == "" || strings.HasPrefix(more, "[") {
		return path + more
	}
	return path + "." + more
}

// hasBelow reports whether the value at path contains other values.
func (l flatConf) hasBelow(path string) bool {
	for _, v := range l.values {
		if p := v.path; p != path && (path == "" || strings.HasPrefix(p, path+".") || strings.HasPrefix(p, path+"[")) {
			return true
		}
	}
	return false
}

// jsonItems returns the elements of a list as JSON, without the brackets.
func jsonItems(items []any) string {
	if len(items) == 0 {
		return ""
	}
	text := phrase.JSON(items)
	return strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
}

// pathConf is the path of a conf without values.
const pathConf = "(conf)"

// place describes the path of a value in words.
type place struct {
	text     string
	elements *def.Elements // of a list, nil for other values
	fields   def.Object    // of the elements of a list
	element  bool          // whether the path leads to an element of a list
}

// place describes the path of a value in words. The prefix is the part of the path that selects the
// conf.
func (s routeLists) place(v flatValue) place {
	requests, rest, f := s.kind.Words(v.conf, v.Path)
	p := place{text: phrase.CodeSpan(v.path), elements: f.Elements, fields: def.ObjectOf(f.Type)}
	switch {
	case v.path == "":
		p.text = "the whole conf"
	case f.Elements != nil:
		_, p.element = v.Path[len(v.Path)-1].(int)
		p.text = f.Elements.Noun
	case requests != "" && rest != "":
		p.text = phrase.CodeSpan(rest)
	case requests != "":
		p.text = "the whole rule"
	default:
		return p
	}
	for _, of := range []string{requests, v.prefix} {
		if of != "" {
			p.text = phrase.CodeSpan(of) + ", " + p.text
		}
	}
	return p
}
