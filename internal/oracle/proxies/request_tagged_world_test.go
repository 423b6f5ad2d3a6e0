package proxies_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"

	engine "github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies/envoy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// suffixes are those of the services by tags for the ports of a service.
var suffixes = map[int]string{80: "", 81: "-tcp", 82: "-grpc", 83: "-admin"}

// mirrored is the service by tags that gets copies of requests.
const mirrored = "web"

// addTagged makes some outbounds of a world ones by tags: all of them in mode Disabled, in
// which there are no services. Each inbound of a Dataplane has a service of its own, unless
// several share one, or have another protocol or none.
func (w *requestWorld) addTagged(seed uint64) {
	random := w.Rand
	w.Rand = rand.New(rand.NewPCG(seed, 2)) //nolint:gosec // reproducible
	defer func() { w.Rand = random }()
	mode := pick(&w.world, "Disabled", "Everywhere", "Exclusive")
	w.resources[0].Body["meshServices"] = object{"mode": mode}
	if mode == "Disabled" {
		w.resources = slices.DeleteFunc(w.resources, func(r kuma.Resource) bool {
			return slices.Contains(rules.DestinationKinds(), r.Type) || r.Type == "HostnameGenerator" || r.Name == egress
		})
		w.egress = false
	}
	w.tagged = map[string][]object{}
	for _, r := range w.resources {
		if r.Type == kuma.KindDataplane && r.Name != egress {
			w.tagDataplane(r, mode)
		}
	}
	w.taggedPolicies()
}

func (w *requestWorld) tagDataplane(r kuma.Resource, mode string) {
	networking := tree.Object(r.Body["networking"])
	if mode != "Exclusive" { // both have the timeouts of one of them (proxies.md §4)
		networking["inbound"] = slices.DeleteFunc(tree.List(networking["inbound"]), func(in any) bool { return tree.Object(in)["name"] == "second" })
	}
	for i, in := range tree.Objects(networking["inbound"]) {
		tags := maps.Clone(tree.Object(in["tags"])) // inbounds may share them
		name := fmt.Sprint(in["name"])
		suffix := map[string]string{"tcp": "-tcp", "grpc": "-grpc", "admin": "-admin"}[name]
		if suffix != "" && w.IntN(15) == 0 {
			suffix = pick(&w.world, "-tcp", "-grpc", "-admin")
		}
		tags[kuma.TagService] = fmt.Sprint(r.Labels["app"], suffix)
		if tags[kuma.TagService] == mirrored { // without it, proxies get nothing (matching.md §17.10)
			delete(in, "state")
		}
		switch n := w.IntN(20); {
		case tags[kuma.TagService] == mirrored:
		case n == 2:
			tags["only"] = fmt.Sprint(i)
		case mode != "Disabled": // the MeshServices have the protocols (matching.md §17.10)
		case n == 0:
			delete(tags, kuma.TagProtocol)
		case n == 1:
			tags[kuma.TagProtocol] = pick(&w.world, "http2", "grpc", "tcp", "http")
		}
		in["tags"] = tags
	}
	all := w.IntN(3) == 0 || mode == "Disabled"
	var outbounds []any
	for _, o := range tree.Objects(networking["outbound"]) {
		if all || w.IntN(2) == 0 {
			to := w.destinations()[tree.Int(o["port"])-firstListener]
			o = object{"port": o["port"], "tags": w.tagsFor(to)}
			w.tagged[r.Name] = append(w.tagged[r.Name], o)
		}
		outbounds = append(outbounds, o)
	}
	if r.Name != transparent {
		networking["outbound"] = outbounds
		return
	}
	proxying := tree.Object(networking["transparentProxying"])
	if w.IntN(3) == 0 {
		proxying["reachableServices"] = []any{"api", "web-grpc", "db-admin", "ghost"}
	}
}

// tagsFor returns the tags of a port of a service, which sometimes no proxy has.
func (w *requestWorld) tagsFor(to outboundPort) object {
	suffix := suffixes[to.port]
	switch to.service {
	case "api-v1":
		return object{kuma.TagService: "api" + suffix, "version": "v1"}
	case "api-v2":
		return object{kuma.TagService: "api" + suffix, "version": "v2"}
	case external:
		return object{kuma.TagService: "app", "app": pick(&w.world, "app", "nope")}
	case "multi":
		return object{kuma.TagService: pick(&w.world, "api", "db", "web") + suffix, pick(&w.world, "version", "only", "kuma.io/zone", kuma.TagProtocol): pick(&w.world, "v1", "0", "zone-1", "http")}
	default:
		return object{kuma.TagService: to.service + suffix}
	}
}

// taggedPolicies adds policies for services by name.
func (w *requestWorld) taggedPolicies() {
	for i := range 2 + w.IntN(3) {
		w.labeled(kuma.KindMeshHTTPRoute, fmt.Sprintf("%c%dt", 'a'+rune(w.IntN(26)), i), w.forSidecars(w.byName(w.httpRoute)), map[string]string{"route": fmt.Sprint(5 + i)})
	}
	for i := range w.IntN(3) {
		w.add(kuma.KindMeshTCPRoute, fmt.Sprintf("%c%dt", 'a'+rune(w.IntN(26)), i), w.forSidecars(w.byName(w.tcpRoute)))
	}
	for i := range w.IntN(4) {
		w.add("MeshTimeout", fmt.Sprintf("%c%dt", 'a'+rune(w.IntN(26)), i), w.onRoutes(w.byName(func(object) object { return object{"default": w.timeoutsByName()} })))
	}
	for i := range w.IntN(4) {
		w.add("MeshRetry", fmt.Sprintf("%c%dt", 'a'+rune(w.IntN(26)), i), w.onRoutes(w.byName(w.retry)))
	}
}

func (w *requestWorld) timeoutsByName() object {
	conf := w.timeouts(true)
	if w.IntN(3) == 0 {
		conf["idleTimeout"] = pick(&w.world, "0s", "7m", "8m")
		conf["http"] = object{"maxStreamDuration": pick(&w.world, "0s", "77m"), "maxConnectionDuration": "99m"}
	}
	return conf
}

// onRoutes makes a policy one for the requests of a route (deprecated), or for all.
func (w *requestWorld) onRoutes(body object) object {
	spec := tree.Object(body["spec"])
	var routes []string
	for _, r := range w.resources {
		if r.Type == kuma.KindMeshHTTPRoute {
			routes = append(routes, r.Name)
		}
	}
	switch w.IntN(4) {
	case 0:
		spec["targetRef"] = object{"kind": kuma.KindMeshHTTPRoute, "name": pick(&w.world, routes...)}
		fallthrough
	case 1:
		for _, e := range tree.Objects(spec["to"]) {
			e["targetRef"] = object{"kind": kuma.KindMesh}
			if _, isTimeout := tree.Object(e["default"])["connectionTimeout"]; spec["targetRef"] != nil && isTimeout || tree.Object(e["default"])["idleTimeout"] != nil {
				e["default"] = w.timeouts(false)
			}
		}
	}
	return body
}

// byName returns a policy with entries for services by name.
func (w *requestWorld) byName(entry func(ref object) object) object {
	var entries []any
	for range 1 + w.IntN(3) {
		service := pick(&w.world, "api", "api", "api", "db", "pay", "web", "ghost", "app") + pick(&w.world, "", "", "", "-admin", "-grpc", "-tcp")
		before := slices.Clone(w.matches[service])
		e := entry(object{"kind": kuma.KindMeshService, "labels": object{"svc": service}})
		w.matches[service] = before
		for _, rule := range tree.Objects(e["rules"]) {
			w.backendsByTags(tree.Object(rule["default"]), rule["matches"] != nil)
			for _, m := range tree.Objects(rule["matches"]) {
				for _, name := range []string{service, "api-v1", "api-v2", "multi"} {
					w.matches[name] = append(w.matches[name], m)
				}
			}
		}
		e["targetRef"] = object{"kind": kuma.KindMeshService, "name": service}
		entries = append(entries, e)
	}
	spec := object{"to": entries}
	if w.IntN(4) == 0 {
		spec["targetRef"] = object{"kind": kuma.KindDataplane, "labels": object{"app": pick(&w.world, "web", "db")}}
	}
	return object{"spec": spec}
}

// backendsByTags makes most backends of a rule ones by tags, and mirrors some requests.
func (w *requestWorld) backendsByTags(conf object, mirrors bool) {
	for _, ref := range tree.Objects(conf["backendRefs"]) {
		if w.IntN(5) == 0 {
			continue
		}
		delete(ref, "labels")
		delete(ref, "port")
		ref["kind"], ref["name"] = kuma.KindMeshService, pick(&w.world, "api", "api-admin", "db", "pay", "web-grpc", "app", "ghost", "nope")+pick(&w.world, "", "", "", "", "-tcp")
		switch w.IntN(5) {
		case 0:
			ref["kind"], ref["name"], ref["tags"] = kuma.KindMeshServiceSubset, "api", object{"version": pick(&w.world, "v1", "v2", "v3")}
		case 1:
			ref["port"] = number(pick(&w.world, 80, 81, 4999))
		}
	}
	redirects := slices.ContainsFunc(tree.Objects(conf["filters"]), func(f object) bool { return f["type"] == "RequestRedirect" })
	if mirrors && w.IntN(4) > 0 && !redirects { // together, they freeze proxies
		conf["filters"] = append(tree.List(conf["filters"]), object{"type": "RequestMirror", "requestMirror": object{"percentage": pick[any](&w.world, number(30), "7.5"), "backendRef": object{"kind": kuma.KindMeshService, "name": mirrored}}})
	}
}

// requestByTags returns a request, of a transparent proxy also to a host name of a service by
// tags.
func (w *requestWorld) requestByTags() (from string, to outboundPort, r envoy.Request) {
	from, to, r = w.request()
	mode := tree.Text(tree.Object(w.resources[0].Body["meshServices"])["mode"])
	if w.tagged == nil || to.kind == "" || mode == "Exclusive" || from == transparent && mode != "Disabled" && w.IntN(2) == 0 || from != transparent && w.IntN(6) > 0 {
		return from, to, r
	}
	from = transparent
	r.Host, r.Port = fmt.Sprint(w.tagsFor(to)[kuma.TagService], ".mesh"), pick(&w.world, 80, 80, 80, 80, 81)
	return from, outboundPort{}, r
}

// calledByTags returns what the engine is asked to call: the service by its tag, or the
// address, if the outbound is one by tags.
func (w *requestWorld) calledByTags(from string, r envoy.Request, called engine.Service) engine.Service {
	for _, o := range w.tagged[from] {
		if tree.Int(o["port"]) != r.Port || r.Host != "127.0.0.1" {
			continue
		}
		if called.Host != "" {
			return called
		}
		return engine.Service{Name: tree.Text(tree.Object(o["tags"])[kuma.TagService]), Port: r.Port}
	}
	if w.tagged != nil && r.Host == "127.0.0.1" {
		return engine.Service{Host: r.Host, Port: r.Port} // in mode Disabled, there is no service
	}
	return called
}

// aboutTags says what an answer by tags is about.
func aboutTags(about map[string]bool, a engine.Answer) {
	about["outbound by tags"] = a.Tags != nil
	about["outbound by a subset of tags"] = len(a.Tags) > 1
	for _, b := range a.Backends {
		about["backend by tags"] = about["backend by tags"] || b.Tags != nil && a.Route != nil
		about["backend by tags of a service"] = about["backend by tags of a service"] || b.Tags != nil && a.Tags == nil
	}
	for _, m := range a.Mirrors {
		about["mirror by tags"] = about["mirror by tags"] || m.Tags != nil
	}
}

// hashOfTags is part of the names of clusters for several tags.
var hashOfTags = regexp.MustCompile(`-[0-9a-f]{16}$`)

// portText names a port as the name of its cluster does.
func portText(p rules.Port) string {
	if p.Number == 0 {
		return p.Resource.Name
	}
	return fmt.Sprintf("%s %d", p.Resource.Name, p.Number)
}
