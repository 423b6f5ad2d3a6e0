package randomworld

import (
	"fmt"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

func (w *world) addDataplanes() {
	for i := range 2 + w.IntN(4) {
		name := fmt.Sprintf("%s%d", pick(w, "dp-", "dp-", "dp-", "dp.", "dp"), i)
		body := object{"networking": w.networking()}
		r := kuma.Resource{Type: kuma.KindDataplane, Mesh: w.options.Mesh, Name: name, Labels: w.labels(kinds.Dataplane), Body: body}
		delete(r.Labels, kuma.LabelDisplayName)
		if w.one(5) && !w.kuma3() {
			r.Labels[kuma.LabelDisplayName] = pick(w, "dp-0", "dp-1", "web")
		}
		if w.one(5) {
			r.Labels[kuma.LabelWorkload] = pick(w, "a", "a-b")
		}
		w.add(r)
	}
}

// networking generates a sidecar, a gateway, or a zone proxy.
func (w *world) networking() object {
	net := object{"address": "10.0.0.1"}
	of := w.IntN(8)
	if w.kuma3() && of < 3 {
		of = 3 + w.IntN(3) // no gateways
	}
	switch of {
	case 0, 1:
		tags := w.tags(false)
		tags[kuma.TagService] = pick(w, "edge", "edge", "a")
		net["gateway"] = object{"type": "BUILTIN", "tags": tags}
	case 2:
		gateway := object{"type": "DELEGATED"}
		if !w.one(4) {
			gateway["tags"] = w.tags(true)
		}
		net["gateway"] = gateway
	case 3:
		net["listeners"] = w.listeners()
		if w.one(2) {
			net["inbound"] = w.inbounds()
		}
	default:
		net["inbound"] = w.inbounds()
	}
	return net
}

// inbounds generates ports of a proxy. Some share the number, some also the
// address, and some have no tags.
func (w *world) inbounds() []any {
	var inbounds []any
	for range 1 + w.IntN(3) {
		in := object{"port": pick(w, number(80), number(8080), number(8080), number(8081))}
		switch {
		case w.kuma3():
			in["protocol"] = pick(w, "tcp", "http", "http", "grpc")
		case !w.one(4):
			in["tags"] = w.tags(true)
		}
		if w.one(2) {
			in["name"] = pick(w, sections...)
		}
		if w.one(4) {
			in["address"] = "10.0.0.2"
		}
		if w.one(5) {
			in["state"] = pick(w, "Ready", "NotReady", "Ignored")
		}
		inbounds = append(inbounds, in)
	}
	return inbounds
}

func (w *world) listeners() []any {
	var listeners []any
	for i := range 1 + w.IntN(2) {
		l := object{
			"type": pick(w, "ZoneIngress", "ZoneEgress"), "address": pick(w, "10.0.0.1", "10.0.0.3"),
			"port": pick(w, number(10001+i), number(10001+i), number(8080+i)),
		}
		if w.one(2) {
			l["name"] = fmt.Sprintf("zp-%d", i)
		}
		listeners = append(listeners, l)
	}
	return listeners
}
