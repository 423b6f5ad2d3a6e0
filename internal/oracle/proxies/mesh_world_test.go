package proxies_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// A meshWorld is a mesh as people write them: Dataplanes call services in different ways, some
// services are generated and some are written, and policies refer to services by name, labels,
// tags, port and section, also where the reference selects nothing.
type meshWorld struct {
	requestWorld

	apps      []string // names of services by tags
	hasRoutes []string // names of HTTP routes
	exclusive bool
}

// newMeshWorld returns the world of a seed for a release.
func newMeshWorld(seed uint64, kuma3 bool) *meshWorld {
	w := newPlainWorld(seed, kuma3)
	if w.one(3) {
		w.gateways()
	}
	if w.one(4) {
		w.addEgress()
	}
	if w.one(3) {
		w.addZone(seed)
	}
	if w.one(3) {
		w.addLocality()
	}
	return w
}

// newPlainWorld returns one without gateways, zone egress and other zones.
func newPlainWorld(seed uint64, kuma3 bool) *meshWorld {
	w := &meshWorld{requestWorld: requestWorld{kuma3: kuma3, matches: map[string][]object{}, world: world{mesh: fmt.Sprintf("m%d", seed), Rand: rand.New(rand.NewPCG(seed, 5)), paths: []string{"", "/web", "/api"}}}} //nolint:gosec // reproducible
	w.addMesh()
	w.apps = []string{"api", "db", "pay", "web"}[:2+w.IntN(3)]
	for i, app := range w.apps {
		for j := range 1 + w.IntN(2) {
			w.addDataplane(app, 10*i+j)
		}
	}
	if w.IntN(2) == 0 {
		w.addDataplane("client", 90)
	}
	w.addServices()
	w.addIdentities()
	for i := range w.IntN(4) {
		name := w.named(i)
		w.hasRoutes = append(w.hasRoutes, name)
		w.labeled(kuma.KindMeshHTTPRoute, name, w.spec(w.routeRules), map[string]string{"route": fmt.Sprint(i)})
	}
	if w.one(3) {
		w.add(kuma.KindMeshTCPRoute, w.named(9), w.spec(w.tcpRules))
	}
	for i := range w.IntN(4) {
		w.add(kinds.MeshTimeout.Name, w.named(i), w.spec(w.timeoutEntry))
	}
	for i := range w.IntN(3) {
		w.add(kinds.MeshRetry.Name, w.named(i), w.spec(w.retryEntry))
	}
	w.addIncoming()
	w.addPassthrough()
	return w
}

// addLocality adds a policy by which proxies prefer endpoints with one of their tags, and send nothing to other zones.
func (w *meshWorld) addLocality() {
	w.add(kinds.MeshLoadBalancingStrategy.Name, "locality", w.spec(func(ref object) object {
		if w.one(2) {
			maps.DeleteFunc(ref, func(key string, _ any) bool { return key != "kind" })
			ref["kind"] = kuma.KindMesh
		}
		return object{"default": object{"localityAwareness": object{"localZone": object{"affinityTags": []any{object{"key": pick(&w.world, "version", "version", "rack")}}}}}}
	}))
}

// addZone adds what a zone control plane has of another zone: its services and the address of its ingress.
func (w *meshWorld) addZone(seed uint64) {
	zone, ingress := "west-"+w.mesh, fmt.Sprintf("10.8.%d.%d", seed/200%200, seed%200) // zone ingresses are not part of a mesh
	elsewhere := func(labels map[string]string) map[string]string {
		maps.Copy(labels, map[string]string{kuma.LabelZone: zone, kuma.LabelOrigin: kuma.OriginGlobal})
		return labels
	}
	w.resources[0].Labels = map[string]string{kuma.LabelOrigin: kuma.OriginGlobal}
	w.resources = append(w.resources, kuma.Resource{Type: kinds.HostnameGenerator.Name, Name: zone, Body: object{"spec": object{
		"selector": object{"meshService": object{"matchLabels": object{kuma.LabelMesh: w.mesh, kuma.LabelOrigin: kuma.OriginGlobal}}}, "template": "{{ .DisplayName }}.{{ .Zone }}." + w.mesh,
	}}})
	var available []any
	for _, name := range []string{"api", "pay", "stock"} {
		if w.one(3) {
			continue
		}
		protocol := pick(&w.world, "http", "http", "tcp", "grpc")
		labels := elsewhere(map[string]string{"svc": name, "tier": pick(&w.world, "front", "back"), kuma.LabelDisplayName: name})
		w.labeled(kuma.KindMeshService, name+"-7w4fz9c2", object{"spec": object{
			"state": "Available", "selector": object{"dataplaneTags": object{kuma.TagService: name}}, "identities": []any{object{"type": "ServiceTag", "value": name}},
			"ports": []any{object{"port": number(80), "targetPort": number(8080), "appProtocol": protocol}},
		}}, labels)
		available = append(available, object{"mesh": w.mesh, "instances": number(1), "tags": object{kuma.TagService: name, kuma.TagProtocol: protocol, kuma.LabelZone: zone}})
	}
	if w.kuma3 || w.one(4) {
		w.labeled(kinds.MeshZoneAddress.Name, "west", object{"spec": object{"address": ingress, "port": number(10001)}}, elsewhere(map[string]string{}))
		return
	}
	w.resources = append(w.resources, kuma.Resource{Type: kinds.ZoneIngress.Name, Name: zone, Body: object{
		"zone": zone, "networking": object{"address": "10.4.9.1", "port": number(10001), "advertisedAddress": ingress, "advertisedPort": number(10001)}, "availableServices": available,
	}})
}

// dataplaneNames returns the names of the proxies.
func (w *meshWorld) dataplaneNames() (names []string) {
	for _, r := range w.resources {
		if r.Type == kuma.KindDataplane {
			names = append(names, r.Name)
		}
	}
	return names
}

func (w *meshWorld) one(n int) bool { return w.IntN(n) == 0 }

func (w *meshWorld) addMesh() {
	mesh := object{}
	if !w.kuma3 || w.one(2) {
		mesh["skipCreatingInitialPolicies"] = []any{"*"}
	}
	if !w.kuma3 {
		mode := pick(&w.world, "Disabled", "Everywhere", "ReachableBackends", "Exclusive", "Exclusive")
		w.exclusive = mode == "Exclusive"
		mesh["meshServices"] = object{"mode": mode}
		if w.one(2) {
			mesh["mtls"] = object{"enabledBackend": "ca", "backends": []any{object{"name": "ca", "type": "builtin", "mode": pick(&w.world, "STRICT", "PERMISSIVE")}}}
		}
		if w.one(6) {
			mesh["networking"] = object{"outbound": object{"passthrough": false}}
		}
	}
	w.resources = append(w.resources, kuma.Resource{Type: kuma.KindMesh, Name: w.mesh, Body: mesh})
}

// addDataplane adds a proxy of an app.
func (w *meshWorld) addDataplane(app string, n int) {
	name := fmt.Sprintf("%s-%d", app, n%10+1)
	networking := object{"address": fmt.Sprintf("127.1.0.%d", n+1)}
	var inbounds []any
	version := pick(&w.world, "v1", "v2")
	for i := range 1 + w.IntN(2) {
		in := object{"port": number(8080 + i)}
		protocol := pick(&w.world, "http", "http", "tcp", "grpc", "http2")
		if w.one(2) {
			in["name"] = []string{"main", "aux"}[i]
		}
		if !w.one(6) {
			in["protocol"] = protocol
		}
		if !w.kuma3 && (!w.exclusive || !w.one(4)) {
			tags := object{kuma.TagService: app + []string{"", "-admin"}[i]}
			if !w.one(5) {
				tags[kuma.TagProtocol] = protocol
			}
			if w.one(2) {
				tags["version"] = version
			}
			in["tags"] = tags
		}
		if w.one(12) {
			in["state"] = pick(&w.world, "NotReady", "Ignored")
		}
		if w.one(3) {
			in["servicePort"] = number(18080 + i)
		}
		inbounds = append(inbounds, in)
	}
	networking["inbound"] = inbounds
	switch w.IntN(6) {
	case 0:
	case 1, 2:
		proxying := object{"redirectPortInbound": number(15006), "redirectPortOutbound": number(15001)}
		if !w.kuma3 && w.one(3) {
			proxying["reachableServices"] = pick(&w.world, []any{"api"}, []any{"api", "ghost"}, []any{"pay-admin", "db"}, []any{"*"}, []any{})
		}
		if w.one(3) {
			proxying["reachableBackends"] = object{"refs": w.reachable()}
		}
		networking["transparentProxying"] = proxying
	default:
		networking["outbound"] = w.outgoingOf()
	}
	labels := map[string]string{"app": app, "version": version}
	if w.one(2) {
		labels[kuma.LabelWorkload] = app
	}
	w.labeled(kuma.KindDataplane, name, object{"networking": networking}, labels)
}

// outgoingOf returns the outbounds of a Dataplane, some by tags and some by reference.
func (w *meshWorld) outgoingOf() (all []any) {
	for i := range 1 + w.IntN(5) {
		o := object{"port": number(20000 + i)}
		if w.one(8) {
			o["address"] = "127.2.0.1"
		}
		if !w.kuma3 && w.one(2) {
			tags := object{kuma.TagService: pick(&w.world, "api", "db", "pay", "api-admin", "ghost")}
			if w.one(4) {
				tags["version"] = pick(&w.world, "v1", "v2")
			}
			o["tags"] = tags
		} else {
			o["backendRef"] = w.reference(true)
		}
		all = append(all, o)
	}
	return all
}

func (w *meshWorld) reachable() (refs []any) {
	for range w.IntN(4) {
		ref := w.reference(w.one(2))
		if name := ref["name"]; w.kuma3 && name != nil { // only the preview resolves names (release3.md)
			delete(ref, "name")
			ref["labels"] = object{"svc": name}
		}
		refs = append(refs, ref)
	}
	return refs
}

// reference returns a reference to the port of a service, or to the service.
func (w *meshWorld) reference(port bool) object {
	kind := pick(&w.world, kuma.KindMeshService, kuma.KindMeshService, kuma.KindMeshService, kuma.KindMeshExternalService, kuma.KindMeshMultiZoneService)
	ref := object{"kind": kind}
	name := pick(&w.world, "api", "api", "db", "pay", "api-v1", "ghost")
	switch kind {
	case kuma.KindMeshExternalService:
		name = external
	case kuma.KindMeshMultiZoneService:
		name = "global"
	}
	if w.one(2) {
		ref["name"] = name
	} else {
		ref["labels"] = object{"svc": name}
		if w.one(6) {
			ref["labels"] = object{"tier": "back"}
		}
	}
	if port {
		ref["port"] = number(pick(&w.world, 80, 80, 80, 8080, 81))
	}
	return ref
}

// addServices adds services with the names of apps, or with others.
func (w *meshWorld) addServices() {
	for _, name := range []string{"api", "db", "pay", "api-v1"} {
		if w.one(3) {
			continue
		}
		labels := object{"app": strings.TrimSuffix(name, "-v1")}
		if name == "api-v1" {
			labels["version"] = "v1"
		}
		selector := object{"dataplaneLabels": object{"matchLabels": labels}}
		switch n := w.IntN(6); {
		case n == 0:
			selector = object{"dataplaneRef": object{"name": strings.TrimSuffix(name, "-v1") + "-1"}}
		case n < 3 && !w.kuma3:
			selector = object{"dataplaneTags": object{kuma.TagService: labels["app"]}}
		}
		var ports []any
		for i := range 1 + w.IntN(2) {
			p := object{"port": number(80 + i), "targetPort": pick[any](&w.world, number(8080+i), number(8080+i), []string{"main", "aux"}[i]), "appProtocol": pick(&w.world, "http", "http", "tcp", "grpc", "http2")}
			if w.one(3) {
				p["name"] = pick(&w.world, "http"+[]string{"", "2"}[i], "main"+[]string{"", "2"}[i], strconv.Itoa(80+i))
			}
			ports = append(ports, p)
		}
		own := map[string]string{"svc": name, "tier": pick(&w.world, "front", "back")}
		w.labeled(kuma.KindMeshService, name, object{"spec": object{"selector": selector, "ports": ports}}, own)
	}
	if w.one(2) {
		protocol := pick(&w.world, "http", "tcp", "grpc")
		w.labeled(kuma.KindMeshExternalService, external, object{"spec": object{"match": object{"type": "HostnameGenerator", "port": number(80), "protocol": protocol}, "endpoints": []any{object{"address": "10.9.9.9", "port": number(443)}}}}, map[string]string{"svc": external})
	}
	if w.one(2) {
		port := object{"port": number(80), "appProtocol": pick(&w.world, "http", "tcp")}
		if w.one(3) {
			port["name"] = pick(&w.world, "http", "http", "80")
		}
		w.labeled(kuma.KindMeshMultiZoneService, "global", object{"spec": object{"selector": object{"meshService": object{"matchLabels": object{pick(&w.world, "svc", "tier"): pick(&w.world, "api", "back")}}}, "ports": []any{port}}}, map[string]string{"svc": "global"})
	}
	for _, kind := range []string{"meshService", "meshExternalService", "meshMultiZoneService"} {
		labels := object{kuma.LabelMesh: w.mesh}
		if kind == "meshService" {
			labels[kuma.LabelOrigin] = kuma.OriginZone
		}
		w.resources = append(w.resources, kuma.Resource{Type: kinds.HostnameGenerator.Name, Name: w.mesh + "-" + strings.ToLower(kind), Body: object{"spec": object{
			"selector": object{kind: object{"matchLabels": labels}}, "template": "{{ .DisplayName }}." + w.mesh,
		}}})
	}
}

func (w *meshWorld) addIdentities() {
	if w.one(2) {
		return
	}
	dataplane := pick(&w.world, object{"matchLabels": object{}}, object{"matchLabels": object{"app": "api"}}, object{})
	path := pick(&w.world, `/{{ label "app" }}`, `/{{ label "app" }}`, `/{{ label "kuma.io/workload" }}`)
	w.addIdentity("identity", dataplane, object{"trustDomain": trustDomainOf(w.mesh), "path": path})
	if w.one(3) {
		w.add(kinds.MeshTLS.Name, "tls", object{"spec": object{"targetRef": w.selected(), "rules": []any{object{"default": object{"mode": pick(&w.world, "Strict", "Permissive")}}}}})
	}
}

// selected returns the top-level reference of a policy.
func (w *meshWorld) selected() object {
	n := w.IntN(8)
	if w.kuma3 && n < 3 {
		n += 3
	}
	switch n {
	case 0:
		return object{"kind": kuma.KindMeshSubset, "tags": pick(&w.world, object{kuma.TagService: "api"}, object{"version": "v1"}, object{kuma.TagProtocol: "http"})}
	case 1:
		return object{"kind": kuma.KindMeshService, "name": pick(&w.world, "api", "db")}
	case 2:
		return object{"kind": kuma.KindMesh}
	case 3, 4:
		return object{"kind": kuma.KindDataplane, "labels": object{"app": pick(&w.world, "api", "db", "client")}}
	case 5:
		return object{"kind": kuma.KindDataplane, "labels": object{"app": "api"}, "sectionName": pick(&w.world, "main", "8080")}
	case 6:
		return object{"kind": kuma.KindDataplane, "name": "api-1"}
	default:
		return object{"kind": kuma.KindDataplane}
	}
}

// spec returns a policy with some entries in `to`.
func (w *meshWorld) spec(entry func(ref object) object) object {
	var entries []any
	for range 1 + w.IntN(3) {
		ref := w.reference(false)
		if w.one(4) {
			ref["sectionName"] = pick(&w.world, "80", "http", "main")
		}
		e := entry(ref)
		e["targetRef"] = ref
		entries = append(entries, e)
	}
	spec := object{"to": entries}
	if w.one(2) {
		spec["targetRef"] = w.selected()
		delete(tree.Object(spec["targetRef"]), "sectionName")
	}
	return object{"spec": spec}
}

// onAny makes a reference one to the mesh, or to a route.
func (w *meshWorld) onAny(ref object) (isRoute bool) {
	n := w.IntN(4)
	if n > 1 || n == 1 && len(w.hasRoutes) == 0 {
		return false
	}
	for key := range ref {
		delete(ref, key)
	}
	if n == 0 {
		ref["kind"] = kuma.KindMesh
		return false
	}
	ref["kind"] = kuma.KindMeshHTTPRoute
	if w.one(2) {
		ref["name"] = pick(&w.world, w.hasRoutes...)
	} else {
		ref["labels"] = object{"route": fmt.Sprint(w.IntN(3))}
	}
	return true
}

// usualTimeouts are those that proxies have without a policy.
var usualTimeouts = object{"connectionTimeout": "5s", "idleTimeout": "1h", "http": object{"requestTimeout": "15s", "streamIdleTimeout": "30m"}}

func (w *meshWorld) timeoutEntry(ref object) object {
	isRoute := w.onAny(ref)
	if !isRoute && w.one(4) {
		return object{"default": usualTimeouts}
	}
	return object{"default": w.timeouts(!isRoute)}
}

func (w *meshWorld) retryEntry(ref object) object {
	isRoute := w.onAny(ref)
	http := object{}
	if w.one(2) {
		http["numRetries"] = number(w.IntN(9))
	}
	if len(http) == 0 || w.one(2) {
		http["retryOn"] = pick(&w.world, []any{"503"}, []any{"HttpMethodGet"}, []any{"5xx", "429"}, []any{"GatewayError"}, []any{"503", "HttpMethodPost"})
	}
	conf := object{"http": http}
	if w.one(3) {
		conf["grpc"] = object{"numRetries": number(2), "retryOn": []any{"Unavailable"}}
	}
	if !isRoute && w.one(3) {
		conf["tcp"] = object{"maxConnectAttempt": number(3)}
	}
	return object{"default": conf}
}

// routeRules returns the rules of an HTTP route for a service.
func (w *meshWorld) routeRules(object) object {
	var list []any
	for range 1 + w.IntN(3) {
		match := object{}
		if !w.one(5) {
			match["path"] = pick(&w.world, object{"type": "PathPrefix", "value": "/"}, object{"type": "PathPrefix", "value": "/v2"}, object{"type": "Exact", "value": "/x"}, object{"type": "RegularExpression", "value": "/v[0-9]+"})
		}
		if w.one(4) {
			match["method"] = "GET"
		}
		if w.one(4) || len(match) == 0 {
			match["headers"] = []any{w.header("a")}
		}
		conf := object{}
		if !w.one(4) {
			conf["backendRefs"] = w.backends()
		}
		if filters := w.filters(match); len(filters) > 0 {
			conf["filters"] = filters
		}
		list = append(list, object{"matches": []any{match}, "default": conf})
	}
	return object{"rules": list}
}

func (w *meshWorld) backends() (refs []any) {
	for range 1 + w.IntN(2) {
		ref := w.reference(!w.one(3))
		ref["weight"] = number(pick(&w.world, 1, 1, 9, 90, 0))
		if w.one(6) {
			ref["sectionName"] = pick(&w.world, "http", "80")
		}
		if !w.kuma3 && w.one(6) {
			ref = object{"kind": kuma.KindMeshServiceSubset, "name": "api", "tags": object{"version": pick(&w.world, "v1", "v2")}}
		}
		refs = append(refs, ref)
	}
	return refs
}

func (w *meshWorld) filters(match object) []any {
	prefix := tree.Object(match["path"])["type"] == "PathPrefix"
	switch w.IntN(8) {
	case 0:
		ref := w.reference(!w.one(3))
		return []any{object{"type": "RequestMirror", "requestMirror": object{"percentage": number(30), "backendRef": ref}}}
	case 1:
		rewrite := object{"path": object{"type": "ReplaceFullPath", "replaceFullPath": "/full"}}
		if prefix {
			rewrite["path"] = object{"type": "ReplacePrefixMatch", "replacePrefixMatch": "/new"}
		}
		return []any{object{"type": "URLRewrite", "urlRewrite": rewrite}}
	case 2:
		return []any{object{"type": "RequestRedirect", "requestRedirect": object{"hostname": "other.example", "statusCode": number(302)}}}
	case 3:
		return []any{object{"type": "RequestHeaderModifier", "requestHeaderModifier": object{"set": []any{object{"name": "x-set", "value": "s"}}}}}
	default:
		return nil
	}
}

func (w *meshWorld) tcpRules(object) object {
	return object{"rules": []any{object{"default": object{"backendRefs": w.backends()}}}}
}

// addIncoming adds policies for incoming traffic.
func (w *meshWorld) addIncoming() {
	for i := range w.IntN(4) {
		body := object{"spec": object{"targetRef": w.selected()}}
		from := !w.kuma3 && w.one(2)
		w.add(kinds.MeshTrafficPermission.Name, w.named(i), body)
		spec := tree.Object(body["spec"])
		if from {
			spec["from"] = []any{w.from(object{"action": pick(&w.world, "Allow", "Allow", "Deny", "AllowWithShadowDeny")})}
		} else {
			spec["rules"] = []any{w.world.permission("rules")}
		}
	}
	for i := range w.IntN(3) {
		conf := pick(&w.world, object{"http": object{"requestTimeout": "3s"}}, object{"connectionTimeout": "9s", "http": object{"streamIdleTimeout": "8s"}}, object{"idleTimeout": "7m"}, usualTimeouts)
		w.add(kinds.MeshTimeout.Name, w.named(20+i), w.incoming(conf))
	}
	for i := range w.IntN(3) {
		w.add(kinds.MeshRateLimit.Name, w.named(i), w.incoming(object{"local": object{"http": object{"requestRate": object{"num": number(1 + w.IntN(9)), "interval": "10s"}}}}))
	}
	for i := range w.IntN(2) {
		w.add(kinds.MeshFaultInjection.Name, w.named(i), w.incoming(object{"http": []any{object{"abort": object{"httpStatus": number(503), "percentage": number(30)}}}}))
	}
}

// incoming returns a policy with `from` or `rules`.
func (w *meshWorld) incoming(conf object) object {
	spec := object{"targetRef": w.selected()}
	if !w.kuma3 && w.one(2) {
		spec["from"] = []any{w.from(conf)}
		if tree.Object(spec["targetRef"])["kind"] == kuma.KindDataplane {
			spec["targetRef"] = object{"kind": kuma.KindMesh}
		}
	} else {
		spec["rules"] = []any{object{"default": conf}}
	}
	return object{"spec": spec}
}

func (w *meshWorld) from(conf object) object {
	ref := pick(&w.world, object{"kind": kuma.KindMesh}, object{"kind": kuma.KindMesh}, object{"kind": kuma.KindMeshSubset, "tags": object{kuma.TagService: pick(&w.world, "api", "db", "client")}}, object{"kind": kuma.KindMeshService, "name": "api"})
	return object{"targetRef": ref, "default": conf}
}

func (w *meshWorld) addPassthrough() {
	for i := range w.IntN(3) {
		conf := object{"passthroughMode": "Matched", "appendMatch": []any{object{"type": "Domain", "value": pick(&w.world, "other.example", "*.example"), "protocol": pick(&w.world, "http", "tls", "grpc"), "port": number(pick(&w.world, 80, 443))}}}
		if w.one(3) {
			conf = object{"passthroughMode": pick(&w.world, "All", "None")}
		}
		w.add(kinds.MeshPassthrough.Name, w.named(i), object{"spec": object{"targetRef": object{"kind": kuma.KindMesh}, "default": conf}})
	}
}
