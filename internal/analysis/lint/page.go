package lint

import (
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma3"
)

// Kuma3Group is a group of conditions, which the documentation describes on one page.
type Kuma3Group struct {
	Page       string // name of the page among the guides
	Title      string
	Conditions []kuma3.Condition
}

// Kuma3Groups returns all conditions of [Kuma3], by their effect.
func Kuma3Groups() []Kuma3Group {
	group := func(page, title string, effects ...kuma3.Effect) Kuma3Group {
		others := func(c kuma3.Condition) bool { return !slices.Contains(effects, c.Effect) }
		return Kuma3Group{page, title, slices.DeleteFunc(slices.Clone(kuma3.Conditions()), others)}
	}
	return []Kuma3Group{
		group("kuma-3-outages", "Upgrade findings: traffic fails", kuma3.Outage),
		group("kuma-3-security", "Upgrade findings: weaker security and wider policies", kuma3.Security, kuma3.Widens),
		group("kuma-3-settings", "Upgrade findings: settings no longer apply", kuma3.Changes),
		group("kuma-3-writes", "Upgrade findings: writes fail, or nothing changes", kuma3.Rejects, kuma3.Cosmetic),
	}
}

// PageOf returns the name of the guide that describes a code, with the anchor of its section,
// such as lint-routes#lost-on-route. It is empty for an unknown code.
func PageOf(code string) string {
	for _, g := range Groups() {
		if slices.ContainsFunc(g.Codes(), func(c Code) bool { return c.Code == code }) {
			return g.Page + "#" + code
		}
	}
	for _, g := range Kuma3Groups() {
		if slices.ContainsFunc(g.Conditions, func(c kuma3.Condition) bool { return c.ID == code }) {
			return g.Page + "#" + strings.ToLower(code)
		}
	}
	return ""
}
