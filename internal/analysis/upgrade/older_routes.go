package upgrade

import (
	"maps"
	"net"
	"slices"
	"strconv"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// routes says what replaces TrafficRoutes: nothing if all of them only send to the service that a
// request is for, which proxies do anyway.
func (o olderResources) routes() (p proposal, why string) {
	var dividing, balancing []string
	for _, r := range o.resources {
		conf := tree.Root(r.Body).Get("conf")
		balancer := tree.Object(conf.Get("loadBalancer").Value())
		to := selector(tree.StringMap(conf.Get("destination").Value()))
		isOther := func(s selector) bool { return !maps.Equal(to, everything) && !maps.Equal(to, s) }
		if conf.Get("http").Filled() || conf.Get("split").Filled() || slices.ContainsFunc(selectors(r, "destinations"), isOther) {
			dividing = append(dividing, r.Name)
		}
		if _, robin := balancer["roundRobin"]; len(balancer) > 0 && !robin {
			balancing = append(balancing, r.Name)
		}
	}
	if dividing != nil {
		why = "TrafficRoutes that divide or redirect requests: " + phrase.Some(dividing, maxNames, "") +
			". A MeshHTTPRoute or MeshTCPRoute does not apply beside a TrafficRoute: " +
			"proxies that connect get no configuration, so both cannot exist at once. " +
			"Parts of a service that only tags tell apart do not exist in Kuma 3.0."
	}
	if balancing != nil {
		why = phrase.Paragraph(why, "TrafficRoutes with a load balancer: "+phrase.Some(balancing, maxNames, "")+
			". Each needs a MeshLoadBalancingStrategy.")
	}
	if why != "" {
		return p, why
	}
	for _, d := range o.w.proxiesOf(o.mesh.Name) {
		for _, service := range o.w.outbounds(*d.Resource).Tags() {
			if found := o.of(map[string]string{kuma.TagService: service}); !slices.ContainsFunc(found, func(r kuma.Resource) bool {
				return slices.ContainsFunc(selectors(r, "sources"), func(s selector) bool { return slices.ContainsFunc(d.tags, s.selects) })
			}) {
				return p, "No TrafficRoute sends requests of Dataplane " + d.Name + " to service " + service +
					", which fail because of that. Without TrafficRoutes, they are delivered."
			}
		}
	}
	return p, ""
}

// externalServices returns the services for ExternalServices. Those of a tag are endpoints of one.
func (o olderResources) externalServices() (p proposal, why string) {
	p.unseen = "a MeshExternalService has another host name, and proxies reach it through a zone egress only"
	services := map[string]map[string]any{}
	var decisions []Item
	for _, r := range o.resources {
		body := tree.Root(r.Body)
		tags := tree.StringMap(body.Get("tags").Value())
		address, _ := body.Get("networking", "address").Text()
		host, port, err := net.SplitHostPort(address)
		n, wrong := strconv.Atoi(port)
		protocol := tags[kuma.TagProtocol]
		switch {
		case err != nil || wrong != nil:
			return p, "The address of " + r.Name + " is not a host and a port."
		case tags[kuma.LabelZone] != "":
			return p, r.Name + " is in one zone only, which a MeshExternalService cannot express."
		case protocol == "":
			protocol = "tcp"
		}
		spec := map[string]any{
			"match":     map[string]any{"type": "HostnameGenerator", "port": number(n), "protocol": protocol},
			"endpoints": []any{map[string]any{"address": host, "port": number(n)}},
		}
		if tls := body.Get("networking", "tls"); tls.Get("enabled").True() {
			if spec["tls"], why = externalTLS(tls); why != "" {
				return p, why
			}
		}
		decisions = append(decisions, Item{
			Key: r.Key(), Condition: "K3-102", Action: Manual,
			Text: "Proxies connect to an ExternalService directly, by the name of its tag. " +
				"They reach a MeshExternalService through a zone egress with mutual TLS only, by the host name of a HostnameGenerator.",
			Choices: []string{"Deploy a zone egress, create a HostnameGenerator for MeshExternalServices, and change the host name " +
				"in the applications.", "Allow the address with a MeshPassthrough, without settings for the service."},
		})
		name := tags[kuma.TagService]
		same := services[name]
		if same == nil {
			services[name] = spec
			continue
		}
		if !tree.Equal(same["tls"], spec["tls"]) || !tree.Equal(same["match"], spec["match"]) {
			return p, "Several ExternalServices of " + name + " have other ports, protocols or certificates."
		}
		same["endpoints"] = append(tree.List(same["endpoints"]), tree.List(spec["endpoints"])...)
	}
	for _, name := range slices.Sorted(maps.Keys(services)) {
		is := o.w.find(kuma.Key{Type: o.policy, Mesh: o.mesh.Name, Name: name})
		if is == nil || !tree.Equal(is.Spec()["endpoints"], services[name]["endpoints"]) {
			o.add(&p, name, services[name])
		}
	}
	if len(p.put) > 0 {
		p.items = append(p.items, decisions...)
	}
	return p, ""
}

// externalTLS returns how a MeshExternalService uses TLS: without an authority, an ExternalService
// verifies nothing.
func externalTLS(tls tree.Node) (settings any, why string) {
	verification := map[string]any{"mode": "Secured"}
	for _, name := range []string{"caCert", "clientCert", "clientKey"} {
		source := tls.Get(name)
		if source.Get("file").Known() {
			return nil, "It reads certificates from files of the proxy, which a MeshExternalService does not."
		}
		if source.Known() {
			verification[name] = tree.Clone(source.Value())
		}
	}
	if !tls.Get("caCert").Known() {
		verification["mode"] = "SkipAll"
	} else if tls.Get("skipHostnameVerification").True() {
		verification["mode"] = "SkipSAN"
	}
	if name, _ := tls.Get("serverName").Text(); name != "" {
		verification["serverName"] = name
	}
	settingsOf := map[string]any{"enabled": true, "verification": verification}
	if tls.Get("allowRenegotiation").True() {
		settingsOf["allowRenegotiation"] = true
	}
	return settingsOf, ""
}
