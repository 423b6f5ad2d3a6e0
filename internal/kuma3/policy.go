package kuma3

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// endpoint is the path from the settings of a policy to the addresses of OpenTelemetry
// collectors.
const endpoint = ".backends[].openTelemetry.endpoint"

// policies contains the conditions on the settings of single kinds of policies.
var policies = []Condition{
	{
		ID: "K3-111", Effect: Outage, Paths: at("spec.targetRef.proxyTypes", kinds.MeshTimeout.Name), When: ofDefaultForGateways,
		MeasuredStored: true,
		Doc:            "The control plane has created this policy, with timeouts for gateways.",
		Stored: "In a stored policy, proxyTypes is not read: " +
			"its stream idle timeout of 5 seconds applies to all proxies, and slower responses fail with 504.",
		Do: "Delete the policy on 2.14, where it is only created again with a new mesh.",
	},
	{
		ID: "K3-050", Effect: Changes, Paths: at("spec.to[].default.healthyPanicThreshold", kinds.MeshHealthCheck.Name), MeasuredStored: true,
		Doc:    "The panic threshold is part of the health check.",
		Stored: "In a stored policy it is not read, and the threshold falls back to 50%.",
		Do: "It belongs to outlierDetection, which requires detectors: to move it is to enable outlier detection. " +
			"A detector that never fires is totalFailures with consecutive: 4294967295.",
	},
	{
		ID: "K3-051", Effect: Changes, MeasuredWrite: true,
		Paths: slices.Concat(
			each(kinds.MeshAccessLog.Name, "spec.to[].default"+endpoint, "spec.from[].default"+endpoint, "spec.rules[].default"+endpoint),
			at("spec.default"+endpoint, kinds.MeshMetric.Name, kinds.MeshTrace.Name),
		),
		Doc:    "The collector is set by endpoint.",
		Stored: "A stored policy loses the backend.",
		Do:     "Use the same address and port, and refer to it by labels. All control planes must run 2.14.",
	},
	{
		ID: "K3-052", Effect: Changes, MeasuredStored: true,
		Paths: each(kinds.MeshLoadBalancingStrategy.Name,
			"spec.to[].default.loadBalancer.ringHash.hashPolicies", "spec.to[].default.loadBalancer.maglev.hashPolicies"),
		Doc:    "The hash policies are set inside the algorithm.",
		Stored: "In a stored policy they are not read, and nothing is hashed.",
		Do:     "Setting both is rejected.",
	},
	{
		ID: "K3-053", Effect: Changes, When: is("SourceIP"),
		Paths: each(kinds.MeshLoadBalancingStrategy.Name,
			"spec.to[].default.hashPolicies[].type", "spec.to[].default.loadBalancer.ringHash.hashPolicies[].type",
			"spec.to[].default.loadBalancer.maglev.hashPolicies[].type"),
		Doc:    "The address of the client is hashed by type SourceIP.",
		Stored: "What proxies do with a stored one is not known.",
	},
	{
		ID: "K3-205", Effect: Changes, Undeclared: true, Written: Rejected,
		Paths: at("spec.to[].default.localityAwareness.crossZone", kinds.MeshLoadBalancingStrategy.Name),
		When: func(n tree.Node) bool {
			kind, ok := kindOfEntry(n)
			return ok && kind != kuma.KindMeshMultiZoneService && n.Known()
		},
		Doc:    "Failover to other zones is set for a destination that is not a MeshMultiZoneService.",
		Stored: "In a stored policy it has no effect: services of one zone have no endpoints in others.",
		Do:     "Move it to an entry for a MeshMultiZoneService.",
	},
	{
		ID: "K3-235", Effect: Changes, MeasuredWrite: true, Undeclared: true,
		Paths: at("spec.to[].default.localityAwareness.crossZone.failoverThreshold.percentage", kinds.MeshLoadBalancingStrategy.Name),
		When: func(n tree.Node) bool {
			kind, _ := kindOfEntry(n) // others: K3-205
			given, actual := kinds.FailoverThreshold(n)
			return kind == kuma.KindMeshMultiZoneService && actual-given >= 1
		},
		Doc:    "Kuma 2.14 rounds the failover threshold up to 100 divided by an integer, such as 50.",
		Stored: "The threshold is as it is written: other zones get traffic later than now.",
		Do:     "To keep what proxies do now, set the next of these numbers above the threshold.",
	},
	{
		ID: "K3-206", Effect: Outage, Undeclared: true, Written: Rejected, Paths: at("spec.default.appendMatch[]", kinds.MeshPassthrough.Name),
		When: func(n tree.Node) bool {
			value, ok := n.Get("value").Text()
			return ok && is("Domain")(n.Get("type")) && !strings.Contains(value, "*") && n.Get("port").Absent()
		},
		Doc:    "A destination outside the mesh is a domain without a port.",
		Stored: "It does not match any traffic. If it is the only destination, all traffic out of the mesh is rejected.",
		Do:     "Use one entry for each port that is in use, such as 443 for tls and 80 for http. Proxies must be able to resolve the name.",
	},
	{
		ID: "K3-207", Effect: Rejects, Undeclared: true, Written: Rejected, Paths: at("spec.default.appendMatch[]", kinds.MeshPassthrough.Name),
		When: repeatsPassthrough,
		Doc: "Two destinations outside the mesh cannot be distinguished: their value, port and type of protocol are equal. " +
			"Kuma 2.14.6 also rejects this.",
		Stored: "What proxies do with a stored one is not known.",
		Do:     "Remove one of them.",
	},
	{
		ID: "K3-225", Effect: Changes, MeasuredWrite: true, Undeclared: true, When: namesOldEnvoyObject, Since: "2.14.2",
		Paths:  at("spec.default.appendModifications[][].match[]", kinds.MeshProxyPatch.Name),
		Doc:    "A patch selects objects of Envoy by a name or an origin that Kuma 3.0 does not generate.",
		Stored: "The patch matches nothing.",
		Do: "Use the unified names: a KRI for what comes from a resource, and names such as self_inbound_dp_<port> for what belongs to the " +
			"proxy itself. Proxies must run with unified naming on 2.14 first.",
	},
	{
		ID: "K3-233", Effect: Changes, Undeclared: true, MeasuredWrite: true,
		Paths: at("spec.default.appendModifications[].cluster.value", kinds.MeshProxyPatch.Name),
		When: func(n tree.Node) bool {
			value, _ := n.Text()
			return is("Patch")(parent(n).Get("operation")) &&
				(strings.Contains(value, "circuitBreakers") || strings.Contains(value, "circuit_breakers"))
		},
		Doc:    "A patch changes the circuit breakers of clusters, which has no effect on proxies of Kuma 2.14.",
		Stored: "The patch takes effect, and overrides a MeshCircuitBreaker.",
		Do:     "Remove the circuit breakers from the patch, and set them in a MeshCircuitBreaker.",
	},
	{
		ID: "K3-226", Effect: Security, MeasuredWrite: true, Undeclared: true, When: limitsOnlyOldCiphers,
		Paths:  each(kinds.MeshTLS.Name, "spec.rules[].default.tlsCiphers", "spec.from[].default.tlsCiphers"),
		Doc:    "Ciphers are limited without a maximum version of TLS.",
		Stored: "Clients use TLS 1.3, to which the list of ciphers does not apply.",
		Do:     "Set tlsVersion.max to TLS12.",
	},
	{
		ID: "K3-227", Effect: Changes, Undeclared: true, Paths: at("spec.to[].targetRef.labels", withTo...), When: withoutZoneOfKubernetes,
		Doc:    "A policy from Kubernetes refers to a service by its display name, but not by its zone.",
		Stored: "It becomes a policy of the consumer: it applies in its own namespace only, and is not sent to other zones.",
		Do:     "Set exactly the labels kuma.io/display-name, k8s.kuma.io/namespace and kuma.io/zone in every entry.",
	},
}

// kindOfEntry returns the kind of the target of the entry in `spec.to` that contains n.
func kindOfEntry(n tree.Node) (kind string, known bool) {
	const depth = 3 // of an entry
	return tree.Root(tree.At(n.Root().Value(), n.Path[:depth])).Get("targetRef", "kind").Text()
}

// ofDefaultForGateways reports whether n belongs to the policy that a control plane creates
// for the gateways of a mesh.
func ofDefaultForGateways(n tree.Node) bool {
	return namedAfterMesh(n.Root(), "mesh-gateways-timeout-all-") && oneProxyType(n)
}

// repeatsPassthrough reports whether proxies cannot distinguish a destination from an
// earlier one.
func repeatsPassthrough(n tree.Node) bool {
	filter := func(match tree.Node) (string, bool) {
		if !match.Complete() {
			return "", false
		}
		protocol, _ := match.Get("protocol").Text()
		switch protocol {
		case "http", "http2", "grpc":
			protocol = "http"
		case "tls":
		default:
			protocol = "tcp"
		}
		return fmt.Sprintf("%v %v %s", match.Get("value").Value(), match.Get("port").Value(), protocol), true
	}
	this, ok := filter(n)
	for _, earlier := range n.Root().Get("spec", "default", "appendMatch").Items() {
		if tree.ComparePaths(earlier.Path, n.Path) >= 0 {
			break
		}
		if other, known := filter(earlier); ok && known && this == other {
			return true
		}
	}
	return false
}

// oldOrigins are the origins of objects that Kuma 3.0 does not generate.
var oldOrigins = is("dns", "probe", "proxy-template-raw", "secrets", "tracing", "gateway")

// namesOldEnvoyObject reports whether a match of a patch has a name or an origin of before
// unified naming.
func namesOldEnvoyObject(n tree.Node) bool {
	if n.Key() == "origin" {
		return oldOrigins(n)
	}
	name, _ := n.Text()
	return strings.HasPrefix(name, "inbound:") || strings.HasPrefix(name, "outbound:") || strings.HasPrefix(name, "localhost:")
}

// limitsOnlyOldCiphers reports whether ciphers are listed, and TLS 1.3 is not excluded.
func limitsOnlyOldCiphers(n tree.Node) bool {
	version := parent(n).Get("tlsVersion", "max")
	return n.Filled() && (version.Absent() || is("TLS13", "TLSAuto")(version))
}

// withoutZoneOfKubernetes reports whether the labels of a reference in a policy from
// Kubernetes are only a display name, and possibly a namespace.
func withoutZoneOfKubernetes(labels tree.Node) bool {
	if labels.Root().Get("labels", kuma.LabelK8sNamespace).Empty() || labels.Get(kuma.LabelDisplayName).Empty() {
		return false
	}
	return !slices.ContainsFunc(labels.Entries(), func(n tree.Node) bool {
		return n.Key() != kuma.LabelDisplayName && n.Key() != kuma.LabelK8sNamespace
	})
}

// namedAfterMesh reports whether a document has the name of a default policy of its
// mesh.
func namedAfterMesh(doc tree.Node, prefix string) bool {
	name, _ := doc.Get("name").Text()
	meshName, ok := doc.Get("mesh").Text()
	return ok && name == prefix+meshName
}
