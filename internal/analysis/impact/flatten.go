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

// routeLists are the lists by which the confs of a kind of routes are taken apart;
// they are empty for other kinds.
type routeLists struct {
	keyed string // the list whose elements are told apart by their matches
	split string // the list of values for each of which there is a conf
}

const matchesField = "matches" // by which the elements of a keyed list are merged

func routeListsOf(k def.Kind) routeLists {
	var s routeLists
	to, _ := k.Fields.Field("to")
	items, _ := to.Type.(def.List)
	item, _ := items.Elem.(def.Object)
	for _, f := range item {
		switch f.Merge {
		case def.MergeByMatches:
			s.keyed = f.Name
		case def.SplitByValue:
			s.split = f.Name
		case def.Replace, def.Append:
		}
	}
	return s
}

// elements are the elements of a list in which the order may count.
type elements struct {
	keys    []string
	setters map[string]rules.Origin
	value   any
}

// flatConf is what settings consist of.
type flatConf struct {
	values map[string]rules.Setting // by key
	paths  map[string]string        // by key
	lists  map[string]*elements     // by path
}

// flatten takes settings apart; none when they are nil.
func (s routeLists) flatten(of *settings) flatConf {
	out := flatConf{map[string]rules.Setting{}, map[string]string{}, map[string]*elements{}}
	if of == nil {
		return out
	}
	confs := of.confs()
	for i, leaves := range of.leaves() {
		conf := tree.Object(confs[i])
		prefix := ""
		if values, ok := conf[s.split].([]any); ok && s.split != "" {
			prefix = s.split + "[" + jsonItems(values) + "]"
			leaves = withoutSelf(leaves, tree.Path{s.split})
		}
		seen := map[string]int{}
		for _, l := range leaves {
			s.add(&out, prefix, conf, l.Setting, seen)
		}
	}
	return out
}

// add files one leaf. Positions in lists are replaced by what tells the elements
// apart, so that a new element does not change all those behind it.
func (s routeLists) add(out *flatConf, prefix string, conf any, leaf rules.Setting, seen map[string]int) {
	n := slices.IndexFunc(leaf.Path, func(step any) bool { _, ok := step.(int); return ok })
	if n < 0 {
		path := joinPath(prefix, leaf.Path.String())
		out.values[path], out.paths[path] = leaf, path
		return
	}
	list := tree.List(tree.At(conf, leaf.Path[:n]))
	position, _ := leaf.Path[n].(int)
	at := joinPath(prefix, leaf.Path[:n].String())
	var path, key, element string
	if n == 1 && leaf.Path[0] == s.keyed {
		rule := tree.Object(list[position])
		items := tree.List(rule[matchesField])
		element = "[" + jsonItems(items) + "]"
		if len(leaf.Path) > n+1 && leaf.Path[n+1] == matchesField && len(rule) > 1 {
			return // it is in the path already
		}
		path = joinPath(at+element, leaf.Path[n+1:].String())
		key = path
	} else {
		value := phrase.JSON(leaf.Value)
		element = fmt.Sprintf("%s %d", value, seen[at+value])
		seen[at+value]++
		path = at + "[]"
		key = path + element
	}
	out.values[key], out.paths[key] = leaf, path
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

// withoutSelf leaves out the leaf at a path, unless there is nothing else.
func withoutSelf(leaves []rules.Leaf, path tree.Path) []rules.Leaf {
	if len(leaves) < 2 {
		return leaves
	}
	return slices.DeleteFunc(leaves, func(l rules.Leaf) bool { return slices.Equal(l.Path, path) })
}

// joinPath appends a path to another.
func joinPath(path, more string) string {
	if path == "" || more == "" || strings.HasPrefix(more, "[") {
		return path + more
	}
	return path + "." + more
}

// hasBelow reports whether there are values inside the one at path.
func (l flatConf) hasBelow(path string) bool {
	for _, p := range l.paths {
		if p != path && (path == "" || strings.HasPrefix(p, path+".") || strings.HasPrefix(p, path+"[")) {
			return true
		}
	}
	return false
}

// jsonItems writes the elements of a list.
func jsonItems(items []any) string {
	if len(items) == 0 {
		return ""
	}
	text := phrase.JSON(items)
	return strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
}
