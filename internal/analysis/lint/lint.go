package lint

import (
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma3"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// check finds the problems with one code.
type check struct {
	Code
	find func(m *mesh, report func(Finding))
}

// Group is a group of codes, which the documentation describes on one page.
type Group struct {
	Page   string // name of the page among the guides
	Title  string
	checks []check
}

// Groups returns all checks of [Mesh] in the order of the documentation.
func Groups() []Group {
	return []Group{
		{"lint-references", "Lint findings: references", []check{
			{danglingTarget, findDanglingTarget},
			{danglingSection, findDanglingSection},
			{danglingBackend, findDanglingBackend},
			{ambiguousBackend, findAmbiguousBackend},
			{backendWithoutNamespace, findBackendWithoutNamespace},
			{portlessBackend, findPortlessBackend},
			{danglingOutbound, findDanglingOutbound},
			{patchMatchesNothing, findPatchMatchesNothing},
		}},
		{"lint-selection", "Lint findings: selection", []check{
			{selectsNoProxy, findSelectsNoProxy},
			{selectsNothing, findSelectsNothing},
			{portWithoutInbound, findPortWithoutInbound},
			{generatorSelectsNothing, findGeneratorSelectsNothing},
			{disjointProxies, findDisjointProxies},
			{shadowedTag, findShadowedTag},
			{unreachableDestination, findUnreachableDestination},
			{unreachableExternal, findUnreachableExternal},
		}},
		{"lint-access", "Lint findings: identity and access", []check{
			{fromIgnored, findFromIgnored},
			{noIdentity, findNoIdentity},
			{identityNotReady, findIdentityNotReady},
			{noSPIFFEID, findNoSPIFFEID},
			{exactNeverMatches, findExactNeverMatches},
			{matchesNoClient, findMatchesNoClient},
			{prefixTooWide, findPrefixTooWide},
			{clientRefused, findClientRefused},
		}},
		{"lint-routes", "Lint findings: routes", []check{
			{ignoredOnRoute, findIgnoredOnRoute},
			{lostOnRoute, findLostOnRoute},
			{routeEntryByTags, findRouteEntryByTags},
			{topLevelRoute, findTopLevelRoute},
			{routeUnreachable, findRouteUnreachable},
			{rewriteJoins, findRewriteJoins},
			{requestWithoutRoute, findRequestWithoutRoute},
			{severalDestinations, findSeveralDestinations},
		}},
		{"lint-settings", "Lint findings: settings and precedence", []check{
			{proxiesFrozen, findProxiesFrozen},
			{harmful, findHarmful},
			{overridden, findOverridden},
			{decidedByName, findDecidedByName},
			{unstableOrder, findUnstableOrder},
			{wrongProtocol, findWrongProtocol},
			{questionable, findQuestionable},
			{noRetries, findNoRetries},
			{deprecated, findDeprecated},
			{olderKinds, findOlderKinds},
		}},
	}
}

// Mesh returns the errors and ineffective settings in one mesh of a snapshot.
//
// The findings are sorted by severity, worst first, then by code, resource and path.
func Mesh(s *rules.Snapshot, meshName string) []Finding {
	m := newMesh(s, meshName)
	var all []check
	for _, g := range Groups() {
		all = append(all, g.checks...)
	}
	found := make([][]Finding, len(all))
	inParallel(len(all), func(i int) {
		all[i].find(m, func(f Finding) { found[i] = append(found[i], f) })
	})
	findings := slices.Concat(found...)
	slices.SortStableFunc(findings, compareFindings)
	return findings
}

// inParallel calls do for each position, no more at a time than run at once: what they keep in
// memory adds up.
func inParallel(n int, do func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	wg.Wait()
}

// Kinds returns the kinds that [Mesh] and [Kuma3] analyze: all except secrets, which only
// administrators can read, and the older ones.
func Kinds() []def.Kind {
	analyzed := slices.DeleteFunc(kinds.All(), func(k def.Kind) bool { return len(k.SecretFields()) > 0 })
	return append(analyzed, kinds.Older()...)
}

// Codes returns the codes of the group.
func (g Group) Codes() []Code {
	return phrase.Each(g.checks, func(c check) Code { return c.Code })
}

// Codes returns the codes of all groups.
func Codes() []Code {
	var codes []Code
	for _, g := range Groups() {
		codes = append(codes, g.Codes()...)
	}
	return codes
}

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
