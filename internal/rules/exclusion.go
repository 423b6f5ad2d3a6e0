package rules

import (
	"fmt"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// Exclusion tells why a policy does not select a dataplane: the first test of
// matching.md §2 that the dataplane fails.
type Exclusion string

// Exclusions, in the order of the tests.
const (
	NotExcluded         Exclusion = ""
	ExcludedByEffect    Exclusion = "effect"     // the policy is a shadow
	ExcludedByZone      Exclusion = "zone"       // the policy belongs to another zone
	ExcludedByNamespace Exclusion = "namespace"  // the policy speaks for another namespace
	ExcludedByRoute     Exclusion = "route"      // the route that should select does not exist
	ExcludedByKind      Exclusion = "kind"       // no such reference selects proxies
	ExcludedByProxyType Exclusion = "proxy type" // sidecars or gateways only
	ExcludedByGateway   Exclusion = "gateway"    // the reference is for another gateway, or for none
	ExcludedByName      Exclusion = "name"       // the reference names another dataplane
	ExcludedByLabels    Exclusion = "labels"     // the dataplane lacks one of the labels
	ExcludedByTags      Exclusion = "tags"       // no inbound has all of the tags
	ExcludedBySection   Exclusion = "section"    // no inbound has that name
	ExcludedByInbounds  Exclusion = "inbounds"   // there is nothing to select
)

// Excluded tells why a policy does not select a dataplane of its mesh,
// [NotExcluded] when it does. The error is one of those of [Snapshot.Rules].
func (s *Snapshot) Excluded(policy kuma.Key, dataplane string) (Exclusion, error) {
	m, dp, err := s.find(policy.Mesh, dataplane)
	if err != nil {
		return NotExcluded, err
	}
	p := m.policy(policy)
	if p == nil {
		return NotExcluded, fmt.Errorf("%w: %s", ErrUnknownPolicy, policy)
	}
	_, by := dp.selects(p)
	return by, nil
}

// Because says why a policy does not select a proxy, as the end of a sentence:
// "its targetRef requires an inbound with the tags team=a". "There" is the proxy, and
// "it" the policy. The text is empty for [NotExcluded].
func (e Exclusion) Because(policy kuma.Resource) string {
	ref := policy.TopRef()
	if ref.Kind == kuma.KindMeshHTTPRoute && e != ExcludedByEffect && e != ExcludedByRoute {
		return fmt.Sprintf("MeshHTTPRoute %q, the target of the policy, does not apply there", ref.Name)
	}
	switch e {
	case ExcludedByEffect:
		return fmt.Sprintf("it is a shadow policy (label %s: shadow)", kuma.LabelEffect)
	case ExcludedByZone:
		return fmt.Sprintf("it belongs to zone %q", policy.Zone())
	case ExcludedByNamespace:
		return fmt.Sprintf("it is for proxies of namespace %q", policy.Namespace())
	case ExcludedByRoute:
		return fmt.Sprintf("MeshHTTPRoute %q, the target of the policy, does not exist", ref.Name)
	case ExcludedByKind:
		return fmt.Sprintf("a targetRef of kind %s selects no proxy", ref.Kind)
	case ExcludedByProxyType:
		return fmt.Sprintf("its targetRef is for proxies of the type %s", phrase.Or(ref.ProxyTypes...))
	case ExcludedByGateway:
		return byGateway(ref)
	case ExcludedByName:
		return fmt.Sprintf("its targetRef names Dataplane %q", ref.Name)
	case ExcludedByLabels:
		return "its targetRef requires a Dataplane with the labels " + phrase.Pairs(ref.Labels)
	case ExcludedByTags:
		if ref.Kind == kuma.KindMeshService || ref.Kind == kuma.KindMeshServiceSubset {
			ref.Tags = serviceTags(ref.Name, ref.Tags)
		}
		return "its targetRef requires an inbound with the tags " + phrase.Pairs(ref.Tags)
	case ExcludedBySection:
		return fmt.Sprintf("its targetRef requires an inbound named %q", ref.SectionName)
	case ExcludedByInbounds:
		return "there is no inbound"
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
