package rules

import (
	"fmt"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// Exclusion is the reason why a policy does not select a dataplane: the first test of
// matching.md §2 that the dataplane fails.
type Exclusion string

// Exclusions, in the order of the tests.
const (
	NotExcluded         Exclusion = ""
	ExcludedByEffect    Exclusion = "effect"     // the policy is a shadow policy
	ExcludedByZone      Exclusion = "zone"       // the policy belongs to another zone
	ExcludedByNamespace Exclusion = "namespace"  // the policy selects proxies of another namespace
	ExcludedByRoute     Exclusion = "route"      // the route by which the policy selects proxies does not exist
	ExcludedByKind      Exclusion = "kind"       // references of this kind do not select proxies
	ExcludedByProxyType Exclusion = "proxy type" // sidecars or gateways only
	ExcludedByGateway   Exclusion = "gateway"    // the reference requires another gateway, or none
	ExcludedByName      Exclusion = "name"       // the reference names another dataplane
	ExcludedByLabels    Exclusion = "labels"     // the dataplane lacks one of the labels
	ExcludedByTags      Exclusion = "tags"       // no inbound has all of the tags
	ExcludedBySection   Exclusion = "section"    // no inbound has that name
	ExcludedByInbounds  Exclusion = "inbounds"   // the dataplane has no inbounds
)

// Excluded returns the reason why a policy does not select a dataplane of its mesh, or
// [NotExcluded] if it does. The error is one of those of [Snapshot.Rules].
func (s *Snapshot) Excluded(policy kuma.Key, dataplane string) (Exclusion, error) {
	m, dp, err := s.find(policy.Mesh, dataplane)
	if err != nil {
		return NotExcluded, err
	}
	p := m.policy(policy)
	if p == nil {
		return NotExcluded, fmt.Errorf("%w %s", ErrUnknownPolicy, policy)
	}
	selector, by := dp.selectorOf(p)
	if by == NotExcluded {
		_, by = dp.selectedBy(selector)
	}
	return by, nil
}

// Because returns the reason as the end of a sentence, in which "it" is the policy:
// "its targetRef requires an inbound with the tags team=a". It is empty for
// [NotExcluded].
func (e Exclusion) Because(policy kuma.Resource) string {
	ref := policy.TopRef()
	if ref.Kind == kuma.KindMeshHTTPRoute && e != ExcludedByEffect && e != ExcludedByRoute {
		return fmt.Sprintf("MeshHTTPRoute %q, which it selects, does not apply to the proxy", ref.Name)
	}
	switch e {
	case ExcludedByEffect:
		return fmt.Sprintf("it is a shadow policy (label %s: shadow)", kuma.LabelEffect)
	case ExcludedByZone:
		return fmt.Sprintf("it belongs to zone %q", policy.Zone())
	case ExcludedByNamespace:
		if policy.Namespace() == "" {
			return fmt.Sprintf("a policy with the role %s only selects proxies of its own namespace, and it has none", policy.Role())
		}
		return fmt.Sprintf("it only selects proxies of namespace %q", policy.Namespace())
	case ExcludedByRoute:
		return fmt.Sprintf("MeshHTTPRoute %q, which it selects, does not exist", ref.Name)
	case ExcludedByKind:
		return fmt.Sprintf("a targetRef of kind %s selects no proxy", ref.Kind)
	case ExcludedByProxyType:
		return fmt.Sprintf("its targetRef only selects proxies of type %s", phrase.Or(ref.ProxyTypes...))
	case ExcludedByGateway:
		return byGateway(ref)
	case ExcludedByName:
		return fmt.Sprintf("its targetRef names Dataplane %q", ref.Name)
	case ExcludedByLabels:
		because := "its targetRef requires a Dataplane with the labels " + phrase.Pairs(ref.Labels)
		if _, ok := ref.Labels[kuma.TagService]; ok {
			because += fmt.Sprintf(", and %s is a tag of inbounds, not a label of Dataplanes", kuma.TagService)
		}
		return because
	case ExcludedByTags:
		switch ref.Kind {
		case kuma.KindMeshGateway:
			return "its targetRef requires a listener with the tags " + phrase.Pairs(ref.Tags)
		case kuma.KindMeshService, kuma.KindMeshServiceSubset:
			ref.Tags = serviceTags(ref.Name, ref.Tags)
		}
		return "its targetRef requires an inbound with the tags " + phrase.Pairs(ref.Tags)
	case ExcludedBySection:
		return fmt.Sprintf("its targetRef requires an inbound named %q", ref.SectionName)
	case ExcludedByInbounds:
		return "the proxy has no inbound"
	default:
		return ""
	}
}

func byGateway(ref kuma.TargetRef) string {
	if ref.Kind == kuma.KindDataplane {
		return "a targetRef of kind Dataplane selects no proxy of a MeshGateway"
	}
	return fmt.Sprintf("its targetRef requires a proxy of MeshGateway %q", ref.Name)
}
