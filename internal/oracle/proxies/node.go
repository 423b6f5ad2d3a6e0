package proxies

import (
	"fmt"
	"maps"
	"slices"

	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
)

// deltaFeature announces the delta variant of the protocol.
const deltaFeature = "feature-delta-grpc"

// Features returns the features of kuma-dp that Kuma 3.0 requires.
func Features() []string {
	return []string{
		deltaFeature, "feature-reuse-port", "feature-strict-inbound-ports", "feature-otel-via-kuma-dp",
		"feature-unified-resource-naming",
	}
}

// node describes the proxy as kuma-dp does, see proxies.md §1.
func (o Options) node(s *oracle.Site) (*core.Node, error) {
	features := o.Features
	if features == nil {
		features = Features()
	}
	if o.StateOfTheWorld {
		features = slices.DeleteFunc(slices.Clone(features), func(f string) bool { return f == deltaFeature })
	}
	list := make([]any, len(features))
	for i, f := range features {
		list[i] = f
	}
	release := s.Info.Release
	if release == (kuma.Release{}) {
		release = kuma.Newest2()
	}
	fields := map[string]any{
		"dataplane.proxyType":              "dataplane",
		"dataplane.admin.port":             "9901",
		"dataplane.readinessReporter.port": "9902", // nothing is generated without it
		"dataplane.dns.port":               "15053",
		"systemCaPath":                     "/etc/ssl/certs/ca-certificates.crt", // for MeshExternalServices
		"workdir":                          "/tmp",
		"features":                         list,
		"version": map[string]any{
			"kumaDp": map[string]any{
				"version": fmt.Sprintf("%d.%d.%d", release.Major, release.Minor, release.Patch), "gitTag": "", "gitCommit": "",
				"buildDate": "",
			},
			"envoy": map[string]any{"version": "1.36.0", "build": ""},
		},
	}
	maps.Copy(fields, o.Metadata)
	meta, err := structpb.NewStruct(fields)
	return &core.Node{Id: o.Mesh + "." + o.Dataplane, Cluster: o.Dataplane, Metadata: meta}, err
}
