package randomworld

import (
	"fmt"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// addDestinations adds the destinations of traffic. Display names repeat within
// a zone and across zones.
func (w *world) addDestinations() {
	for i := range 1 + w.IntN(4) {
		w.addInMesh(kuma.KindMeshService, w.name(i), object{"spec": object{"selector": w.serviceSelector(), "ports": w.ports("targetPort")}})
	}
	for i := range w.IntN(3) {
		w.addInMesh(kuma.KindMeshMultiZoneService, w.name(i), object{"spec": object{
			"selector": object{"meshService": object{"matchLabels": object{"team": pick(w, "a", "b")}}}, "ports": w.ports(""),
		}})
	}
	for i := range w.IntN(3) {
		w.addInMesh(kuma.KindMeshExternalService, w.name(i), object{"spec": object{
			"match":     object{"type": "HostnameGenerator", "port": pick(w, number(80), number(443)), "protocol": pick(w, "tcp", "http", "grpc")},
			"endpoints": []any{object{"address": "example.com", "port": number(443)}},
		}})
	}
}

// name returns a name for the resource with index i of its kind.
func (w *world) name(i int) string {
	if i < len(resourceNames) && !w.one(3) {
		return resourceNames[i]
	}
	return w.numbered(i)
}

// numbered returns a name that no other resource of a kind has.
func (w *world) numbered(i int) string { return fmt.Sprintf("%s%d", pick(w, resourceNames...), i) }

func (w *world) addInMesh(kind, name string, body object) {
	k, _ := kinds.Find(kind)
	w.add(kuma.Resource{Type: kind, Mesh: w.options.Mesh, Name: name, Labels: w.labels(k), Body: body})
}

func (w *world) serviceSelector() object {
	of := w.IntN(4)
	if w.kuma3() {
		of %= 2
	}
	switch of {
	case 0:
		return object{"dataplaneRef": object{"name": "dp-0"}}
	case 1:
		return object{"dataplaneLabels": object{"matchLabels": object{"team": pick(w, "a", "b")}}}
	default:
		return object{"dataplaneTags": object{kuma.TagService: pick(w, serviceTags...)}}
	}
}

// ports generates the ports of a service, some without a name. target is the
// field for the target port, empty when there is none.
func (w *world) ports(target string) []any {
	var ports []any
	for _, n := range []int{80, 8080}[:1+w.IntN(2)] {
		port := object{"port": number(n), "appProtocol": pick(w, "tcp", "http", "http", "grpc", "http2", "kafka")}
		if w.kuma3() && port["appProtocol"] == "kafka" {
			port["appProtocol"] = "http"
		}
		if w.one(2) {
			port["name"] = fmt.Sprintf("%s%s", pick(w, "http", "main", fmt.Sprint(n)), pick(w, "", fmt.Sprint(n)))
		}
		if target != "" && w.one(2) {
			port[target] = pick[any](w, number(8080), "main", number(n))
		}
		ports = append(ports, port)
	}
	return ports
}

// addGateways adds MeshGateways: some for builtin gateways, some that select
// sidecars by accident.
func (w *world) addGateways() {
	if w.kuma3() {
		return
	}
	for i := range w.IntN(3) {
		var selectors, listeners []any
		for range 1 + w.IntN(2) {
			match := object{kuma.TagService: pick(w, "edge", "edge", "edge", "a", "*")}
			if w.one(3) {
				match["team"] = pick(w, "a", "b", "*")
			}
			selectors = append(selectors, object{"match": match})
		}
		for range 1 + w.IntN(3) {
			listener := object{"port": pick(w, number(80), number(80), number(8080)), "protocol": "HTTP"}
			if w.one(2) {
				listener["hostname"] = pick(w, "shop.example", "*.shop.example", "*")
			}
			if !w.one(3) {
				listener["tags"] = w.tags(false)
			}
			listeners = append(listeners, listener)
		}
		gateway := object{"selectors": selectors, "conf": object{"listeners": listeners}}
		if w.one(3) {
			gateway["tags"] = w.tags(false)
		}
		w.addInMesh(kuma.KindMeshGateway, w.name(i), gateway)
	}
}

// tags generates tags, with or without that of the service.
func (w *world) tags(service bool) object {
	tags := object{}
	if service {
		tags[kuma.TagService] = pick(w, serviceTags...)
	}
	for _, tag := range []string{"team", "tier"} {
		if w.one(2) {
			tags[tag] = pick(w, "a", "b")
		}
	}
	if w.one(6) {
		tags["version"] = pick(w, "v1", "v2.0")
	}
	return tags
}
