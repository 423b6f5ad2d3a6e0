package connection

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/rollout"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// dataplaneOwners remembers which Dataplanes of a mesh kuma-dp owns.
type dataplaneOwners struct {
	mu     sync.Mutex
	meshes map[string]map[string]bool // by name of the mesh and of the Dataplane
}

// OwnedByProxy reports whether kuma-dp was started with the document of a Dataplane
// (rest-api.md §17.1). It reads the proxies of a mesh once, a request per thousand, and
// reports false if it cannot read them.
func (c *Connection) OwnedByProxy(ctx context.Context, key kuma.Key) bool {
	if key.Type != kuma.KindDataplane || c.Store == nil {
		return false
	}
	c.owners.mu.Lock()
	defer c.owners.mu.Unlock()
	owned, ok := c.owners.meshes[key.Mesh]
	if !ok {
		var err error
		if owned, err = c.readOwned(ctx, key.Mesh); err != nil {
			tflog.Debug(ctx, "cannot read which Dataplanes kuma-dp owns", map[string]any{"mesh": key.Mesh, "error": err.Error()})
		}
		if c.owners.meshes == nil {
			c.owners.meshes = map[string]map[string]bool{}
		}
		c.owners.meshes[key.Mesh] = owned
	}
	return owned[key.Name]
}

func (c *Connection) readOwned(ctx context.Context, mesh string) (map[string]bool, error) {
	owned := map[string]bool{}
	for o, err := range c.Store.Overviews(ctx, kinds.Dataplane, mesh) {
		if err != nil {
			return nil, err
		}
		if p, err := rollout.ReadProxy(kuma.KindDataplane, o.Document); err == nil && p.OwnsDataplane {
			owned[p.Name] = true
		}
	}
	return owned, nil
}
