package main

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// sites are the control planes that store worlds: one, or a global one, which
// comes first, and those of its zones.
type sites struct {
	all   []*server
	zones map[string]*server // by name; none for a single control plane
}

// answering returns the control plane that a world is recorded from.
func (d *sites) answering(w *world) *server {
	if s, ok := d.zones[w.zone]; ok {
		return s
	}
	return d.all[0]
}

// possession is a resource as its owner stores it.
type possession struct {
	owner    *server
	resource object
}

// store writes the resources of worlds to the control planes that own them. Rejected
// resources are missing in the recording.
func (d *sites) store(ctx context.Context, worlds []*world) error {
	meshes, resources := d.possessions(worlds)
	if err := parallel(meshes, func(p possession) error { return p.put(ctx) }); err != nil {
		return err
	}
	if err := d.awaitMeshes(ctx, worlds); err != nil {
		return err
	}
	return parallel(resources, func(mesh []possession) error {
		for _, p := range mesh {
			if err := p.put(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

func (p possession) put(ctx context.Context) error {
	path, err := pathOf(p.resource)
	if err != nil {
		return err
	}
	_, err = p.owner.put(ctx, path, p.resource)
	return err
}

// possessions returns the meshes of worlds, and the other resources by mesh, in the
// order in which they are stored. One that several worlds show is stored once, as the
// world shows it that was recorded from its owner.
func (d *sites) possessions(worlds []*world) (meshes []possession, resources [][]possession) {
	type identity struct {
		owner *server
		key   kuma.Key
	}
	seen := map[identity]int{}
	var list []possession
	for _, w := range worlds {
		for _, r := range w.resources {
			owner, resource := d.owned(w, r)
			id := identity{owner, key(resource)}
			i, ok := seen[id]
			switch {
			case !ok:
				seen[id] = len(list)
				list = append(list, possession{owner, resource})
			case d.answering(w) == owner:
				list[i].resource = resource
			}
		}
	}
	slices.SortStableFunc(list, func(a, b possession) int {
		return cmp.Or(cmp.Compare(generated(a.resource), generated(b.resource)), cmp.Compare(rank(a.resource), rank(b.resource)))
	})
	byMesh := map[string]int{}
	for _, p := range list {
		mesh := tree.Text(p.resource["mesh"])
		if mesh == "" {
			meshes = append(meshes, p)
			continue
		}
		i, ok := byMesh[mesh]
		if !ok {
			i = len(resources)
			byMesh[mesh] = i
			resources = append(resources, nil)
		}
		resources[i] = append(resources[i], p)
	}
	return meshes, resources
}

// generated is 1 for a MeshService that a control plane generates from Dataplanes. It is
// stored after them, because it is marked for deletion while they are missing.
func generated(r object) int {
	if tree.StringMap(r["labels"])[kuma.LabelManagedBy] == "meshservice-generator" {
		return 1
	}
	return 0
}

// rank is the place of a resource's kind in a world.
func rank(r object) int {
	return slices.IndexFunc(worldKinds(), func(k def.Kind) bool { return k.Name == tree.Text(r["type"]) })
}

// owned returns the control plane that owns a resource, and the resource as it
// is stored there.
func (d *sites) owned(w *world, r object) (*server, object) {
	if len(d.zones) == 0 {
		return d.all[0], r
	}
	labels := maps.Clone(tree.Object(r["labels"]))
	zone := tree.Text(labels[kuma.LabelZone])
	owner, ok := d.zones[zone]
	switch {
	case ok && zone == w.zone: // it is recorded from its owner
		return owner, r
	case ok:
		labels[kuma.LabelOrigin] = kuma.OriginZone
	default:
		owner = d.all[0]
	}
	if labels == nil {
		return owner, r
	}
	name := named(r)
	if labels[kuma.LabelK8sNamespace] == nil {
		delete(labels, kuma.LabelDisplayName)
	}
	r = maps.Clone(r)
	r["name"], r["labels"] = name, labels
	return owner, r
}

// named returns the name of a resource on the control plane that owns it. Other control
// planes store it with a name that is derived from its display name.
func named(r object) string {
	labels := tree.StringMap(r["labels"])
	name := labels[kuma.LabelDisplayName]
	if namespace := labels[kuma.LabelK8sNamespace]; namespace != "" {
		name += "." + namespace
	}
	if name == "" || strings.HasPrefix(name, ".") {
		return tree.Text(r["name"])
	}
	return name
}

// awaitMeshes returns when all control planes have the meshes of worlds.
func (d *sites) awaitMeshes(ctx context.Context, worlds []*world) error {
	for _, w := range worlds {
		for _, s := range d.all {
			if err := s.awaitResource(ctx, "/meshes/"+w.mesh); err != nil {
				return err
			}
		}
	}
	return nil
}
