package request

import (
	"fmt"
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
	if len(all) == 0 {
		return ""
	}
	setting := func(d Default) string {
		return fmt.Sprintf("\n    %s: %s = %s (%s)", d.Kind, d.Path, strings.Trim(phrase.JSON(d.Value), `"`), d.Origin)
	}
	settings := func(of []Default) string { return strings.Join(phrase.Each(of, setting), "") }
	groups := phrase.Each(phrase.Grouped(phrase.Grouped(all, Default.where), settings), func(same [][]Default) string {
		where := phrase.Each(same, func(of []Default) string { return of[0].where() })
		return "\n  " + phrase.Some(where, maxNames, "") + settings(same[0])
	})
	return "Settings that no policy sets" + strings.Join(groups, "")
}
