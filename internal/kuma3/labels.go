package kuma3

import (
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// labels contains the conditions on labels with a prefix that Kuma reserves, and on
// references and selectors by such labels (release3.md §3).
var labels = []Condition{
	{
		ID: "K3-009", Effect: Outage, MeasuredWrite: true, Undeclared: true, Paths: selectors(),
		When:   func(n tree.Node) bool { return keyOf(n) == kuma.LabelProxyType },
		Doc:    "A selector has the label kuma.io/proxy-type, which Kuma 3.0 removes from a Dataplane when it is next written.",
		Stored: "The selector then matches nothing.",
		Do:     "Add a label of your own, and select by that label.",
	},
	{
		ID: "K3-211", Effect: Outage, MeasuredWrite: true, Undeclared: true, Paths: selectors(),
		When:   func(n tree.Node) bool { return keyOf(n) != kuma.LabelProxyType && def.UnknownLabel(keyOf(n)) },
		Doc:    "A selector has a label with a reserved prefix that Kuma 3.0 does not know, such as kuma.io/service. No resource can have it.",
		Stored: "It matches nothing: a policy applies to no proxy, a service has no endpoints, and requests to a destination fail.",
		Do:     "Use kuma.io/workload or a label of your own.",
	},
	{
		ID: "K3-210", Effect: Rejects, Paths: eachLabel(),
		When: func(n tree.Node) bool {
			return !key(kuma.LabelProxyReady, kuma.LabelProxyType)(n) && def.UnknownLabel(n.Key())
		},
		Doc: "The resource has a label with a reserved prefix that Kuma 3.0 does not know. " +
			"A proxy that brings such a Dataplane cannot register.",
		Stored: "A stored label is kept, but every later write fails.",
		Do:     "Rename the label, here and in every selector.",
	},
	{
		ID: "K3-212", Effect: Rejects, Paths: eachLabel(), When: key(kuma.LabelEffect, "kuma.io/kds-sync"),
		Doc:    "The value of the label is not valid.",
		Stored: "A stored label is kept, but every later write fails.",
		Do:     "Correct or remove the label.",
	},
	{
		ID: "K3-213", Effect: Rejects, Paths: eachLabel(), ServerOwned: true,
		When: func(n tree.Node) bool {
			return !def.UnknownLabel(n.Key()) && !key(kuma.LabelDisplayName, kuma.LabelProxyType, kuma.LabelEffect, "kuma.io/kds-sync")(n) &&
				!isComputedRole(n)
		},
		Doc:    "The document sends a label that only the control plane can set, or another value than the control plane would set.",
		Stored: "A stored label is kept.",
		Do: "Remove the label from the document. " +
			"In a document of Kubernetes, k8s.kuma.io/namespace is the namespace, from which the role of a policy follows.",
	},
}

// isComputedRole reports whether a label is the role that a policy has because of its namespace,
// whose label is found, too.
func isComputedRole(n tree.Node) bool {
	doc := tree.Object(n.Root().Value())
	return n.Key() == kuma.LabelPolicyRole && kuma.Resource{Labels: tree.StringMap(doc["labels"]), Body: doc}.FollowsFromNamespace()
}

// eachLabel returns the paths of all labels of the kinds that Kuma 3.0 has.
func eachLabel() []DocumentPath {
	left := slices.DeleteFunc(kinds.All(), func(k def.Kind) bool { return k.Removed.In != "" })
	return at("labels[]", phrase.Each(left, func(k def.Kind) string { return k.Name })...)
}

// selectors returns the paths of the labels by which resources select others, and of the
// keys in lists of them.
func selectors() []DocumentPath {
	return slices.Concat(
		at("spec.targetRef.labels[]", allPolicies...),
		at("spec.to[].targetRef.labels[]", withTo...),
		backends(".labels[]"),
		at("spec.selector.dataplaneLabels.matchLabels[]", kuma.KindMeshService),
		at("spec.selector.meshService.matchLabels[]", kuma.KindMeshMultiZoneService),
		at("spec.selector.dataplane.matchLabels[]", kinds.MeshIdentity.Name),
		at("spec.to[].default.localityAwareness.localZone.affinityTags[].key", kinds.MeshLoadBalancingStrategy.Name),
		at("networking.outbound[].backendRef.labels[]", kuma.KindDataplane),
		at("networking.transparentProxying.reachableBackends.refs[].labels[]", kuma.KindDataplane),
	)
}

// keyOf returns the label that a value in a selector belongs to, or that it names.
func keyOf(n tree.Node) string {
	if strings.HasSuffix(n.Path.String(), "].key") {
		s, _ := n.Text()
		return s
	}
	return n.Key()
}

// key returns a function that reports whether a label is one of keys.
func key(keys ...string) func(tree.Node) bool {
	return func(n tree.Node) bool { return slices.Contains(keys, n.Key()) }
}
