package impact

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// Frozen are proxies for which the control plane cannot generate a configuration after the
// change, although it can before.
type Frozen struct {
	Dataplanes []string // sorted
	request.Frozen
}

// frozen returns the proxies that the change freezes, by the setting that is the reason.
func (c *comparison) frozen() ([]Frozen, error) {
	if !c.after.exists() {
		return nil, nil
	}
	before, after := request.New(c.before.Snapshot), request.New(c.after.Snapshot)
	var out []Frozen
	for _, name := range c.after.dataplanes {
		now, err := after.Frozen(c.after.mesh, name)
		if err != nil {
			return nil, err
		}
		if now == nil {
			continue
		}
		if _, exists := slices.BinarySearch(c.before.dataplanes, name); exists {
			if was, err := before.Frozen(c.before.mesh, name); was != nil || err != nil {
				continue
			}
		}
		same := func(f Frozen) bool {
			return f.Resource == now.Resource && f.Reason == now.Reason && f.Path.String() == now.Path.String()
		}
		i := slices.IndexFunc(out, same)
		if i < 0 {
			i = len(out)
			out = append(out, Frozen{Frozen: *now})
		}
		out[i].Dataplanes = append(out[i].Dataplanes, name)
	}
	return out, nil
}

func (i Impact) writeFrozen(b *strings.Builder) {
	for _, f := range i.Frozen {
		fmt.Fprintf(b, "\n%s, because %s (%s %q, `%s`). They keep the configuration that they have, and get no update at all. %s\n",
			phrase.Some(f.Dataplanes, maxNames, "dataplanes")+" can no longer be configured", f.Reason, f.Resource.Type, f.Resource.Name, f.Path, f.Advice)
	}
}
