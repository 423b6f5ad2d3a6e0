package store

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// maxListReads is how many lists are read at a time. A control plane sorts all
// resources of a kind for each page, so that more would only keep it busy.
const maxListReads = 4

// maxSingleReads is how many resources of a kind and mesh are read one by one. Any
// more are read from a list, which takes a request per thousand resources.
const maxSingleReads = 8

// listCache remembers what a control plane stores, so that reading many resources
// takes few requests. A write invalidates it. The resources that it returns must
// not be modified.
type listCache struct {
	mu          sync.Mutex
	collections map[collectionKey]*collection
}

// collectionKey names all resources of a kind in a mesh; the mesh is empty for
// kinds outside meshes.
type collectionKey struct{ kind, mesh string }

// collection is read by one goroutine at a time, so that concurrent readers share
// one response.
type collection struct {
	mu         sync.Mutex
	reads      int
	unlistable bool // the control plane refuses to list
	listed     bool
	resources  []kuma.Resource
	byName     map[string]kuma.Resource
	written    map[string]bool // names written since the list was read
}

func (l *listCache) collection(k def.Kind, meshName string) *collection {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := collectionKey{k.Name, meshName}
	c, ok := l.collections[key]
	if !ok {
		c = &collection{}
		if l.collections == nil {
			l.collections = map[collectionKey]*collection{}
		}
		l.collections[key] = c
	}
	return c
}

// forget invalidates the cache after a write. A write outside meshes may affect any
// mesh.
func (l *listCache) forget(k def.Kind, key kuma.Key) {
	if k.Scope == def.Global {
		l.clear()
		return
	}
	c := l.collection(k, key.Mesh)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.written == nil {
		c.written = map[string]bool{}
	}
	c.written[key.Name] = true
}

func (l *listCache) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.collections = nil
}

// get is [controlplane.Client.Get], from a list when many resources are read. If the
// control plane refuses to list, it reads the single resource.
func (l *listCache) get(ctx context.Context, from reader, k def.Kind, key kuma.Key) (kuma.Resource, error) {
	c := l.collection(k, key.Mesh)
	r, known, found := c.find(ctx, l, from, k, key)
	switch {
	case !known:
		return from.get(ctx, k, key)
	case !found:
		return kuma.Resource{}, &controlplane.NotFoundError{}
	default:
		return r, nil
	}
}

// find returns a resource from the list, and reads the list when that pays off. known
// is false when the list does not decide whether the resource exists.
func (c *collection) find(ctx context.Context, l *listCache, from reader, k def.Kind, key kuma.Key) (r kuma.Resource, known, found bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reads++
	if !c.listed && c.reads > maxSingleReads && !c.unlistable {
		c.unlistable = c.read(ctx, l, from, k, key.Mesh) != nil && ctx.Err() == nil
	}
	r, found = c.byName[key.Name]
	return r, c.listed && !c.written[key.Name], found
}

// all returns all resources of the collection; none when the mesh is missing.
func (c *collection) all(ctx context.Context, l *listCache, from reader, k def.Kind, meshName string) ([]kuma.Resource, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.listed && len(c.written) == 0 {
		return c.resources, nil
	}
	err := c.read(ctx, l, from, k, meshName)
	return c.resources, err
}

// read reads the list. The list of a missing mesh is empty. Any other list that is not found is
// an error, because an empty one would mean that all resources of the kind were deleted.
func (c *collection) read(ctx context.Context, l *listCache, from reader, k def.Kind, meshName string) error {
	resources, err := from.list(ctx, k, meshName)
	if missing, ok := errors.AsType[*controlplane.NotFoundError](err); ok {
		_, err = l.get(ctx, from, kinds.Mesh, kuma.MeshKey(meshName))
		if !missing.Mesh || err == nil {
			return &controlplane.UnexpectedAnswerError{
				Call: missing.Call, Status: http.StatusNotFound, Reason: "the control plane has this list, and responds that it is not found",
			}
		}
	}
	if err != nil && !IsNotFound(err) {
		return err
	}
	c.byName = make(map[string]kuma.Resource, len(resources))
	for _, r := range resources {
		c.byName[r.Name] = r
	}
	c.listed, c.resources, c.written = true, resources, nil
	return nil
}

// Forget discards the cache, because other clients may have changed what is stored.
func (s *Store) Forget() { s.lists.clear() }

// CurrentMeshResources is [Store.MeshResources] without the cache.
func (s *Store) CurrentMeshResources(ctx context.Context, meshName string, selected []def.Kind) ([]kuma.Resource, error) {
	s.Forget()
	return s.MeshResources(ctx, meshName, selected)
}

// MeshResources returns the resources of the given kinds that belong to a mesh:
// those in it, the mesh itself, and those outside meshes. A mesh or kind that the
// control plane does not have is omitted. The resources must not be modified.
func (s *Store) MeshResources(ctx context.Context, meshName string, selected []def.Kind) ([]kuma.Resource, error) {
	parts := make([][]kuma.Resource, len(selected))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(maxListReads)
	for i, k := range selected {
		if !s.Has(k) { // the error for it is not remembered
			continue
		}
		group.Go(func() error {
			part, err := s.lists.ofMesh(ctx, s.reader, s.served(k), meshName)
			if err != nil && !IsNotFound(err) { // the mesh
				return err
			}
			parts[i] = part
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return slices.Concat(parts...), nil
}

func (l *listCache) ofMesh(ctx context.Context, from reader, k def.Kind, meshName string) ([]kuma.Resource, error) {
	switch {
	case k.Name == kuma.KindMesh:
		r, err := l.get(ctx, from, k, kuma.Key{Type: k.Name, Name: meshName})
		if err != nil {
			return nil, err
		}
		return []kuma.Resource{r}, nil
	case k.Scope == def.Global:
		return l.collection(k, "").all(ctx, l, from, k, "")
	default:
		return l.collection(k, meshName).all(ctx, l, from, k, meshName)
	}
}
