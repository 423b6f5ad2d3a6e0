package proxies_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies/envoy"
)

// A requestWorld is a mesh with six proxies and nine services, of which one has no
// proxies, and with policies for requests. There are few names, so that policies meet.
type requestWorld struct {
	world

	kuma3   bool
	byTags  bool                // services select Dataplanes by tags
	tagged  map[string][]object // outbounds by tags, by Dataplane
	egress  bool                // there is a zone egress
	extPort int                 // of references to external services, 0 for any
	gateway bool                // there are gateways
	called  []string            // services that routes are for
	matches map[string][]object // of routes, by the service that is called
}

// outboundPort is a port of a service.
type outboundPort struct {
	kind, service string
	port          int
}

// kindOf returns the kind of a service.
func kindOf(service string) string {
	switch service {
	case external:
		return kuma.KindMeshExternalService
	case "multi":
		return kuma.KindMeshMultiZoneService
	default:
		return kuma.KindMeshService
	}
}

// services have the labels of the Dataplanes that provide them.
var services = map[string]object{
	"api": {"app": "api"}, "api-v1": {"app": "api", "version": "v1"}, "api-v2": {"app": "api", "version": "v2"},
	"web": {"app": "web"}, "db": {"app": "db"}, "pay": {"app": "pay"}, "ghost": {"app": "ghost"},
}

var (
	serviceNames  = []string{"api", "api-v1", "api-v2", "web", "db", "pay", "ghost"}
	requestLabels = []map[string]string{{"app": "web"}, {"app": "db"}, {"app": "pay"}, {"app": "api", "version": "v1"}, {"app": "api", "version": "v2"}, {"app": "app"}}
	dataplanes    = []string{"web", "db", "pay", "api-1", "api-2", transparent}
)

// transparent is the Dataplane that reaches services by their host names.
const transparent = "app"

// firstListener is the port of the first outbound of the others.
const firstListener = 11000

// destinations returns the ports of all services.
func (w *requestWorld) destinations() []outboundPort {
	var all []outboundPort
	for _, name := range serviceNames {
		for _, port := range []int{80, 81, 82, 83} {
			all = append(all, outboundPort{kuma.KindMeshService, name, port})
		}
	}
	return append(all, outboundPort{kuma.KindMeshExternalService, external, 80}, outboundPort{kuma.KindMeshMultiZoneService, "multi", 80}, outboundPort{kuma.KindMeshMultiZoneService, "multi", 81})
}

func newRequestWorld(seed uint64, kuma3 bool) *requestWorld {
	w := &requestWorld{matches: map[string][]object{}, world: world{mesh: fmt.Sprintf("q%d", seed), paths: []string{"", "/web", "/web", "/db", "/app", "/we"}, Rand: rand.New(rand.NewPCG(seed, 1))}, kuma3: kuma3}
	mesh := object{"skipCreatingInitialPolicies": []any{"*"}, "meshServices": object{"mode": pick(&w.world, "Exclusive", "Exclusive", "Everywhere")}}
	hasCA := !kuma3 && w.IntN(2) == 0
	if hasCA {
		mesh["mtls"] = object{"enabledBackend": "ca", "backends": []any{object{"name": "ca", "type": "builtin", "mode": pick(&w.world, "STRICT", "STRICT", "PERMISSIVE")}}}
	}
	if !kuma3 && w.IntN(4) == 0 {
		mesh["networking"] = object{"outbound": object{"passthrough": false}}
	}
	w.byTags = !kuma3 && w.IntN(3) == 0
	w.resources = append(w.resources, kuma.Resource{Type: kuma.KindMesh, Name: w.mesh, Body: mesh})
	for _, name := range serviceNames {
		w.labeled(kuma.KindMeshService, name, object{"spec": object{
			"selector": w.selector(services[name]),
			"ports": []any{
				object{"port": number(80), "targetPort": pick[any](&w.world, number(9000), number(9000), number(9000), "main", "9000"), "appProtocol": "http"},
				object{"port": number(81), "targetPort": number(9001), "appProtocol": "tcp"},
				object{"port": number(82), "targetPort": number(9002), "appProtocol": "grpc"},
				object{"port": number(83), "name": "admin", "targetPort": "admin", "appProtocol": pick(&w.world, "http", "http2")},
			},
		}}, map[string]string{"svc": name})
	}
	w.labeled(kuma.KindMeshExternalService, external, object{"spec": object{"match": object{"type": "HostnameGenerator", "port": number(80), "protocol": "http"}, "endpoints": []any{object{"address": "10.9.9.9", "port": number(8443)}}}}, map[string]string{"svc": external})
	w.labeled(kuma.KindMeshMultiZoneService, "multi", object{"spec": object{
		"selector": object{"meshService": object{"matchLabels": object{"svc": pick(&w.world, "api", "db", "ghost")}}},
		"ports":    []any{object{"port": number(80), "appProtocol": "http"}, object{"port": number(81), "appProtocol": "tcp"}},
	}}, map[string]string{"svc": "multi"})
	for i, name := range dataplanes {
		networking := object{"address": fmt.Sprintf("127.0.1.%d", i+1), "inbound": w.inbounds(i)}
		outbounds, reachable := w.outbounds()
		if name == transparent {
			networking["transparentProxying"] = object{"redirectPortInbound": number(15006), "redirectPortOutbound": number(15001), "reachableBackends": object{"refs": reachable}}
		} else {
			networking["outbound"] = outbounds
		}
		w.labeled(kuma.KindDataplane, name, object{"networking": networking}, requestLabels[i])
	}
	often := 3 // before 3.0, because of the names that proxies ask it for
	if kuma3 {
		often = 2
	}
	if w.egress = w.IntN(5) < often; w.egress {
		w.addEgress()
	}
	if w.egress && !kuma3 {
		w.extPort = pick(&w.world, 0, 0, 81, 83) // with several, it is not known which one the egress is asked for
	}
	for _, kind := range []string{"meshService", "meshExternalService", "meshMultiZoneService"} {
		w.resources = append(w.resources, kuma.Resource{Type: "HostnameGenerator", Name: w.mesh + "-" + strings.ToLower(kind), Body: object{"spec": object{
			"selector": object{kind: object{"matchLabels": object{"kuma.io/mesh": w.mesh}}}, "template": "{{ .DisplayName }}." + w.mesh,
		}}})
	}
	w.gateways()
	w.identities(hasCA)
	w.policies()
	w.permissions(hasCA)
	w.passthrough()
	if !kuma3 && seed%3 == 0 {
		w.addTagged(seed)
	}
	return w
}

// egress is the Dataplane through which requests leave the mesh.
const egress, egressAddress = "egress", "127.0.3.1"

func (w *requestWorld) addEgress() {
	w.labeled(kuma.KindDataplane, egress, object{"networking": object{"address": egressAddress, "listeners": []any{object{"type": "ZoneEgress", "address": egressAddress, "port": number(10002), "name": egress}}}}, map[string]string{"app": egress})
}

// outbounds returns those of a Dataplane to most ports, and the references to them.
func (w *requestWorld) outbounds() (all, refs []any) {
	for i, to := range w.destinations() {
		if w.IntN(10) == 0 {
			continue
		}
		ref := object{"kind": to.kind, "labels": object{"svc": to.service}, "port": number(to.port)}
		all = append(all, object{"port": number(firstListener + i), "backendRef": ref})
		refs = append(refs, ref)
	}
	return all, refs
}

// selector returns the selector of a MeshService.
func (w *requestWorld) selector(labels object) object {
	if w.byTags {
		return object{"dataplaneTags": labels}
	}
	return object{"dataplaneLabels": object{"matchLabels": labels}}
}

// inbounds returns those of a Dataplane. Some have a second one with the port of the first.
func (w *requestWorld) inbounds(i int) (all []any) {
	for j, protocol := range []string{"http", "tcp", "grpc", "http"} {
		tags := object{kuma.TagService: requestLabels[i]["app"], kuma.TagProtocol: protocol}
		for key, value := range requestLabels[i] {
			tags[key] = value
		}
		in := object{"port": number(9000 + j), "name": []string{"main", "tcp", "grpc", "admin"}[j], "protocol": protocol, "tags": tags}
		if w.IntN(20) == 0 {
			in["state"] = pick(&w.world, "NotReady", "Ignored")
		}
		all = append(all, in)
		if j == 0 && w.IntN(5) == 0 {
			all = append(all, object{"port": number(9000), "address": fmt.Sprintf("127.0.2.%d", i+1), "name": "second", "protocol": protocol, "tags": tags})
		}
	}
	return all
}

func (w *requestWorld) labeled(kind, name string, body object, labels map[string]string) {
	w.add(kind, name, body)
	w.resources[len(w.resources)-1].Labels = labels
}

func (w *requestWorld) identities(hasCA bool) {
	if w.IntN(3) == 0 || hasCA && w.IntN(2) == 0 {
		return
	}
	selected := pick(&w.world, object{}, object{}, object{"app": "web"}, object{"app": "api"}, object{"version": "v1"})
	if w.egress && !w.kuma3 {
		selected = object{} // clients would get no configuration (TestClientsOfEgress)
	}
	w.addIdentity("identity", object{"matchLabels": selected}, object{"trustDomain": trustDomainOf(w.mesh), "path": `/{{ label "app" }}`})
	if w.IntN(4) == 0 {
		w.add("MeshTLS", "tls", object{"spec": object{"targetRef": w.top(), "rules": []any{object{"default": object{"mode": pick(&w.world, "Strict", "Permissive")}}}}})
	}
}

func (w *requestWorld) policies() {
	routes := 0
	for i := range 3 + w.IntN(4) {
		name := w.named(i)
		w.labeled(kuma.KindMeshHTTPRoute, name, w.forSidecars(w.outgoing(w.httpRoute, false)), map[string]string{"route": fmt.Sprint(i)})
		routes++
	}
	if w.IntN(2) == 0 {
		w.add(kuma.KindMeshTCPRoute, w.named(0), w.forSidecars(w.outgoing(w.tcpRoute, false)))
	}
	for i := range w.IntN(4) {
		w.add("MeshTimeout", w.named(i), w.outgoing(func(ref object) object {
			conf := w.timeouts(ref["kind"] != kuma.KindMeshHTTPRoute)
			if ref["kind"] != kuma.KindMeshHTTPRoute && w.IntN(3) == 0 {
				conf["idleTimeout"] = pick(&w.world, "0s", "7m", "8m")
				conf["http"] = object{"maxStreamDuration": pick(&w.world, "0s", "77m"), "maxConnectionDuration": "99m"}
			}
			return object{"default": conf}
		}, true))
	}
	for i := range w.IntN(4) {
		w.add("MeshRetry", w.named(i), w.outgoing(w.retry, true))
	}
	for i := range w.IntN(3) {
		w.add("MeshTimeout", w.named(i)+"in", object{"spec": object{"targetRef": w.top(), "rules": []any{w.incoming()}}})
	}
	for i := range w.IntN(3) {
		w.add("MeshRateLimit", w.named(i), object{"spec": object{"targetRef": w.topDataplane(), "rules": []any{w.limit()}}})
	}
	for i := range w.IntN(3) {
		w.add("MeshFaultInjection", w.named(i), object{"spec": object{"targetRef": w.topDataplane(), "rules": []any{w.fault()}}})
	}
}

// permissions adds those with `rules`, and for certificates of the mesh also those with `from`.
func (w *requestWorld) permissions(hasCA bool) {
	list, lists := w.permission, []string{"rules"}
	if hasCA {
		lists = pick(&w.world, []string{"from"}, []string{"from"}, []string{"rules", "from"}, []string{"rules"})
	}
	for i := range 1 + w.IntN(5) {
		of := pick(&w.world, lists...)
		entries := []any{list(of)}
		if of == "from" && w.IntN(2) == 0 {
			entries = append(entries, list(of))
		}
		w.add("MeshTrafficPermission", fmt.Sprintf("%c%d", 'a'+rune(w.IntN(26)), i), object{"spec": object{"targetRef": w.top(), of: entries}})
	}
	if slices.ContainsFunc(w.resources, func(r kuma.Resource) bool { return r.Type == "MeshIdentity" }) {
		client := object{"spiffeID": object{"type": "Exact", "value": "spiffe://" + trustDomainOf(w.mesh) + pick(&w.world, "/web", "/web", "/db")}}
		top := pick(&w.world, w.top(), object{"kind": kuma.KindMesh}, object{"kind": kuma.KindMesh})
		w.add("MeshTrafficPermission", "exact", object{"spec": object{"targetRef": top, "rules": []any{object{"default": object{pick(&w.world, "allow", "allow", "deny"): []any{client}}}}}})
	}
}

func (w *requestWorld) permission(list string) object {
	if list == "rules" {
		return w.world.permission(list)
	}
	tags := pick(&w.world, object{kuma.TagService: "web"}, object{kuma.TagService: "web"}, object{kuma.TagService: "db"}, object{kuma.TagService: "app"}, object{"app": "web"}, object{kuma.TagProtocol: "http", "app": "db"})
	ref := pick(&w.world, object{"kind": kuma.KindMesh}, object{"kind": kuma.KindMeshSubset, "tags": tags}, object{"kind": kuma.KindMeshSubset, "tags": tags})
	return object{"targetRef": ref, "default": object{"action": pick(&w.world, "Allow", "Allow", "Deny", "AllowWithShadowDeny")}}
}

// passthrough adds what transparent proxies let through.
func (w *requestWorld) passthrough() {
	for i := range w.IntN(3) {
		conf := object{"passthroughMode": pick(&w.world, "All", "None", "Matched", "Matched", "Matched")}
		if conf["passthroughMode"] == "Matched" {
			matches := []any{
				object{"type": "Domain", "value": pick(&w.world, "other.example", "*.example"), "protocol": "http", "port": number(80)},
				pick(&w.world, object{"type": "IP", "value": "10.0.0.7", "protocol": "tcp"}, object{"type": "CIDR", "value": "10.1.0.0/16", "port": number(81), "protocol": "tcp"}),
			}
			w.Shuffle(len(matches), func(i, j int) { matches[i], matches[j] = matches[j], matches[i] })
			matches = matches[:1+w.IntN(2)]
			conf["appendMatch"] = matches
		}
		w.add("MeshPassthrough", fmt.Sprintf("%c%d", 'a'+rune(w.IntN(26)), i), object{"spec": object{"targetRef": object{"kind": pick(&w.world, kuma.KindMesh, kuma.KindDataplane)}, "default": conf}})
	}
}

// limit returns limits of requests and, for all clients, of connections.
func (w *requestWorld) limit() object {
	http := object{"requestRate": object{"num": number(1 + w.IntN(9)), "interval": pick(&w.world, "10s", "1m")}}
	switch w.IntN(4) {
	case 0:
		http["onRateLimit"] = object{"status": number(pick(&w.world, 423, 503))}
	case 1:
		http = object{"disabled": true}
	case 2:
		http = object{"onRateLimit": object{"status": number(430)}}
	}
	local := object{"http": http}
	if w.IntN(2) == 0 {
		return object{"matches": []any{w.condition()}, "default": object{"local": local}}
	}
	if w.IntN(2) == 0 {
		local["tcp"] = object{"connectionRate": object{"num": number(1 + w.IntN(9)), "interval": "5s"}}
	}
	return object{"default": object{"local": local}}
}

// fault returns one or two faults of any form.
func (w *requestWorld) fault() object {
	var list []any
	for range 1 + w.IntN(2) {
		share := pick[any](&w.world, number(30), "7.5")
		list = append(list, pick(&w.world,
			object{"abort": object{"httpStatus": number(pick(&w.world, 500, 404)), "percentage": share}},
			object{"delay": object{"value": "5s", "percentage": share}},
			object{"responseBandwidth": object{"limit": "50 kbps", "percentage": share}},
			object{"abort": object{"httpStatus": number(503), "percentage": number(5)}, "delay": object{"value": "2s", "percentage": share}},
		))
	}
	rule := object{"default": object{"http": list}}
	if w.IntN(2) == 0 {
		rule["matches"] = []any{w.condition()}
	}
	return rule
}

// incoming returns timeouts of incoming requests.
func (w *requestWorld) incoming() object {
	rule := w.timeout("rules")
	if rule["matches"] != nil {
		rule["matches"] = []any{w.condition()}
	} else if conf, ok := rule["default"].(object); ok && w.IntN(2) == 0 {
		conf["idleTimeout"] = "9m"
		if http, ok := conf["http"].(object); ok {
			http["maxStreamDuration"], http["maxConnectionDuration"] = pick(&w.world, "0s", "66m"), "98m"
		}
	}
	return rule
}

// condition returns a match for clients, by their SPIFFE ID, by the name that they ask for, or
// by both.
func (w *requestWorld) condition() object {
	name := object{"type": "Exact", "value": fmt.Sprintf(pick(&w.world, "sni.extsvc.%s.zone-1.ext.80", "sni.msvc.%s.zone-1.api.80"), w.mesh)}
	switch w.IntN(5) {
	case 0:
		return object{"sni": name}
	case 1:
		return object{"spiffeID": w.spiffeID(), "sni": name}
	default:
		return object{"spiffeID": w.spiffeID()}
	}
}

// top returns a reference to proxies.
func (w *requestWorld) top() object {
	switch w.IntN(5) {
	case 0:
		return object{"kind": kuma.KindDataplane, "labels": object{"app": pick(&w.world, "web", "api", "db")}}
	case 1:
		return object{"kind": kuma.KindDataplane, "labels": object{"app": pick(&w.world, "web", "api", "db")}, "sectionName": pick(&w.world, "main", "admin")}
	case 2:
		return object{"kind": kuma.KindDataplane}
	default:
		return object{"kind": kuma.KindMesh}
	}
}

// topDataplane returns a reference to proxies of kind Dataplane, which some kinds require.
func (w *requestWorld) topDataplane() object {
	ref := w.top()
	ref["kind"] = kuma.KindDataplane
	return ref
}

// outgoing returns a policy with one or two entries in `to`.
func (w *requestWorld) outgoing(entry func(ref object) object, everywhere bool) object {
	var entries []any
	for range 1 + w.IntN(2) {
		service := pick(&w.world, "api", "api", "api", "db", "pay", "web", "ghost", "multi", external)
		ref := object{"kind": kindOf(service), "labels": object{"svc": service}}
		if !everywhere {
			w.called = append(w.called, service)
		}
		switch n := w.IntN(10); {
		case n == 0 && service != external:
			ref["sectionName"] = pick(&w.world, "80", "admin", "82")
		case everywhere && n < 4:
			ref = object{"kind": kuma.KindMesh}
		case everywhere && n < 8:
			ref = object{"kind": kuma.KindMeshHTTPRoute, "labels": object{"route": fmt.Sprint(w.IntN(5))}}
		}
		e := entry(ref)
		e["targetRef"] = ref
		entries = append(entries, e)
	}
	spec := object{"to": entries}
	switch w.IntN(5) {
	case 0:
		spec["targetRef"] = object{"kind": kuma.KindDataplane}
	case 1:
		spec["targetRef"] = object{"kind": kuma.KindDataplane, "labels": object{"app": pick(&w.world, "web", "db")}}
	}
	return object{"spec": spec}
}

func (w *requestWorld) httpRoute(ref object) object {
	service, _ := ref["labels"].(object)["svc"].(string) //nolint:forcetypeassert // see outgoing
	var list []any
	for range 1 + w.IntN(4) {
		var matches []any
		for range 1 + w.IntN(2) {
			matches = append(matches, w.match(service))
		}
		list = append(list, object{"matches": matches, "default": w.routeConf(matches)})
	}
	if w.IntN(6) == 0 { // the rest has no backend that exists
		list = append(list, object{"matches": []any{object{"path": object{"type": "PathPrefix", "value": "/"}}}, "default": object{"backendRefs": []any{
			object{"kind": kuma.KindMeshService, "labels": object{"svc": "db"}, "port": number(81)},
		}}})
	}
	return object{"rules": list}
}

func (w *requestWorld) match(service string) object {
	m := object{}
	switch w.IntN(9) {
	case 0:
	case 1, 2, 3:
		m["path"] = object{"type": "Exact", "value": pick(&w.world, "/x", "/v2", "/v2/long", "/x/", "/")}
	case 4, 5, 6:
		m["path"] = object{"type": "PathPrefix", "value": pick(&w.world, "/", "/v2", "/v2/long", "/x")}
	default:
		m["path"] = object{"type": "RegularExpression", "value": pick(&w.world, "/v[0-9]+", "/x.*", ".*", "/v2/.*", "/other")}
	}
	w.matches[service] = append(w.matches[service], m)
	if w.IntN(3) == 0 {
		m["method"] = pick(&w.world, "GET", "POST")
	}
	if w.IntN(2) == 0 {
		m["headers"] = []any{w.header("a")}
		if w.IntN(2) == 0 {
			m["headers"] = []any{w.header("a"), w.header("b")}
		}
	}
	if w.IntN(3) == 0 {
		m["queryParams"] = []any{object{"name": "q", "type": pick(&w.world, "Exact", "RegularExpression"), "value": pick(&w.world, "1", "2", "1.*")}}
	}
	return m
}

func (w *requestWorld) header(name string) object {
	h := object{"name": name, "type": pick(&w.world, "Exact", "Present", "Absent", "Prefix", "RegularExpression")}
	if h["type"] == "Present" || h["type"] == "Absent" {
		return h
	}
	h["value"] = pick(&w.world, "1", "12")
	return h
}

// routeConf returns what a rule does with requests.
func (w *requestWorld) routeConf(matches []any) object {
	conf := object{}
	prefixes := true
	for _, m := range matches {
		path, _ := m.(object)["path"].(object)
		prefixes = prefixes && path["type"] == "PathPrefix"
	}
	newPath := func() object {
		if prefixes && w.IntN(2) == 0 {
			return object{"type": "ReplacePrefixMatch", "replacePrefixMatch": pick(&w.world, "/new", "/new/", "/")}
		}
		return object{"type": "ReplaceFullPath", "replaceFullPath": "/full"}
	}
	var filters []any
	switch w.IntN(7) {
	case 0:
		redirect := object{}
		if w.IntN(2) == 0 {
			redirect["path"] = newPath()
		}
		if w.IntN(2) == 0 {
			redirect["hostname"] = "other.example"
		}
		if w.IntN(3) == 0 {
			redirect["scheme"], redirect["port"] = "https", number(8443)
		}
		if w.IntN(2) == 0 {
			redirect["statusCode"] = number(pick(&w.world, 301, 303, 307, 308))
		}
		filters = append(filters, object{"type": "RequestRedirect", "requestRedirect": redirect})
	case 1, 2:
		rewrite := object{"path": newPath()}
		if w.IntN(2) == 0 {
			rewrite["hostname"] = "other.example"
		}
		filters = append(filters, object{"type": "URLRewrite", "urlRewrite": rewrite})
	case 3:
		if w.kuma3 {
			filters = append(filters, object{"type": "RequestMirror", "requestMirror": object{"percentage": pick[any](&w.world, number(30), "7.5"), "backendRef": w.backend(true)}})
		}
	}
	for i, name := range []string{"RequestHeaderModifier", "ResponseHeaderModifier"} {
		if w.IntN(4) == 0 {
			field := []string{"requestHeaderModifier", "responseHeaderModifier"}[i]
			filters = append(filters, object{"type": name, field: object{
				"set": []any{object{"name": "x-set", "value": "s"}}, "add": []any{object{"name": "a", "value": "added"}}, "remove": []any{"b"},
			}})
		}
	}
	if len(filters) > 0 {
		conf["filters"] = filters
	}
	if w.IntN(4) > 0 {
		conf["backendRefs"] = w.backends()
	}
	return conf
}

func (w *requestWorld) backends() []any {
	var refs []any
	for range w.IntN(4) {
		refs = append(refs, w.backend(false))
	}
	if refs == nil {
		return []any{}
	}
	return refs
}

// backend returns a reference to a service, which sometimes does not exist.
func (w *requestWorld) backend(mirror bool) object {
	name := pick(&w.world, "api-v1", "api-v2", "db", "pay", "nope", "api-v1", "db", "multi", external)
	if w.egress && w.IntN(3) == 0 {
		name = external
	}
	if mirror {
		name = pick(&w.world, "db", "pay", "api-v2")
	}
	ref := object{"kind": kindOf(name), "labels": object{"svc": name}, "port": number(pick(&w.world, 80, 80, 80, 80, 83, 82))}
	if !mirror {
		ref["weight"] = number(pick(&w.world, 1, 1, 3, 50, 90, 10, 0))
		if w.IntN(12) == 0 {
			ref["port"] = number(pick(&w.world, 81, 4999))
		}
	}
	if name == external && w.extPort != 0 {
		ref["port"] = number(w.extPort)
	}
	return ref
}

func (w *requestWorld) tcpRoute(object) object {
	refs := append(w.backends(), w.backend(false))
	for _, r := range refs {
		if r, ok := r.(object); ok && r["kind"] != kuma.KindMeshExternalService && w.IntN(2) == 0 {
			r["port"] = number(81)
		}
	}
	return object{"rules": []any{object{"default": object{"backendRefs": refs}}}}
}

func (w *requestWorld) retry(ref object) object {
	attempts := func() object {
		conf := object{"numRetries": number(w.IntN(5))}
		if w.IntN(2) == 0 {
			conf["perTryTimeout"] = fmt.Sprintf("%ds", 1+w.IntN(9))
		}
		if w.IntN(2) == 0 {
			conf["backOff"] = object{"baseInterval": "30ms"}
			if w.IntN(2) == 0 {
				conf["backOff"] = object{"baseInterval": "40ms", "maxInterval": "400ms"}
			}
		}
		if w.IntN(4) == 0 {
			delete(conf, "numRetries")
			conf["perTryTimeout"] = "11s"
		}
		return conf
	}
	http, grpc := attempts(), attempts()
	if w.IntN(2) == 0 {
		http["retryOn"] = pick(&w.world, []any{"5xx"}, []any{"GatewayError", "503"}, []any{"Reset", "HttpMethodGet"}, []any{"HttpMethodPost"}, []any{"ConnectFailure", "Retriable4xx", "RefusedStream"})
	}
	if w.IntN(2) == 0 {
		grpc["retryOn"] = pick(&w.world, []any{"Internal"}, []any{"Canceled", "Unavailable"})
	}
	conf := object{"http": http, "grpc": grpc}
	if ref["kind"] != kuma.KindMeshHTTPRoute && w.IntN(2) == 0 {
		conf["tcp"] = object{"maxConnectAttempt": number(1 + w.IntN(4))}
	}
	if w.IntN(4) == 0 {
		delete(conf, "http")
	}
	return object{"default": conf}
}

// request returns a request of a client to a port.
func (w *requestWorld) request() (from string, to outboundPort, r envoy.Request) {
	all := w.destinations()
	n := w.IntN(len(all))
	if w.IntN(3) > 0 {
		called := pick(&w.world, w.called...)
		n = slices.IndexFunc(all, func(p outboundPort) bool { return p.service == called })
	}
	if w.IntN(12) == 0 {
		from, r = w.leaving()
		return from, to, r
	}
	r = envoy.Request{Host: "127.0.0.1", Port: firstListener + n, Method: pick(&w.world, "GET", "GET", "POST", "PUT"), Headers: map[string]string{}, Query: map[string]string{}}
	if from, to = pick(&w.world, "web", "web", "db", transparent), all[n]; w.gateway && w.IntN(6) == 0 {
		from = delegated
	}
	if from == transparent {
		r.Host, r.Port = to.service+"."+w.mesh, to.port
	}
	r.Path = pick(&w.world, "/", "/x", "/x/", "/X", "//x", "/q/../x", "/%78", "/x/y", "/xy", "/v2", "/v2/", "/v2/x", "/v20", "/v2/long", "/v2/long/y", "/v2/longer", "/other")
	for _, name := range []string{"a", "b"} {
		if w.IntN(2) == 0 {
			r.Headers[pick(&w.world, name, strings.ToUpper(name))] = pick(&w.world, "1", "12", "2")
		}
	}
	if w.IntN(2) == 0 {
		r.Query["q"] = pick(&w.world, "1", "2", "12")
	}
	if w.gateway && w.IntN(2) == 0 {
		from, to = gateway, outboundPort{service: gateway}
		r = w.fromOutside(r)
	}
	if of := w.matches[to.service]; len(of) > 0 && w.IntN(3) > 0 {
		meet(&r, pick(&w.world, of...))
	}
	if from == gateway && w.IntN(4) == 0 {
		r.Path = health
	}
	return from, to, r
}

// outside are hosts that are not services.
var outside = []string{"other.example", "a.other.example", "other.invalid", "10.0.0.7", "10.1.2.3"}

// leaving returns a request to a host that is not a service.
func (w *requestWorld) leaving() (from string, r envoy.Request) {
	r = envoy.Request{Host: pick(&w.world, outside...), Port: pick(&w.world, 80, 80, 81), Method: "GET", Path: "/"}
	return pick(&w.world, "web", transparent, transparent, transparent), r
}

// meet changes a request so that it meets most of a match.
func meet(r *envoy.Request, match object) {
	path, _ := match["path"].(object)
	switch value, _ := path["value"].(string); {
	case path["type"] == "RegularExpression":
		r.Path = strings.NewReplacer("[0-9]+", "7", ".*", "/y").Replace(strings.Replace(value, ".*", "/.*", 1))
	case value != "":
		r.Path = value
	}
	if method, ok := match["method"].(string); ok {
		r.Method = method
	}
	conditions, _ := match["headers"].([]any)
	for _, c := range conditions {
		header, _ := c.(object)
		name, _ := header["name"].(string)
		maps.DeleteFunc(r.Headers, func(other, _ string) bool { return strings.EqualFold(other, name) })
		if header["type"] != "Absent" {
			r.Headers[name] = "12"
		}
		if value, ok := header["value"].(string); ok {
			r.Headers[name] = value
		}
	}
	if parameters, _ := match["queryParams"].([]any); len(parameters) > 0 {
		parameter, _ := parameters[0].(object)
		name, _ := parameter["name"].(string)
		r.Query[name], _ = parameter["value"].(string)
	}
}
