package envoy

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"

	route "github.com/envoyproxy/go-control-plane/envoy/config/route/v3"
	dns "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/udp/dns_filter/v3"
)

// resolve returns the address of a host, by the names that the proxy or kuma-dp
// resolves for its application; the zero address if it does not know the name.
func (c *Config) resolve(host string) (netip.Addr, error) {
	if address, err := netip.ParseAddr(host); err == nil {
		return address, nil
	}
	names, err := c.Names()
	if err != nil {
		return netip.Addr{}, err
	}
	var first netip.Addr
	for _, text := range names[strings.ToLower(host)] {
		address, err := netip.ParseAddr(text)
		if err != nil {
			return first, err
		}
		if address.Is4() {
			return address, nil
		}
		first = address
	}
	return first, nil
}

// Names returns the addresses of the host names that the mesh has. Kuma 2.14 puts
// them into a DNS filter of the proxy, and Kuma 3.0 into a response for kuma-dp.
func (c *Config) Names() (map[string][]string, error) {
	names := map[string][]string{}
	for _, l := range c.Listeners {
		for _, f := range l.GetListenerFilters() {
			var table dns.DnsFilterConfig
			if !f.GetTypedConfig().MessageIs(&table) {
				continue
			}
			if err := f.GetTypedConfig().UnmarshalTo(&table); err != nil {
				return nil, err
			}
			for _, d := range table.GetServerConfig().GetInlineDnsTable().GetVirtualDomains() {
				names[d.GetName()] = d.GetEndpoint().GetAddressList().GetAddress()
			}
		}
		if l.GetAddress().GetPipe() == nil {
			continue
		}
		for _, chain := range l.GetFilterChains() {
			e, err := follow(chain, &peer{})
			if err == nil {
				err = dynamicNames(e.http.GetRouteConfig(), names)
			}
			if err != nil {
				return nil, fmt.Errorf("listener %q: %w", l.GetName(), err)
			}
		}
	}
	return names, nil
}

// dynamicNames adds the names in the response for kuma-dp.
func dynamicNames(routes *route.RouteConfiguration, names map[string][]string) error {
	for _, host := range routes.GetVirtualHosts() {
		for _, r := range host.GetRoutes() {
			body := r.GetDirectResponse().GetBody().GetInlineString()
			if r.GetMatch().GetPath() != "/dns" || body == "" {
				continue
			}
			var table struct {
				Records []struct {
					Name string
					IPs  []string
				}
			}
			if err := json.Unmarshal([]byte(body), &table); err != nil {
				return err
			}
			for _, r := range table.Records {
				names[r.Name] = r.IPs
			}
		}
	}
	return nil
}
