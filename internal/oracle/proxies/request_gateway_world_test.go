package proxies_test

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http/httptest"
	"sync"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies/envoy"
)

// gateway is the Dataplane of a builtin gateway, which 2.14 has.
const gateway, gatewayAddress = "edge", "127.0.4.1"

// health is a path that all listeners of the gateway have a route for.
const health = "/health"

// delegated is a Dataplane beside another gateway product.
const delegated = "front"

// gatewayHosts are host names of requests from outside; listenerHosts and routeHosts those of
// listeners and routes. They overlap, as names and as suffixes.
var (
	gatewayHosts  = []string{"a.shop", "b.shop", "a.b.shop", "c.b.shop", "shop", "q.example", "a.example"}
	listenerHosts = []string{"", "*", "*.shop", "a.shop", "*.b.shop", "*.example"}
	routeHosts    = []string{"a.shop", "*.shop", "a.b.shop", "*.b.shop", "b.shop", "q.example", "*.example"}
)

// gateways adds a builtin and a delegated gateway.
func (w *requestWorld) gateways() {
	if w.kuma3 || w.egress || w.IntN(3) == 0 { // beside an egress, a route to an external service keeps the gateway from its configuration
		return
	}
	w.gateway = true
	w.labeled(kuma.KindDataplane, gateway, object{"networking": object{"address": gatewayAddress, "gateway": object{"type": "BUILTIN", "tags": object{kuma.TagService: gateway}}}}, map[string]string{"app": gateway})
	outbounds, _ := w.outbounds()
	w.labeled(kuma.KindDataplane, delegated, object{"networking": object{"address": "127.0.5.1", "gateway": object{"type": "DELEGATED", "tags": object{kuma.TagService: delegated}}, "outbound": outbounds}}, map[string]string{"app": delegated})
	var listeners []any
	seen := map[string]bool{}
	for i := range 4 + w.IntN(4) {
		port := 8080 + w.IntN(4)
		protocol := []string{"HTTP", "HTTP", "TCP", "HTTPS"}[port-8080]
		l := object{"port": number(port), "protocol": protocol, "tags": object{"l": fmt.Sprint(i % 3)}}
		if port == 8081 || port == 8083 { // so that its clusters are its own
			l["tags"] = object{"l": fmt.Sprint(i % 3), "port": fmt.Sprint(port)}
		}
		if protocol == "HTTPS" {
			l["tls"] = object{"mode": "TERMINATE", "certificates": []any{object{"inlineString": certificateOfGateway()}}}
		}
		host := pick(&w.world, listenerHosts...)
		if protocol == "TCP" {
			host = ""
		}
		if host != "" {
			l["hostname"] = host
		}
		if host == "*" {
			host = ""
		}
		if key := fmt.Sprint(port, host); !seen[key] {
			seen[key] = true
			listeners = append(listeners, l)
		}
	}
	w.add(kuma.KindMeshGateway, "edge-gateway", object{"selectors": []any{object{"match": object{kuma.TagService: gateway}}}, "conf": object{"listeners": listeners}})
	for i := range 2 + w.IntN(4) {
		w.add(kuma.KindMeshHTTPRoute, w.named(i)+"-gateway", w.onGateway(w.gatewayRoute))
	}
	everywhere := w.backend(false)
	if w.IntN(3) > 0 {
		everywhere["kind"], everywhere["labels"] = kuma.KindMeshService, object{"svc": "nope"}
	}
	// A listener without any route would keep the whole gateway from getting its configuration.
	w.add(kuma.KindMeshHTTPRoute, "z-everywhere", object{"spec": object{"targetRef": object{"kind": kuma.KindMeshGateway, "name": "edge-gateway"}, "to": []any{object{"targetRef": object{"kind": kuma.KindMesh}, "rules": []any{object{
		"matches": []any{object{"path": object{"type": "Exact", "value": health}}}, "default": object{"backendRefs": []any{everywhere}},
	}}}}}})
	if w.IntN(2) == 0 {
		w.add(kuma.KindMeshTCPRoute, w.named(0)+"-gateway", w.onGateway(w.gatewayTCPRoute))
	}
	for i := range w.IntN(4) {
		w.add("MeshTimeout", w.named(i)+"-gateway", w.onGateway(func() object {
			conf := w.timeouts(true)
			if w.IntN(3) == 0 {
				conf["idleTimeout"] = pick(&w.world, "0s", "7m", "8m")
				conf["http"] = object{"maxStreamDuration": pick(&w.world, "0s", "77m"), "maxConnectionDuration": "99m"}
			}
			return object{"default": conf}
		}))
	}
	for i := range w.IntN(2) {
		w.add("MeshTimeout", w.named(i)+"-listener", object{"spec": object{"targetRef": w.topGateway(), "rules": []any{object{"default": object{"idleTimeout": "9m", "http": object{"streamIdleTimeout": "3m"}}}}}})
	}
	for i := range w.IntN(3) {
		w.add("MeshRetry", w.named(i)+"-gateway", w.onGateway(func() object { return w.retry(object{}) }))
	}
	if w.IntN(2) == 0 {
		w.add("MeshRateLimit", w.named(0)+"-gateway", w.onGateway(func() object { return object{"default": w.limit()["default"]} }))
	}
	if w.IntN(2) == 0 {
		w.add("MeshFaultInjection", w.named(0)+"-gateway", w.onGateway(func() object { return object{"default": w.fault()["default"]} }))
	}
}

// certificateOfGateway is the certificate of the standard library for tests with its key, in PEM format.
var certificateOfGateway = sync.OnceValue(func() string {
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	pair := server.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		panic(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})) + string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]}))
})

func (w *requestWorld) named(i int) string { return fmt.Sprintf("%c%d", 'a'+rune(w.IntN(26)), i) }

// topGateway returns a reference to listeners.
func (w *requestWorld) topGateway() object {
	ref := object{"kind": kuma.KindMeshGateway, "name": "edge-gateway"}
	if w.IntN(2) == 0 {
		ref["tags"] = object{"l": fmt.Sprint(w.IntN(3))}
	}
	return ref
}

// onGateway returns a policy with one or two entries for all destinations of listeners.
func (w *requestWorld) onGateway(entry func() object) object {
	var entries []any
	for range 1 + w.IntN(2) {
		e := entry()
		e["targetRef"] = object{"kind": kuma.KindMesh}
		entries = append(entries, e)
	}
	return object{"spec": object{"targetRef": w.topGateway(), "to": entries}}
}

func (w *requestWorld) gatewayRoute() object {
	var list []any
	for range 1 + w.IntN(4) {
		var matches []any
		for range 1 + w.IntN(2) {
			matches = append(matches, w.match(gateway))
		}
		conf := w.routeConf(matches)
		w.complete(conf)
		list = append(list, object{"matches": matches, "default": conf})
	}
	route := object{"rules": list}
	if w.IntN(2) == 0 {
		route["hostnames"] = []any{pick(&w.world, routeHosts...), pick(&w.world, routeHosts...)}[:1+w.IntN(2)]
	}
	return route
}

// redirects reports whether a rule needs no backend.
func redirects(conf object) bool {
	filters, _ := conf["filters"].([]any)
	for _, f := range filters {
		if f, _ := f.(object); f["type"] == "RequestRedirect" {
			return true
		}
	}
	return false
}

// gatewayTCPRoute refers to services that exist: with another one, the gateway gets no
// configuration.
func (w *requestWorld) gatewayTCPRoute() object {
	var refs []any
	for range 1 + w.IntN(3) {
		refs = append(refs, object{"kind": kuma.KindMeshService, "labels": object{"svc": pick(&w.world, "api", "db", "pay", "ghost")}, "port": number(pick(&w.world, 80, 81, 81)), "weight": number(1 + w.IntN(9))})
	}
	return object{"rules": []any{object{"default": object{"backendRefs": refs}}}}
}

// fromOutside returns a request to the gateway.
func (w *requestWorld) fromOutside(r envoy.Request) envoy.Request {
	r.Host, r.Address, r.Port = pick(&w.world, gatewayHosts...), gatewayAddress, pick(&w.world, 8080, 8080, 8081, 8081, 8082, 8083, 8083)
	if r.Port == 8083 {
		r.Protocol = envoy.HTTPS
	}
	if w.IntN(10) == 0 {
		r.Path = pick(&w.world, "/x%2Fy", "/v2%5cx", "//v2//x", "/v2//")
	}
	return r
}

// forSidecars keeps most routes off the builtin gateway, and lets others have backends: with a
// rule that has neither backends nor a redirect, the gateway gets no configuration (proxies.md §3).
func (w *requestWorld) forSidecars(route object) object {
	spec, _ := route["spec"].(object)
	if !w.gateway || spec["targetRef"] != nil {
		return route
	}
	if w.IntN(3) > 0 || !w.addBackends(spec) {
		spec["targetRef"] = object{"kind": kuma.KindMesh, "proxyTypes": []any{"Sidecar"}}
	}
	return route
}

// addBackends adds those that rules of a MeshHTTPRoute do not have.
func (w *requestWorld) addBackends(spec object) bool {
	entries, _ := spec["to"].([]any)
	for _, e := range entries {
		e, _ := e.(object)
		list, _ := e["rules"].([]any)
		for _, r := range list {
			r, _ := r.(object)
			if r["matches"] == nil {
				return false
			}
			conf, _ := r["default"].(object)
			w.complete(conf)
		}
	}
	return true
}

// complete lets a rule have a backend with a weight, unless it redirects.
func (w *requestWorld) complete(conf object) {
	refs, _ := conf["backendRefs"].([]any)
	switch {
	case len(refs) > 0:
		last, _ := refs[len(refs)-1].(object)
		last["weight"] = number(1 + w.IntN(9))
	case !redirects(conf):
		conf["backendRefs"] = []any{w.backend(false)}
	}
}
