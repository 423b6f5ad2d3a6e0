package upgrade

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// kafka is a protocol that Kuma 3.0 does not have, and for which proxies of 2.14 have a filter
// (kuma3.md §6.2).
const kafka = "kafka"

// replaceValues proposes other values for those that Kuma 3.0 does not have: protocols of
// services, and hashes by the address of the client (R8). In stage two it removes the identities of
// services by tag, which a control plane of 2.14 adds.
var replaceValues = forEach((*world).values, kuma.KindMeshService, kuma.KindMeshMultiZoneService, kinds.MeshLoadBalancingStrategy.Name)

func (w *world) values(r kuma.Resource) []proposal {
	changed, items, unseen := r.Clone(), []Item(nil), ""
	body := tree.Root(changed.Body)
	for _, n := range body.Find("spec.ports[].appProtocol") {
		if protocol, ok := n.Text(); ok && !slices.Contains([]string{"", "tcp", "http", "http2", "grpc"}, strings.ToLower(protocol)) {
			setAt(changed.Body, n.Path, "tcp")
			items = append(items, rewritten(r, n.Path.String(), "K3-062", "Is tcp instead of "+protocol+"."))
			if strings.EqualFold(protocol, kafka) {
				unseen = "proxies lose the statistics of the protocol Kafka"
			}
		}
	}
	hashed := slices.Concat(body.Find("spec.to[].default.hashPolicies[]"), body.Find("spec.to[].default.loadBalancer[].hashPolicies[]"))
	for _, n := range hashed {
		if n.Get("type").Value() == "SourceIP" {
			setAt(changed.Body, n.Path.Child("type"), "Connection")
			tree.Object(n.Value())["connection"] = map[string]any{"sourceIP": true}
			items = append(items, rewritten(r, n.Path.Child("type").String(), "K3-053", "Is Connection with sourceIP instead of SourceIP."))
		}
	}
	if identities := tree.List(changed.Spec()["identities"]); w.final {
		left := slices.DeleteFunc(slices.Clone(identities), func(v any) bool { return tree.Object(v)["type"] == "ServiceTag" })
		if len(left) < len(identities) {
			if changed.Spec()["identities"] = left; len(left) == 0 {
				delete(changed.Spec(), "identities")
			}
			items = append(items, Item{
				Key: r.Key(), Path: "spec.identities", Condition: "K3-061", Action: Removed,
				Text: "Has no identities by tag: the control plane adds the SPIFFE IDs of the proxies.",
			})
		}
	}
	return []proposal{{put: []kuma.Resource{changed}, items: items, unseen: unseen}}
}

// typedSince is the patch of 2.14 that reads typed sources of certificates: older ones accept
// and lose them (kuma3.md §6).
const typedSince = "2.14.6"

// typeSources proposes the typed form for the sources of certificates of external services
// (R7).
var typeSources = forEach(func(w *world, r kuma.Resource) []proposal {
	if !w.final && !w.ControlPlane.Release.Has(typedSince) {
		return nil
	}
	changed, items := r.Clone(), []Item(nil)
	for _, name := range []string{"caCert", "clientCert", "clientKey"} {
		n := tree.Root(changed.Body).Get("spec", "tls", "verification", name)
		if typed, ok := typedSource(tree.Object(n.Value())); ok {
			setAt(changed.Body, n.Path, typed)
			items = append(items, rewritten(r, n.Path.String(), "K3-063",
				"Has a type, which all control planes of the mesh must support: Kuma 2.14.6 or later."))
		}
	}
	return one(changed, items...)
}, kuma.KindMeshExternalService)

// typedSource returns the typed form of a source.
func typedSource(source map[string]any) (typed map[string]any, ok bool) {
	inline := func(text string) map[string]any {
		return map[string]any{"type": "InsecureInline", "insecureInline": map[string]any{"value": text}}
	}
	if len(source) != 1 {
		return nil, false
	}
	if name, ok := source["secret"].(string); ok {
		return map[string]any{"type": "Secret", "secretRef": map[string]any{"kind": "Secret", "name": name}}, true
	}
	if text, ok := source["inlineString"].(string); ok {
		return inline(text), true
	}
	encoded, ok := source["inline"].(string)
	data, err := base64.StdEncoding.DecodeString(encoded)
	return inline(string(data)), ok && err == nil
}
