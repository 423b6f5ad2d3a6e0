package rules

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// Newest returns the newest release of Kuma whose matching is known.
func Newest() kuma.Release { return kuma.Release{Major: 3} }

// Compared returns the minor releases with whose control planes answers were compared
// (versions.md §5). How the releases in between match policies is only documented.
func Compared() []kuma.Release {
	return []kuma.Release{{Major: 2, Minor: 9}, {Major: 2, Minor: 11}, kuma.Newest2(), Newest()}
}

// Known returns the release as which a [Snapshot] for another one matches: itself, the
// newest of its major release if it is newer than that, [kuma.Newest2] if it is unknown,
// and the oldest if it is older than all.
func Known(r kuma.Release) kuma.Release {
	minor, oldest := kuma.Release{Major: r.Major, Minor: r.Minor}, Compared()[0]
	switch {
	case minor.Compare(Newest()) > 0:
		return Newest()
	case r == kuma.Release{} || !r.Kuma3() && minor.Compare(kuma.Newest2()) > 0:
		return kuma.Newest2()
	case r.Compare(oldest) < 0:
		return oldest
	default:
		return r
	}
}

// matching is how a release of Kuma matches policies, as far as releases treat the
// same documents differently (versions.md §5). It is chosen once for a [Snapshot].
// What a release cannot store, such as a newer kind of reference, is not part of it.
type matching struct {
	release            kuma.Release
	byLabels           bool          // only labels select: there are no tags, names and `from` (release3.md §4)
	gatewayInZone      bool          // a builtin gateway gets the policies of its own zone, see [NewSnapshotOfProxies]
	gatewayByDataplane bool          // kind Dataplane selects delegated gateways (M9b)
	inboundByNumber    bool          // its sectionName can be the number of an unnamed inbound (M9)
	ignoredInbounds    bool          // inbounds with the state Ignored are selected (M13)
	sections           sectionSearch // M4, M10

	plainToRules bool // rules in `to` by one tag have no negations (M1)
	byCliques    bool // rules by tags combine only entries that do not contradict each other (M12)

	// permissions in `from` apply beside `rules` and with a MeshIdentity; stated for
	// 2.14.5, not measured (matching.md §7.5).
	fromBesideRules bool

	inbound       inboundForm // M3, M8, M15
	namedInbounds bool        // an answer contains the names of inbounds (M5)

	healthChecksFirst  bool // MeshHealthCheck is processed before MeshCircuitBreaker (M18)
	listsResourceRules bool // the API lists what only occurs in rules by resource (M14, M17)
}

func matchingOf(r kuma.Release) *matching {
	m := &matching{
		release:            r,
		byLabels:           r.Kuma3(),
		gatewayByDataplane: r.Has("2.14", "2.13.3", "2.12.8"),
		inboundByNumber:    r.Has("2.12"),
		ignoredInbounds:    r.Has("2.14", "2.13.5", "2.12.10", "2.11.16", "2.9.15"),
		sections:           sectionsByText,
		plainToRules:       r.Has("2.10.1", "2.9.5"),
		byCliques:          r.Has("2.13.1", "2.12.6", "2.11.9", "2.10.10", "2.9.11"),
		fromBesideRules:    r.Has("2.14.5"),
		inbound:            inboundByMatch,
		namedInbounds:      r.Has("2.10"),
		healthChecksFirst:  r.Has("2.10"),
		listsResourceRules: r.Has("2.14"),
	}
	if !r.Has("2.14") {
		m.inbound = inboundByEntry
	}
	if !r.Has("2.12") {
		m.sections, m.inbound = sectionsByNumber, inboundMerged
	}
	if !r.Has("2.10") {
		m.sections, m.inbound = sectionsAsWritten, inboundNone
	}
	return m
}

// parse reads the fields of a reference that the release has.
func (m *matching) parse(v any) kuma.TargetRef {
	ref := kuma.ParseTargetRef(v)
	if m.byLabels {
		ref = kuma.TargetRef{Kind: ref.Kind, Labels: ref.Labels, SectionName: ref.SectionName}
	}
	return ref
}

// policyKinds returns the kinds of policies in the order in which they are processed.
func (m *matching) policyKinds() []def.Kind {
	policies := kinds.Policies()
	if !m.healthChecksFirst {
		i := slices.IndexFunc(policies, func(k def.Kind) bool { return k.Name == kinds.MeshHealthCheck.Name })
		policies[i], policies[i+1] = policies[i+1], policies[i]
	}
	return policies
}

// sectionSearch is how the sectionName of an entry of `to` selects a port.
type sectionSearch int

const (
	sectionsByText    sectionSearch = iota // by its name, which is its number if it has none
	sectionsByNumber                       // by its name, or by its number if it has none: 080 is 80
	sectionsAsWritten                      // it is not looked up: every section exists
)

// inboundForm is the form of inbound rules in an answer.
type inboundForm int

const (
	inboundByMatch inboundForm = iota // one for each match of each entry
	inboundByEntry                    // one for each entry
	inboundMerged                     // one for each inbound
	inboundNone
)

// listing returns the part of rules for which the API of the release lists them.
func (m *matching) listing(r PolicyRules) PolicyRules {
	if !m.listsResourceRules {
		r.ToResourceRules = nil
	}
	return r
}

// listed reports whether the API of the release lists rules that are not empty. Before
// 2.14, it counted rules by tags even if it hid them, and inbounds that could have some.
func (r PolicyRules) listed() bool {
	if r.kind == nil {
		return true
	}
	return !r.selected.proxy.mesh.matching.listing(r).empty() ||
		r.kind.Policy.From && len(r.selected.inbounds) > 0 ||
		slices.ContainsFunc(r.selected.policies, func(p *policy) bool { return len(p.toTags) > 0 })
}
