package main

import (
	"bytes"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// world is a recorded world: see internal/rules/testdata/golden/README.md.
type world struct {
	testworld.World
	before, files map[string][]byte // by name, as recorded before and now
}

func (w *world) changed() bool { return !maps.EqualFunc(w.before, w.files, bytes.Equal) }

// worldSet are the worlds of one place.
type worldSet struct {
	place  string // a directory, or an archive
	worlds []*world
}

func (set worldSet) archived() bool { return strings.HasSuffix(set.place, ".tar.gz") }

// readWorlds reads the worlds in a directory and in the archives there.
func readWorlds(dir string) ([]worldSet, error) {
	places, err := filepath.Glob(filepath.Join(dir, "*.tar.gz"))
	if err != nil {
		return nil, err
	}
	var sets []worldSet
	for _, place := range append([]string{dir}, places...) {
		files := testworld.WorldFiles{}
		if err := files.Read(place); err != nil {
			return nil, err
		}
		set := worldSet{place: place}
		for _, name := range slices.Sorted(maps.Keys(files)) {
			w, err := testworld.ParseWorld(name, files[name])
			if err != nil {
				return nil, err
			}
			set.worlds = append(set.worlds, &world{w, files[name], files[name]})
		}
		sets = append(sets, set)
	}
	return sets, nil
}

// update writes the resources and answers of a control plane into the files of the world.
// A file stays as it is if its content is the same.
func (w *world) update(got reading) error {
	answers := map[string]any{}
	for dataplane, answer := range got.answers {
		answers[dataplane] = keep("", w.Answers[dataplane], answer)
	}
	files, err := oracle.EncodeWorld(testworld.World{Resources: got.stored, Answers: answers}, nil)
	if err != nil {
		return err
	}
	for name, data := range w.before {
		dataplane, isAnswer := strings.CutPrefix(strings.TrimSuffix(name, ".json"), "rules.")
		switch {
		case isAnswer:
			if answer, ok := answers[dataplane]; ok && tree.Equal(w.Answers[dataplane], answer) {
				files[name] = data
			}
		case name != "resources.yaml" || oracle.Fingerprint(w.Resources) == oracle.Fingerprint(got.stored):
			files[name] = data
		}
	}
	w.files = files
	return nil
}

// owned returns the control plane that owns a resource, and the resource as it is stored
// there.
func owned(d *oracle.Deployment, w *world, r kuma.Resource) oracle.Write {
	if len(d.Sites) == 1 {
		return oracle.Write{Owner: d.Sites[0], Resource: r}
	}
	owner := d.Zone(r.Zone())
	if owner == d.Sites[0] || r.Zone() != w.Zone { // not recorded from its owner
		r = renamed(r.Clone())
		if owner != d.Sites[0] {
			r.Labels[kuma.LabelOrigin] = kuma.OriginZone
		}
	}
	return oracle.Write{Owner: owner, Resource: r}
}

// renamed returns a resource with the name that it has on the control plane that owns it.
// Other control planes store it with a name that is derived from its display name.
func renamed(r kuma.Resource) kuma.Resource {
	name := r.Labels[kuma.LabelDisplayName]
	if name != "" {
		r.Name = name
		if namespace := r.Namespace(); namespace != "" {
			r.Name += "." + namespace
		}
	}
	if r.Namespace() == "" {
		delete(r.Labels, kuma.LabelDisplayName)
	}
	return r
}
