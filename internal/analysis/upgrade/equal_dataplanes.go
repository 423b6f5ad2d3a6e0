package upgrade

import (
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/access"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/impact"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// equalDataplanes are Dataplanes that differ from another one only in their name and address, by
// that one, which represents them: replicas of a service are rewritten and compared once.
type equalDataplanes map[kuma.Key][]kuma.Resource

// representatives removes the Dataplanes that others represent from documents. A name that another
// document contains, such as in a reference, can mean only one of them.
func representatives(documents []kuma.Resource) ([]kuma.Resource, equalDataplanes) {
	named := map[string]bool{}
	for _, r := range documents {
		if r.Type != kuma.KindDataplane {
			addTexts(named, r.Body)
			for _, value := range r.Labels {
				named[value] = true
			}
		}
	}
	equal, first := equalDataplanes{}, map[string]kuma.Key{}
	var out []kuma.Resource
	for _, r := range documents {
		if r.Type == kuma.KindDataplane && !named[r.Name] {
			content := withIdentity(r, "", "")
			text := r.Mesh + phrase.JSON(content.Labels) + phrase.JSON(content.Body)
			if key, ok := first[text]; ok {
				equal[key] = append(equal[key], r)
				continue
			}
			first[text] = r.Key()
		}
		out = append(out, r)
	}
	return out, equal
}

// addTexts adds all texts in a value.
func addTexts(to map[string]bool, v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			addTexts(to, e)
		}
	case []any:
		for _, e := range v {
			addTexts(to, e)
		}
	case string:
		to[v] = true
	}
}

// withIdentity returns a Dataplane with another name and address, which it shares nothing else of
// with the original one.
func withIdentity(r kuma.Resource, name, address string) kuma.Resource {
	out := r
	out.Labels = maps.Clone(r.Labels)
	if r.Labels[kuma.LabelDisplayName] == r.Name {
		out.Labels[kuma.LabelDisplayName] = name
	}
	out.Name, out.Body = name, maps.Clone(r.Body)
	if networking := maps.Clone(tree.Object(r.Body["networking"])); networking != nil {
		networking["address"] = address
		out.Body["networking"] = networking
	}
	return out
}

// expand adds the Dataplanes that others represent, rewritten in the same way, in the order of the input.
func (e equalDataplanes) expand(rewritten, input []kuma.Resource) []kuma.Resource {
	if len(e) == 0 {
		return rewritten
	}
	of := map[kuma.Key]kuma.Resource{}
	for _, r := range rewritten {
		of[r.Key()] = r
		for _, m := range e[r.Key()] {
			address, _ := tree.Root(m.Body).Get("networking", "address").Text()
			member := withIdentity(r, m.Name, address)
			member.Reported, member.CreationTime, member.ModificationTime = m.Reported, m.CreationTime, m.ModificationTime
			of[m.Key()] = member
		}
	}
	var out []kuma.Resource
	for _, r := range slices.Concat(input, rewritten) {
		if found, ok := of[r.Key()]; ok {
			out = append(out, found)
			delete(of, r.Key())
		}
	}
	return out
}

func nameOf(r kuma.Resource) string { return r.Name }

// names returns names of Dataplanes of a mesh with those that they represent, sorted.
func (e equalDataplanes) names(mesh string, of []string) []string {
	out := slices.Clone(of)
	for _, name := range of {
		out = append(out, phrase.Each(e[kuma.Key{Type: kuma.KindDataplane, Mesh: mesh, Name: name}], nameOf)...)
	}
	return phrase.Sorted(out)
}

// impact returns an impact with all Dataplanes.
func (e equalDataplanes) impact(i impact.Impact) impact.Impact {
	if len(e) == 0 {
		return i
	}
	all := func(names []string) []string { return e.names(i.Mesh, names) }
	i.Unchanged, i.Added, i.Removed = all(i.Unchanged), all(i.Added), all(i.Removed)
	for n := range i.Groups {
		i.Groups[n].Dataplanes = all(i.Groups[n].Dataplanes)
	}
	for n := range i.LostServices {
		i.LostServices[n].Dataplanes = all(i.LostServices[n].Dataplanes)
	}
	for n := range i.RequestsChanged {
		i.RequestsChanged[n].Clients = all(i.RequestsChanged[n].Clients)
	}
	for _, list := range [][]access.Change{i.AccessLost, i.AccessGained} {
		for n := range list {
			list[n] = list[n].WithDataplanes(all)
		}
	}
	return i
}

// items sets the Dataplanes to which items of a report apply as well.
func (e equalDataplanes) items(r Report) Report {
	for n := range r {
		r[n].Also = append(r[n].Also, phrase.Each(e[r[n].Key], nameOf)...)
	}
	return r
}
