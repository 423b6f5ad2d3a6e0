package lint

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// check finds the problems with one code.
type check struct {
	Code
	find func(m *mesh) []Finding
}

// checks lists all checks in the order of the documentation.
func checks() []check {
	return []check{
		{danglingTarget, findDanglingTarget},
		{danglingSection, findDanglingSection},
		{danglingBackend, findDanglingBackend},
		{ambiguousBackend, findAmbiguousBackend},
		{backendWithoutNamespace, findBackendWithoutNamespace},
		{portlessBackend, findPortlessBackend},
		{danglingOutbound, findDanglingOutbound},
		{unreachableDestination, findUnreachableDestination},
		{unreachableExternal, findUnreachableExternal},
		{selectsNoProxy, findSelectsNoProxy},
		{selectsNothing, findSelectsNothing},
		{portWithoutInbound, findPortWithoutInbound},
		{generatorSelectsNothing, findGeneratorSelectsNothing},
		{patchMatchesNothing, findPatchMatchesNothing},
		{disjointProxies, findDisjointProxies},
		{shadowedTag, findShadowedTag},
		{fromIgnored, findFromIgnored},
		{noIdentity, findNoIdentity},
		{noSPIFFEID, findNoSPIFFEID},
		{exactNeverMatches, findExactNeverMatches},
		{matchesNoClient, findMatchesNoClient},
		{prefixTooWide, findPrefixTooWide},
		{clientRefused, findClientRefused},
		{overridden, findOverridden},
		{decidedByName, findDecidedByName},
		{unstableOrder, findUnstableOrder},
		{proxiesFrozen, findProxiesFrozen},
		{harmful, findHarmful},
		{ignoredOnRoute, findIgnoredOnRoute},
		{lostOnRoute, findLostOnRoute},
		{routeEntryByTags, findRouteEntryByTags},
		{topLevelRoute, findTopLevelRoute},
		{wrongProtocol, findWrongProtocol},
		{routeUnreachable, findRouteUnreachable},
		{rewriteJoins, findRewriteJoins},
		{requestWithoutRoute, findRequestWithoutRoute},
		{severalDestinations, findSeveralDestinations},
		{noRetries, findNoRetries},
		{questionable, findQuestionable},
		{deprecated, findDeprecated},
		{olderKinds, findOlderKinds},
	}
}

// Mesh returns the errors and ineffective settings in one mesh of a snapshot.
//
// The findings are sorted by severity, worst first, then by code, resource and path.
func Mesh(s *rules.Snapshot, meshName string) []Finding {
	m := newMesh(s, meshName)
	all := checks()
	found := make([][]Finding, len(all))
	inParallel(len(all), func(i int) { found[i] = all[i].find(m) })
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

// Codes returns all codes of [Mesh] in the order of the documentation.
func Codes() []Code {
	var codes []Code
	for _, c := range checks() {
		codes = append(codes, c.Code)
	}
	return codes
}
