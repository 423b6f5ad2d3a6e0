package envoy

import (
	"fmt"
	"slices"

	cluster "github.com/envoyproxy/go-control-plane/envoy/config/cluster/v3"
	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	endpoint "github.com/envoyproxy/go-control-plane/envoy/config/endpoint/v3"
	tls "github.com/envoyproxy/go-control-plane/envoy/extensions/transport_sockets/tls/v3"
)

// cluster returns a cluster by name.
func (c *Config) cluster(name string) (*cluster.Cluster, error) {
	found := c.Clusters[name]
	if found == nil {
		return nil, fmt.Errorf("no cluster %q", name)
	}
	if found.GetLbSubsetConfig() != nil {
		return nil, fmt.Errorf("cluster %q: subsets: %w", name, ErrUnsupported)
	}
	return found, nil
}

// hosts returns the endpoints of a cluster.
func (c *Config) hosts(from *cluster.Cluster) ([]Host, error) {
	assigned := from.GetLoadAssignment()
	if from.GetType() == cluster.Cluster_EDS {
		assigned = c.Endpoints[assignment(from)]
	}
	var hosts []Host
	for _, locality := range assigned.GetEndpoints() {
		for _, e := range locality.GetLbEndpoints() {
			socket := e.GetEndpoint().GetAddress().GetSocketAddress()
			clientTLS, err := c.clientTLS(from, e)
			if err != nil {
				return nil, err
			}
			hosts = append(hosts, Host{
				Address: socket.GetAddress(), Port: int(socket.GetPortValue()), Weight: int(max(e.GetLoadBalancingWeight().GetValue(), 1)),
				Priority: int(locality.GetPriority()), TLS: clientTLS,
				Healthy: slices.Contains([]core.HealthStatus{core.HealthStatus_UNKNOWN, core.HealthStatus_HEALTHY, core.HealthStatus_DEGRADED},
					e.GetHealthStatus()),
			})
		}
	}
	return hosts, nil
}

// clientTLS returns how a cluster connects to an endpoint, nil for plaintext.
func (c *Config) clientTLS(from *cluster.Cluster, e *endpoint.LbEndpoint) (*ClientTLS, error) {
	socket := from.GetTransportSocket()
	labels := e.GetMetadata().GetFilterMetadata()["envoy.transport_socket_match"].GetFields()
	for _, m := range from.GetTransportSocketMatches() {
		matches := true
		for name, value := range m.GetMatch().GetFields() {
			matches = matches && labels[name].GetStringValue() == value.GetStringValue() && labels[name] != nil
		}
		if matches {
			socket = m.GetTransportSocket()
			break
		}
	}
	if socket == nil {
		return nil, nil
	}
	config, err := unpack(socket.GetTypedConfig(), from.GetName())
	if err != nil {
		return nil, err
	}
	context, ok := config.(*tls.UpstreamTlsContext)
	if !ok {
		return nil, fmt.Errorf("cluster %q: a transport of type %T: %w", from.GetName(), config, ErrUnsupported)
	}
	own := side{c, context.GetCommonTlsContext()}
	names, _ := own.names() // without them, the handshake fails
	return &ClientTLS{ServerName: context.GetSni(), Protocols: context.GetCommonTlsContext().GetAlpnProtocols(), Names: names, side: own}, nil
}
