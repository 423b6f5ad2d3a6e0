package proxies_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// An accessWorld is a mesh whose proxies call each other, with certificates of the mesh or
// of several MeshIdentities, permissions of both forms, and TLS that is not always required.
type accessWorld struct {
	world
	kuma3 bool
}

type accessService struct {
	name       string
	dataplanes []string
}

// accessServices are the services of an accessWorld.
var accessServices = []accessService{{"web", []string{"web-1", "web-2"}}, {"api", []string{"api-1"}}, {"db", []string{"db-1"}}}

type accessPort struct {
	name, protocol   string
	port, targetPort int
}

// accessPorts are the ports of each service, with those of its Dataplanes.
var accessPorts = []accessPort{{"main", "http", 80, 9000}, {"admin", "tcp", 81, 9001}}

func newAccessWorld(seed uint64, kuma3 bool) *accessWorld {
	w := &accessWorld{world{mesh: fmt.Sprintf("a%d", seed), Rand: rand.New(rand.NewPCG(seed, 1))}, kuma3}
	mesh := object{"skipCreatingInitialPolicies": []any{"*"}}
	if !kuma3 {
		mesh["meshServices"] = object{"mode": pick(&w.world, "Exclusive", "Exclusive", "Exclusive", "Everywhere")}
		if w.IntN(3) > 0 {
			mesh["mtls"] = object{"enabledBackend": "ca", "backends": []any{object{"name": "ca", "type": "builtin", "mode": pick(&w.world, "STRICT", "STRICT", "PERMISSIVE")}}}
		}
	}
	w.resources = append(w.resources, kuma.Resource{Type: kuma.KindMesh, Name: w.mesh, Body: mesh})
	w.dataplanes()
	for i := range pick(&w.world, 0, 1, 1, 1, 2) {
		w.identity(fmt.Sprintf("identity-%d", i))
	}
	for i := range w.IntN(5) {
		w.add("MeshTrafficPermission", fmt.Sprintf("%c%d", 'a'+rune(w.IntN(26)), i), w.spec(w.permission))
	}
	for i := range pick(&w.world, 0, 0, 1, 2) {
		w.add("MeshTLS", fmt.Sprintf("%c%d", 'a'+rune(w.IntN(26)), i), w.spec(w.mode))
	}
	return w
}

func (w *accessWorld) dataplanes() {
	var outbounds []any
	for i, s := range accessServices {
		var ports []any
		for j, p := range accessPorts {
			ports = append(ports, object{"port": number(p.port), "targetPort": number(p.targetPort), "name": p.name, "appProtocol": p.protocol})
			outbounds = append(outbounds, object{"port": number(11000 + 10*i + j), "backendRef": object{"kind": "MeshService", "name": s.name, "port": number(p.port)}})
		}
		w.add("MeshService", s.name, object{"spec": object{"selector": object{"dataplaneLabels": object{"matchLabels": object{"app": s.name}}}, "ports": ports}})
		w.resources[len(w.resources)-1].Labels = map[string]string{"app": s.name}
	}
	n := 0
	for _, s := range accessServices {
		for _, name := range s.dataplanes {
			n++
			var inbounds []any
			for _, p := range accessPorts {
				tags := object{kuma.TagService: s.name, "kuma.io/protocol": p.protocol, "version": name[len(name)-1:]}
				if p.name == "admin" && s.name == "db" {
					tags[kuma.TagService] = "admin-of-db"
				}
				inbounds = append(inbounds, object{"port": number(p.targetPort), "name": p.name, "protocol": p.protocol, "tags": tags})
			}
			w.add(kuma.KindDataplane, name, object{"networking": object{"address": fmt.Sprintf("127.0.0.%d", n), "inbound": inbounds, "outbound": outbounds}})
			labels := map[string]string{"app": s.name, "instance": name}
			if s.name != "db" || w.IntN(4) > 0 {
				labels[kuma.LabelWorkload] = s.name
			}
			w.resources[len(w.resources)-1].Labels = labels
		}
	}
}

func (w *accessWorld) identity(name string) {
	format := object{"trustDomain": pick(&w.world, trustDomainOf(w.mesh), trustDomainOf(w.mesh), "{{ .Mesh }}.{{ .Zone }}.example")}
	if path := pick(&w.world, `/{{ label "app" }}`, `/{{ label "app" }}`, `/{{ label "instance" }}`, ""); path != "" {
		format["path"] = path
	}
	labels := pick(&w.world, object{}, object{}, object{}, object{"app": "web"}, object{"app": "api"}, object{"instance": "web-1"})
	w.addIdentity(name, object{"matchLabels": labels}, format)
}

func (w *accessWorld) mode(list string) object {
	entry := object{"default": object{"mode": pick(&w.world, "Permissive", "Permissive", "Strict")}}
	if list == "from" {
		entry["targetRef"] = object{"kind": kuma.KindMesh}
	}
	return entry
}

// spec returns a policy with one or two entries in `from` or in `rules`.
func (w *accessWorld) spec(entry func(list string) object) object {
	lists := []string{"rules"}
	if !w.kuma3 {
		lists = []string{"from", "rules", "rules"}
	}
	list := pick(&w.world, lists...)
	spec := object{list: []any{entry(list)}}
	if w.IntN(3) == 0 {
		spec[list] = append(spec[list].([]any), entry(list)) //nolint:forcetypeassert // set above
	}
	switch w.IntN(6) {
	case 0:
		spec["targetRef"] = object{"kind": kuma.KindDataplane}
	case 1:
		spec["targetRef"] = object{"kind": kuma.KindDataplane, "labels": object{"app": pick(&w.world, "web", "api")}}
	case 2:
		spec["targetRef"] = object{"kind": kuma.KindDataplane, "labels": object{"app": pick(&w.world, "web", "api")}, "sectionName": pick(&w.world, "main", "admin")}
	}
	return object{"spec": spec}
}

func (w *accessWorld) permission(list string) object {
	if list == "from" {
		tags := pick(&w.world, object{kuma.TagService: "web"}, object{kuma.TagService: "api"}, object{kuma.TagService: "admin-of-db"}, object{"version": "1"},
			object{"kuma.io/protocol": "http"}, object{"version": "1", kuma.TagService: "web"})
		ref := pick(&w.world, object{"kind": kuma.KindMesh}, object{"kind": kuma.KindMeshSubset, "tags": tags}, object{"kind": kuma.KindMeshSubset, "tags": tags})
		return object{"targetRef": ref, "default": object{"action": pick(&w.world, "Allow", "Allow", "Deny", "AllowWithShadowDeny")}}
	}
	lists := object{}
	for lists := lists; len(lists) == 0; {
		for _, name := range []string{"deny", "allow", "allow", "allowWithShadowDeny"} {
			if w.IntN(3) != 0 {
				continue
			}
			list := []any{w.client()}
			if w.IntN(3) == 0 {
				list = append(list, w.client())
			}
			lists[name] = list
		}
	}
	return object{"default": lists}
}

// client returns a match of clients.
func (w *accessWorld) client() object {
	domain := pick(&w.world, w.mesh, trustDomainOf(w.mesh), trustDomainOf(w.mesh), w.mesh+".default.example")
	path := pick(&w.world, "", "/web", "/api", "/db", "/we", "/web-1", "/workload/web", "/workload", "/admin-of-db")
	match := object{"spiffeID": object{"type": pick(&w.world, "Exact", "Prefix"), "value": "spiffe://" + domain + path}}
	if w.IntN(6) == 0 {
		match["sni"] = object{"type": "Exact", "value": "sni.msvc." + w.mesh + ".zone-1." + pick(&w.world, "web.80", "web.81", "api.80", "web.main")}
	}
	if w.IntN(12) == 0 {
		match = object{"sni": object{"type": "Exact", "value": "sni.msvc." + w.mesh + pick(&w.world, ".zone-1.web.80", ".zone-1.web.main")}}
	}
	return match
}
