package request

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// where names the destination or the inbound.
func (d Default) where() string {
	inbound := "inbound " + d.Inbound.String()
	if d.To.Number == 0 {
		return inbound
	}
	to := fmt.Sprintf("to %s, port %d", kuma.Describe(d.To.Resource.Type, d.To.Resource.Name, ""), d.To.Number)
	if d.Inbound.Port != 0 {
		return inbound + " " + to
	}
	return to
}

// DefaultsText describes defaults, once for all destinations and inbounds that have the same.
// It is empty if there are none.
func DefaultsText(all []Default) string {
	type group struct {
		where    []string
		settings []string
	}
	var groups []group
	for len(all) > 0 {
		g := group{where: []string{all[0].where()}}
		for len(all) > 0 && all[0].where() == g.where[0] {
			g.settings = append(g.settings, fmt.Sprintf("%s: %s = %s (%s)", all[0].Kind, all[0].Path, strings.Trim(phrase.JSON(all[0].Value), `"`),
				all[0].Origin))
			all = all[1:]
		}
		i := slices.IndexFunc(groups, func(other group) bool { return slices.Equal(other.settings, g.settings) })
		if i < 0 {
			groups = append(groups, g)
			continue
		}
		groups[i].where = append(groups[i].where, g.where...)
	}
	if len(groups) == 0 {
		return ""
	}
	lines := []string{"Settings that no policy sets"}
	for _, g := range groups {
		lines = append(lines, "  "+phrase.Some(g.where, maxNames, ""))
		for _, s := range g.settings {
			lines = append(lines, "    "+s)
		}
	}
	return strings.Join(lines, "\n")
}
