package lint

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// check looks for one kind of finding.
type check struct {
	Code
	find func(m *mesh) []Finding
}

// checks lists all that is looked for, in the order of the documentation.
func checks() []check {
	return []check{
		{danglingTarget, findDanglingTarget},
		{danglingSection, findDanglingSection},
		{danglingBackend, findDanglingBackend},
		{ambiguousBackend, findAmbiguousBackend},
		{portlessBackend, findPortlessBackend},
		{selectsNoProxy, findSelectsNoProxy},
		{disjointProxies, findDisjointProxies},
		{shadowedTag, findShadowedTag},
		{overridden, findOverridden},
		{decidedByName, findDecidedByName},
		{unstableOrder, findUnstableOrder},
		{harmful, findHarmful},
		{ignoredOnRoute, findIgnoredOnRoute},
		{lostOnRoute, findLostOnRoute},
		{severalDestinations, findSeveralDestinations},
		{questionable, findQuestionable},
		{deprecated, findDeprecated},
	}
}

// Mesh returns what is wrong or dead in one mesh of a snapshot.
//
// The findings come in a stable order: by severity, worst first, then by code,
// resource and path.
func Mesh(s *rules.Snapshot, meshName string) []Finding {
	m := newMesh(s, meshName)
	var findings []Finding
	for _, c := range checks() {
		findings = append(findings, c.find(m)...)
	}
	slices.SortStableFunc(findings, compareFindings)
	return findings
}

// Kinds returns the kinds that [Mesh] looks at: all but those that are nothing but
// a secret, which only administrators may read.
func Kinds() []def.Kind {
	return slices.DeleteFunc(kinds.All(), func(k def.Kind) bool { return len(k.SecretFields()) > 0 })
}

// Codes returns every kind of finding, in the order of the documentation.
func Codes() []Code {
	var codes []Code
	for _, c := range checks() {
		codes = append(codes, c.Code)
	}
	return codes
}
