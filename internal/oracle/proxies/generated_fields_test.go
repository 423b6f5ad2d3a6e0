package proxies_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	engine "github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestGeneratedFields lists the fields and values of kinds other than policies that no generated world has, so that no comparison
// with proxies shows what they do.
func TestGeneratedFields(t *testing.T) {
	t.Parallel()
	set := map[string]bool{}
	for seed := range uint64(400) {
		for _, kuma3 := range []bool{false, true} {
			for _, resources := range [][]kuma.Resource{
				newMeshWorld(seed, kuma3).resources, newPlainWorld(seed, kuma3).resources, newRequestWorld(seed, kuma3).resources,
				newAccessWorld(seed, kuma3).resources, newZonesWorld(seed, kuma3, []string{"east", "west"}).resources,
			} {
				for _, r := range resources {
					addFields(set, r.Type, r.Body)
				}
			}
		}
	}
	var got []string
	for _, k := range engine.Kinds() {
		if k.Policy == nil {
			path := k.Name
			if !k.Proto() {
				path += ".spec"
			}
			got = append(got, unsetFields(set, path, k.Fields)...)
		}
	}
	slices.Sort(got)
	testworld.Equal(t, "fields that no world sets", slices.Sorted(maps.Keys(neverGenerated)), got)
}

// addFields adds the fields of a value, and their strings and booleans.
func addFields(set map[string]bool, path string, value any) {
	set[path] = true
	switch v := value.(type) {
	case object:
		for name, field := range v {
			addFields(set, path+"."+name, field)
		}
	case []any:
		for _, element := range v {
			addFields(set, path, element)
		}
	case string, bool:
		set[fmt.Sprintf("%s=%v", path, v)] = true
	}
}

func unsetFields(set map[string]bool, path string, of def.Type) (unset []string) {
	switch of := of.(type) {
	case def.Object:
		for _, f := range of {
			at := path + "." + f.Name
			switch {
			case f.ServerOwned:
			case !set[at]:
				unset = append(unset, at)
			default:
				for _, value := range f.OneOf {
					if !set[at+"="+value] {
						unset = append(unset, at+"="+value)
					}
				}
				unset = append(unset, unsetFields(set, at, f.Type)...)
			}
		}
	case def.List:
		return unsetFields(set, path, of.Elem)
	}
	return unset
}

// neverGenerated are fields and values that no world has, and why.
var neverGenerated = map[string]string{
	"Dataplane.metrics":                                                         "telemetry",
	"Dataplane.networking.admin":                                                "no effect on requests",
	"Dataplane.networking.advertisedAddress":                                    "the stand-in proxies have no second address",
	"Dataplane.networking.inbound.serviceAddress":                               "behind the proxy",
	"Dataplane.networking.inbound.serviceProbe":                                 "needs a running application",
	"Dataplane.networking.listeners.type=Unspecified":                           "stands for an unset value",
	"Dataplane.networking.listeners.type=ZoneIngress":                           "requests through it are unknown",
	"Dataplane.networking.transparentProxying.directAccessServices":             "requests through it are unknown",
	"Dataplane.networking.transparentProxying.ipFamilyMode":                     "the evaluation of configurations knows IPv4 only",
	"Dataplane.networking.transparentProxying.reachableBackends.refs.namespace": "Kubernetes only",
	"Dataplane.probes":                                                          "Kubernetes only",
	"ExternalService.networking":                                                "requests to it are unknown",
	"HostnameGenerator.spec.extension":                                          "needs an extension",
	"Mesh.constraints":                                                          "decides which Dataplanes can be created",
	"Mesh.logging":                                                              "telemetry",
	"Mesh.metrics":                                                              "telemetry",
	"Mesh.mtls.backends.conf":                                                   "the source of certificates",
	"Mesh.mtls.backends.dpCert":                                                 "the lifetime of certificates",
	"Mesh.mtls.backends.rootChain":                                              "the source of certificates",
	"Mesh.mtls.skipValidation":                                                  "decides which meshes can be created",
	"Mesh.routing.defaultForbidMeshExternalServiceAccess":                       "of a ZoneEgress, through which requests are unknown",
	"Mesh.tracing":                                                              "telemetry",
	"MeshExternalService.spec.endpoints.priority":                               "missing",
	"MeshExternalService.spec.extension":                                        "needs an extension",
	"MeshExternalService.spec.match.protocol=http2":                             "missing",
	"MeshExternalService.spec.tls":                                              "behind the egress",
	"MeshGateway.conf.listeners.crossMesh":                                      "requests through it are unknown",
	"MeshGateway.conf.listeners.protocol=NONE":                                  "stands for an unset value",
	"MeshGateway.conf.listeners.protocol=TLS":                                   "missing",
	"MeshGateway.conf.listeners.resources":                                      "no effect on requests",
	"MeshGateway.conf.listeners.tls.certificates.file":                          "the source of certificates",
	"MeshGateway.conf.listeners.tls.certificates.inline":                        "the source of certificates",
	"MeshGateway.conf.listeners.tls.certificates.secret":                        "the source of certificates",
	"MeshGateway.conf.listeners.tls.mode=NONE":                                  "stands for an unset value",
	"MeshGateway.conf.listeners.tls.mode=PASSTHROUGH":                           "missing",
	"MeshGateway.conf.listeners.tls.options":                                    "no effect on requests",
	"MeshGateway.tags":                                                          "no effect on requests",
	"MeshIdentity.spec.provider.bundled.ca":                                     "TestIdentityProblem",
	"MeshIdentity.spec.provider.bundled.certificateParameters":                  "the lifetime of certificates",
	"MeshIdentity.spec.provider.extension":                                      "needs an extension",
	"MeshIdentity.spec.provider.spire":                                          "needs SPIRE",
	"MeshIdentity.spec.provider.type=Extension":                                 "needs an extension",
	"MeshIdentity.spec.provider.type=Spire":                                     "needs SPIRE",
	"MeshTrust.spec.caBundles":                                                  "the control plane creates them",
	"MeshTrust.spec.origin":                                                     "the control plane creates them",
	"MeshTrust.spec.trustDomain":                                                "the control plane creates them",
	"ZoneEgress.networking":                                                     "requests through it are unknown",
	"ZoneEgress.zone":                                                           "requests through it are unknown",
	"ZoneIngress.networking.admin":                                              "no effect on requests",
}
