package lint

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// nameFinders check names, and labels that references use.
var nameFinders = finders{
	"K3-022": findUnlabeled,
	"K3-023": func(m *mesh, report func(problem)) {
		for _, r := range m.resources {
			if r.DisplayName() != r.Name && ownedHere(r) && r.Name != r.DisplayName()+"."+r.Namespace() {
				report(problemAt(r.Key(), "", "labels", kuma.LabelDisplayName))
			}
		}
	},
	"K3-120": func(m *mesh, report func(problem)) {
		for _, r := range m.resources {
			k, _ := kinds.Find(r.Type)
			if k.ZoneOwned == kuma.Always() && r.Labels[kuma.LabelOrigin] == kuma.OriginGlobal && ownedHere(r) && m.isZone() {
				report(problemAt(r.Key(), "", "labels", kuma.LabelOrigin))
			}
		}
	},
}

// syncedName matches names of resources that belong to another control plane
// (rest-api.md §18).
var syncedName = regexp.MustCompile(`-[a-z0-9]{16}$`)

// ownedHere reports whether a resource belongs to the control plane that stores it: the name of a copy
// is its display name, which may end so as well, with a suffix.
func ownedHere(r *kuma.Resource) bool {
	suffix := syncedName.FindString(r.Name)
	return r.Labels[kuma.LabelDisplayName] == "" || suffix == "" || !strings.HasPrefix(r.DisplayName(), strings.TrimSuffix(r.Name, suffix))
}

// isZone reports whether the resources certainly belong to a zone, because some can
// only be written there.
func (m *mesh) isZone() bool {
	return slices.ContainsFunc(m.resources, func(r *kuma.Resource) bool {
		k, _ := kinds.Find(r.Type)
		return k.ZoneOwned == kuma.Always() && !k.GlobalOwned && ownedHere(r)
	})
}

func findUnlabeled(m *mesh, report func(problem)) {
	referrers := map[kuma.Key][]string{}
	for _, r := range m.resources {
		if k, _ := kinds.Find(r.Type); k.Policy == nil {
			continue
		}
		for _, ref := range references(r) {
			for _, key := range m.possibleTargets(r, ref) {
				if by := r.Type + " " + r.Name; !slices.Contains(referrers[key], by) {
					referrers[key] = append(referrers[key], by)
				}
			}
		}
	}
	for _, r := range m.resources {
		if by := referrers[r.Key()]; len(by) > 0 && r.Labels[kuma.LabelDisplayName] == "" {
			report(problemAt(r.Key(), list("Referred to by", by), "labels"))
		}
	}
}

// references returns the references to destinations in the entries of a policy.
func references(policy *kuma.Resource) []kuma.TargetRef {
	return slices.DeleteFunc(policy.ToRefs(),
		func(ref kuma.TargetRef) bool { return !rules.IsDestination(ref.Kind) && !rules.IsRoute(ref.Kind) })
}

// possibleTargets returns the resources that a reference resolves to now, and with the
// label that Kuma 3.0 sets.
func (m *mesh) possibleTargets(policy *kuma.Resource, ref kuma.TargetRef) []kuma.Key {
	var keys []kuma.Key
	if ref.Name != "" {
		keys = keysOf(m.Resolve(*policy, ref.WithoutSection(), 0))
	}
	if name, ok := ref.Labels[kuma.LabelDisplayName]; ok {
		others := maps.Clone(ref.Labels)
		delete(others, kuma.LabelDisplayName)
		for _, r := range m.ofKind(ref.Kind) {
			if r.DisplayName() == name && kuma.HasAll(r.Labels, others) {
				keys = append(keys, r.Key())
			}
		}
	}
	return keys
}
