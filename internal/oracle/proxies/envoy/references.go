package envoy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	cluster "github.com/envoyproxy/go-control-plane/envoy/config/cluster/v3"
	endpoint "github.com/envoyproxy/go-control-plane/envoy/config/endpoint/v3"
	hcm "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/network/http_connection_manager/v3"
	tls "github.com/envoyproxy/go-control-plane/envoy/extensions/transport_sockets/tls/v3"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protopath"
	"google.golang.org/protobuf/reflect/protorange"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/anypb"
)

// References returns the sorted names of the endpoints, routes and secrets that a
// proxy subscribes to because its clusters and listeners refer to them, by type.
func References(resources map[string]map[string]*anypb.Any) (map[string][]string, error) {
	found := map[string]map[string]bool{Endpoints: {}, Routes: {}, Secrets: {}}
	visit := func(values protopath.Values) error {
		m, ok := values.Index(-1).Value.Interface().(protoreflect.Message)
		if !ok {
			return nil
		}
		switch m := m.Interface().(type) {
		case *cluster.Cluster:
			if m.GetType() == cluster.Cluster_EDS {
				found[Endpoints][assignment(m)] = true
			}
		case *hcm.Rds:
			found[Routes][m.GetRouteConfigName()] = true
		case *tls.SdsSecretConfig:
			if m.GetSdsConfig() != nil {
				found[Secrets][m.GetName()] = true
			}
		}
		return nil
	}
	for _, typeURL := range []string{Clusters, Listeners} {
		for name, resource := range resources[typeURL] {
			m, err := resource.UnmarshalNew()
			if err == nil {
				err = protorange.Range(m.ProtoReflect(), visit)
			}
			if err != nil {
				return nil, fmt.Errorf("references of %q: %w", name, err)
			}
		}
	}
	names := map[string][]string{}
	for typeURL, set := range found {
		names[typeURL] = slices.Sorted(maps.Keys(set))
	}
	return names, nil
}

// assignment returns the name of the endpoints of a cluster.
func assignment(c *cluster.Cluster) string {
	return cmp.Or(c.GetEdsClusterConfig().GetServiceName(), c.GetName())
}

// Name returns the name of a resource.
func Name(resource *anypb.Any) (string, error) {
	m, err := resource.UnmarshalNew()
	if err != nil {
		return "", err
	}
	if e, ok := m.(*endpoint.ClusterLoadAssignment); ok {
		return e.GetClusterName(), nil
	}
	named, ok := m.(interface {
		proto.Message
		GetName() string
	})
	if !ok {
		return "", fmt.Errorf("%s: %w", resource.GetTypeUrl(), ErrUnsupported)
	}
	return named.GetName(), nil
}
