package input

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// This file determines the release of Kuma of an analysis, and how a release reads what
// another one has stored.

// ParseVersion returns the release that the argument kuma_version requests.
func ParseVersion(text string) (kuma.Release, error) {
	r := kuma.ParseRelease(text)
	if r == (kuma.Release{}) || rules.Known(r) != r {
		return r, fmt.Errorf("%q is not a release of Kuma whose matching of policies is known. Write a release from %s to %s, such as %q", text,
			rules.Compared()[0], rules.Newest(), rules.Newest())
	}
	return r, nil
}

// storedBy returns the release of a control plane that has stored documents: the requested
// one if there is one, or else the newest one, unless a document has what that release does
// not have; then the newest release of Kuma 2. Only Kuma 3.0 stores the origin of a Mesh
// (release3.md §3).
func storedBy(requested kuma.Release, all ...*Documents) kuma.Release {
	var documents []document.Document
	for _, d := range all {
		for _, g := range d.given {
			documents = append(documents, g.Document)
		}
	}
	if requested == (kuma.Release{}) {
		requested = rules.Newest()
	}
	for _, r := range []kuma.Release{requested, rules.Newest()} {
		if hasAll(r, documents) {
			return r
		}
	}
	if slices.ContainsFunc(documents, func(d document.Document) bool {
		return d.Resource.Type == kuma.KindMesh && d.Resource.Labels[kuma.LabelOrigin] != ""
	}) {
		return rules.Newest()
	}
	return kuma.Newest2()
}

// hasAll reports whether a release has all kinds, fields and values of documents.
func hasAll(r kuma.Release, documents []document.Document) bool {
	return !slices.ContainsFunc(documents, func(d document.Document) bool {
		if k, older := kinds.FindOlder(d.Resource.Type); older {
			return !k.In(r)
		}
		return d.Described &&
			slices.ContainsFunc(d.Kind.ValidateRelease(d.Resource.Document(), r), func(p def.Problem) bool { return p.Topic == def.Unsupported })
	})
}

// asReadBy returns what a control plane has stored as one of another release reads it:
// without the kinds and fields that it does not have, and with the MeshServices that it
// generates. The text says so, and names what is left out; it is empty if the release has
// stored the resources itself.
func asReadBy(stored []kuma.Resource, cp kuma.ControlPlane, release kuma.Release) (read []kuma.Resource, text string) {
	if release == cp.Release {
		return stored, ""
	}
	after := cp
	after.Release = release
	var ignored notRead
	for _, r := range stored {
		k, described := kinds.Find(r.Type)
		if older, ok := kinds.FindOlder(r.Type); ok {
			k, described = older.Kind, true
		}
		switch {
		case !described:
		case !k.In(release):
			ignored.add(r, "")
			continue
		default:
			r = kinds.ReadGenerated(r.Clone(), after)
			k.DropUnsupportedDefaults(r.Body, release)
			backends := tree.Root(r.Body).Get("networking", "transparentProxying", "reachableBackends", "refs").Items()
			byName := phrase.Each(backends, func(n tree.Node) any { return n.Get("name").Value() })
			for _, at := range k.DropUnsupported(r.Body, release) {
				ignored.add(r, index.ReplaceAllString(at.String(), "[]")+" of ")
			}
			for i, n := range backends {
				if byName[i] != nil { // such a reference selects nothing, and one without a name everything
					tree.Object(n.Value())["name"] = byName[i]
				}
			}
		}
		read = append(read, r)
	}
	text = fmt.Sprintf("Computed as Kuma %s reads what Kuma %s has stored.", release, cp.Release)
	if ignored != nil {
		text += fmt.Sprintf(" It does not read %s.", ignored)
	}
	return withGenerated(stored, read, cp, after), text
}

// withoutDefaults returns what a control plane has stored without the defaults of fields that another
// release does not have.
func withoutDefaults(stored []kuma.Resource, release kuma.Release) []kuma.Resource {
	out := slices.Clone(stored)
	for i, r := range out {
		if k, described := kinds.Find(r.Type); described {
			out[i] = r.Clone()
			k.DropUnsupportedDefaults(out[i].Body, release)
		}
	}
	return out
}

var index = regexp.MustCompile(`\[\d+\]`)

// notRead are resources of which a release does not read everything, by kind and by what
// it does not read of them, as the beginning of a phrase.
type notRead map[[2]string][]kuma.Resource

func (n *notRead) add(r kuma.Resource, what string) {
	if *n == nil {
		*n = notRead{}
	}
	at := [2]string{r.Type, what}
	if all := (*n)[at]; len(all) == 0 || all[len(all)-1].Key() != r.Key() {
		(*n)[at] = append(all, r)
	}
}

// String lists them in words.
func (n notRead) String() string {
	const most = 8
	var texts []string
	for _, at := range slices.SortedFunc(maps.Keys(n), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		resources := n[at]
		text := at[1] + resources[0].Key().Local()
		if len(resources) > 1 {
			text = fmt.Sprintf("%s%d resources of kind %s", at[1], len(resources), at[0])
		}
		texts = append(texts, text)
	}
	return phrase.Some(texts, most, "")
}
