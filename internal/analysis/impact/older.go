package impact

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
)

// findOlder finds the resources of older kinds, which no release from 3.0 on has.
func (i *Impact) findOlder(before, after *snapshot) {
	kuma3 := before.Release().Kuma3() && after.Release().Kuma3()
	for _, k := range kinds.Older() {
		for _, r := range after.Resources(after.mesh, k.Name) {
			if !kuma3 {
				i.older = append(i.older, r.Key())
			}
		}
	}
	for _, d := range differences(before, after) {
		if _, ok := kinds.FindOlder(d.key.Type); ok && d.inBody && !kuma3 {
			i.olderChanged = append(i.olderChanged, d.key)
		}
	}
	i.older = slices.DeleteFunc(i.older, func(key kuma.Key) bool { return slices.Contains(i.olderChanged, key) })
}

// IsUncertain reports whether resources change that are not compared.
func (i Impact) IsUncertain() bool { return len(i.olderChanged) > 0 }

// writeOlder names what is not compared.
func (i Impact) writeOlder(b *strings.Builder) {
	if i.IsUncertain() {
		fmt.Fprintf(b, "\nNot considered, although changed: %s. This provider does not evaluate older kinds.\n", proxy.NameOlder(i.olderChanged))
	}
	if len(i.older) > 0 {
		fmt.Fprintf(b, "\nNot considered: %s.\n", proxy.NameOlder(i.older))
	}
}
