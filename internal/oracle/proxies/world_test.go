package proxies_test

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

type object = map[string]any

// A world is a mesh with two proxies, of which web has two inbounds, and with
// policies for incoming traffic. There are few names, so that policies meet on
// inbounds and clients.
type world struct {
	mesh      string
	resources []kuma.Resource
	paths     []string // of the SPIFFE IDs in policies
	*rand.Rand
}

func newWorld(seed uint64) *world {
	w := &world{mesh: fmt.Sprintf("w%d", seed), paths: []string{"", "/web", "/api", "/ap"}, Rand: rand.New(rand.NewPCG(seed, 0))}
	mesh := object{"skipCreatingInitialPolicies": []any{"*"}, "meshServices": object{"mode": pick(w, "Exclusive", "Exclusive", "Everywhere")}}
	if w.IntN(3) > 0 {
		mesh["mtls"] = object{"enabledBackend": "ca", "backends": []any{object{"name": "ca", "type": "builtin"}}}
	}
	w.resources = append(w.resources, kuma.Resource{Type: kuma.KindMesh, Name: w.mesh, Body: mesh})
	for _, name := range clients {
		inbounds := []any{inbound(name, "main", 9000)}
		if name == "web" {
			inbounds = append(inbounds, inbound(name, "admin", 9001))
		}
		w.add(kuma.KindDataplane, name, object{"networking": object{"address": w.address(name), "inbound": inbounds}})
		w.resources[len(w.resources)-1].Labels = map[string]string{"app": name}
	}
	if w.IntN(2) == 0 {
		w.add("MeshIdentity", "identity", object{"spec": object{
			"selector": object{"dataplane": object{"matchLabels": pick(w, object{}, object{}, object{"app": "web"}, object{"app": "api"})}},
			"spiffeID": object{"trustDomain": trustDomainOf(w.mesh), "path": `/{{ label "app" }}`},
			"provider": object{"type": "Spire", "spire": object{}},
		}})
	}
	for i := range w.IntN(5) {
		w.add("MeshTrafficPermission", fmt.Sprintf("%c%d", 'a'+rune(w.IntN(26)), i), w.spec(w.permission))
	}
	for i := range w.IntN(5) {
		w.add("MeshTimeout", fmt.Sprintf("%c%d", 'a'+rune(w.IntN(26)), i), w.spec(w.timeout))
	}
	return w
}

// trustDomainOf returns the trust domain of the identities of a mesh. On Kuma 3.0, a MeshTrust of another mesh for the same one counts.
func trustDomainOf(mesh string) string { return "td-" + mesh }

// clients are the services that send requests.
var clients = []string{"web", "api"}

// address returns the address of a proxy.
func (w *world) address(name string) string {
	return fmt.Sprintf("127.0.0.%d", 1+slices.Index(clients, name))
}

func inbound(service, name string, port int) object {
	return object{"port": number(port), "name": name, "tags": object{kuma.TagService: service, "kuma.io/protocol": "http"}}
}

func number(n int) json.Number { return json.Number(fmt.Sprint(n)) }

func pick[T any](w *world, from ...T) T { return from[w.IntN(len(from))] }

func (w *world) add(kind, name string, body object) {
	w.resources = append(w.resources, kuma.Resource{Type: kind, Mesh: w.mesh, Name: name, Body: body})
}

// addIdentity adds a MeshIdentity, three in eight times without a provider, with an authority that the control plane does not accept,
// or without a MeshTrust.
func (w *world) addIdentity(name string, selector, format object) {
	spec := object{"selector": object{"dataplane": selector}, "spiffeID": format}
	if n := crc32.ChecksumIEEE([]byte(w.mesh+name)) % 8; n > 0 { // worlds stay as they were otherwise
		spec["provider"] = object{"type": "Bundled", "bundled": object{
			"autogenerate": object{"enabled": true}, "insecureAllowSelfSigned": n > 1,
			"meshTrustCreation": map[bool]string{false: "Disabled", true: "Enabled"}[n > 2],
		}}
	}
	w.add(kinds.MeshIdentity.Name, name, object{"spec": spec})
}

// spec returns a policy with one or two entries in `from` or in `rules`.
func (w *world) spec(entry func(list string) object) object {
	spec := object{}
	switch w.IntN(5) {
	case 0:
		spec["targetRef"] = object{"kind": kuma.KindDataplane}
	case 1:
		spec["targetRef"] = object{"kind": kuma.KindDataplane, "labels": object{"app": "web"}}
	case 2:
		spec["targetRef"] = object{"kind": kuma.KindDataplane, "labels": object{"app": "web"}, "sectionName": pick(w, "main", "admin")}
	}
	list := pick(w, "from", "rules")
	entries := []any{entry(list)}
	if w.IntN(3) == 0 {
		entries = append(entries, entry(list))
	}
	spec[list] = entries
	return object{"spec": spec}
}

func (w *world) permission(list string) object {
	if list == "from" {
		ref := pick(w, object{"kind": kuma.KindMesh}, object{"kind": kuma.KindMeshSubset, "tags": object{kuma.TagService: pick(w, clients...)}})
		return object{"targetRef": ref, "default": object{"action": pick(w, "Allow", "Deny", "AllowWithShadowDeny")}}
	}
	lists := object{}
	for lists := lists; len(lists) == 0; {
		for _, name := range []string{"deny", "allow", "allow", "allowWithShadowDeny"} {
			if w.IntN(3) == 0 {
				lists[name] = []any{object{"spiffeID": w.spiffeID()}}
			}
		}
	}
	return object{"default": lists}
}

func (w *world) timeout(list string) object {
	if list == "from" {
		return object{"targetRef": object{"kind": kuma.KindMesh}, "default": w.timeouts(true)}
	}
	if w.IntN(2) == 0 {
		return object{"default": w.timeouts(true)}
	}
	return object{"matches": []any{object{"spiffeID": w.spiffeID()}}, "default": w.timeouts(false)}
}

func (w *world) timeouts(early bool) object {
	seconds := func() string { return fmt.Sprintf("%ds", 1+w.IntN(50)) }
	conf, http := object{}, object{}
	for _, name := range []string{"requestTimeout", "streamIdleTimeout"} {
		if w.IntN(2) == 0 {
			http[name] = seconds()
		}
	}
	if early && w.IntN(2) == 0 {
		conf["connectionTimeout"] = seconds()
	}
	if len(http) > 0 || len(conf) == 0 {
		http["requestTimeout"] = seconds()
		conf["http"] = http
	}
	return conf
}

// spiffeID returns a match for a client, for several or for none.
func (w *world) spiffeID() object {
	domain := pick(w, w.mesh, trustDomainOf(w.mesh))
	return object{
		"type":  pick(w, "Exact", "Prefix", "Prefix"),
		"value": "spiffe://" + domain + pick(w, w.paths...),
	}
}
