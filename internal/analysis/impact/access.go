package impact

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/access"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

const maxAccess = 10 // sentences about who can or cannot call services

// decidesAccess are the kinds that decide who can connect.
var decidesAccess = []string{kuma.KindMesh, kuma.KindDataplane, kuma.KindMeshService, kinds.MeshIdentity.Name, kinds.MeshTrafficPermission.Name, kinds.MeshTLS.Name}

// access returns which clients can call services after the change only, and which could do
// so before it only.
func (c *comparison) access() (gained, lost []access.Change, err error) {
	decides := func(d difference) bool { return slices.Contains(decidesAccess, d.key.Type) }
	if !c.before.exists() || !c.after.exists() || !slices.Contains(c.types, kinds.MeshTrafficPermission.Name) ||
		c.before.Release() == c.after.Release() && !slices.ContainsFunc(c.differences, decides) {
		return nil, nil, nil
	}
	matrices := make([]access.Matrix, 2)
	err = inParallel(len(matrices), func(i int) error {
		var err error
		matrices[i], err = access.Of([]*snapshot{c.before, c.after}[i].proxies, access.Filter{})
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	for _, change := range access.Compare(matrices[0], matrices[1]) {
		if change.Gained() {
			gained = append(gained, change)
		} else {
			lost = append(lost, change)
		}
	}
	return gained, lost, nil
}

// writeAccess writes who can no longer call services, and who can call them now, each with
// the same reason once.
func (i Impact) writeAccess(b *strings.Builder) {
	for _, list := range []struct {
		changes   []access.Change
		verb, way string
	}{{i.AccessLost, "can no longer call", "lose access"}, {i.AccessGained, "can now call", "gain access"}} {
		var sentences []string
		ports := map[string][]string{} // by sentence
		for _, c := range list.changes {
			sentence := phrase.Some(c.Clients, maxNames, "clients") + " " + list.verb + " %s (" + c.After.By()
			if !c.Reachable {
				sentence += "; no outbound"
			}
			if ports[sentence] == nil {
				sentences = append(sentences, sentence)
			}
			ports[sentence] = append(ports[sentence], fmt.Sprintf("%s port %d", c.Port.Resource.Name, c.Port.Number))
		}
		for n, sentence := range sentences {
			if n == 0 {
				b.WriteString("\n")
			}
			if n == maxAccess {
				fmt.Fprintf(b, "%s to services.\n", phrase.More(len(sentences)-n, "groups of clients "+list.way))
				break
			}
			fmt.Fprintf(b, "%s)\n", strings.Replace(sentence, "%s", phrase.Some(ports[sentence], maxNames, "ports"), 1))
		}
	}
}
