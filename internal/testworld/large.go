package testworld

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

type object = map[string]any

// Size is the size of a generated mesh.
type Size struct{ Policies, Services, Dataplanes int }

func (s Size) String() string {
	return fmt.Sprintf("%dx%dx%d", s.Policies, s.Services, s.Dataplanes)
}

// LargeSizes are the sizes with which analyses are measured: they show how the
// work grows with the policies and with the dataplanes.
func LargeSizes() []Size {
	return []Size{{100, 20, 200}, {1_000, 200, 200}, {10_000, 2_000, 200}, {1_000, 200, 10_000}}
}

// Large generates a mesh `default` for benchmarks, with policies of the five
// types that the owner of a service writes, in turn. Half of them select all
// proxies and target one service. The others select the proxies of one of 20
// teams or one proxy, and target one service or all services. The order of
// those that select dataplanes is not transitive.
func Large(s Size) []kuma.Resource {
	resources := []kuma.Resource{{Type: kuma.KindMesh, Name: kuma.DefaultMesh}}
	for i := range s.Services {
		resources = append(resources, ofZone(kuma.KindMeshService, fmt.Sprintf("service-%d", i), i, object{"spec": object{
			"selector": object{"dataplaneTags": object{kuma.TagService: fmt.Sprintf("service-%d", i)}},
			"ports": []any{object{
				"port": json.Number("80"), "targetPort": json.Number("8080"), "name": "http", "appProtocol": "http",
			}},
		}}))
	}
	for i := range s.Dataplanes {
		resources = append(resources, ofZone(kuma.KindDataplane, fmt.Sprintf("dp-%d", i), i,
			object{"networking": object{"address": "10.0.0.1", "inbound": []any{object{
				"port": json.Number("8080"), "name": "http",
				"tags": object{kuma.TagService: fmt.Sprintf("service-%d", i%s.Services), "team": team(i), kuma.TagProtocol: "http"},
			}}}}))
	}
	types := []def.Kind{kinds.MeshTimeout, kinds.MeshRetry, kinds.MeshCircuitBreaker, kinds.MeshHTTPRoute, kinds.MeshTrafficPermission}
	for i := range s.Policies {
		k, nth := types[i%len(types)], i/len(types)
		fields := listsOf(k, nth, s)
		if ref := selectorOf(nth, i%s.Dataplanes); ref != nil {
			fields["targetRef"] = ref
		}
		resources = append(resources, ofZone(k.Name, fmt.Sprintf("policy-%d", i), 0, object{"spec": fields}))
	}
	return resources
}

func team(i int) string { return fmt.Sprintf("team-%d", i%20) }

// ofZone returns a resource of a universal zone that belongs to a team.
func ofZone(kind, name string, i int, body object) kuma.Resource {
	return kuma.Resource{Type: kind, Mesh: kuma.DefaultMesh, Name: name, Body: body, Labels: map[string]string{
		kuma.LabelMesh: kuma.DefaultMesh, kuma.LabelOrigin: kuma.OriginZone, kuma.LabelZone: "east", kuma.LabelEnv: "universal",
		"team": team(i),
	}}
}

// selectorOf returns the top-level reference of a policy, nil for all proxies.
func selectorOf(nth, dataplane int) object {
	switch nth % 12 {
	case 3, 9:
		return object{"kind": kuma.KindMeshSubset, "tags": object{"team": team(nth / 12)}}
	case 5:
		return object{"kind": kuma.KindDataplane, "name": fmt.Sprintf("dp-%d", dataplane)}
	case 1, 7:
		return object{"kind": kuma.KindDataplane, "labels": object{"team": team(nth / 12)}}
	case 11:
		return object{"kind": kuma.KindDataplane}
	default:
		return nil
	}
}

// listsOf fills one of the lists that a kind has.
func listsOf(k def.Kind, nth int, s Size) object {
	conf := confOf(k, nth)
	switch {
	case k.Name == kuma.KindMeshHTTPRoute:
		return object{"to": []any{object{"targetRef": serviceRef(nth, s), "rules": []any{object{
			"matches": []any{object{"path": object{"type": "PathPrefix", "value": fmt.Sprintf("/%d", nth)}}},
			"default": object{"backendRefs": []any{object{
				"kind": kuma.KindMeshService, "name": "service-1", "port": json.Number("80"), "weight": json.Number("1"),
			}}},
		}}}}}
	case k.Policy.To && nth%6 == 3:
		return object{"to": []any{object{"targetRef": object{"kind": kuma.KindMesh}, "default": conf}}}
	case k.Policy.To:
		return object{"to": []any{object{"targetRef": serviceRef(nth, s), "default": conf}}}
	case k.Policy.Rules && nth%2 == 0:
		return object{"rules": []any{object{"default": object{"allow": []any{
			object{"spiffeID": object{"type": "Exact", "value": fmt.Sprintf("spiffe://default/service-%d", nth%s.Services)}},
		}}}}}
	default:
		return object{"from": []any{object{
			"targetRef": object{"kind": kuma.KindMeshSubset, "tags": object{kuma.TagService: fmt.Sprintf("service-%d", nth%s.Services)}},
			"default":   conf,
		}}}
	}
}

// serviceRef refers to a service, sometimes to its port.
func serviceRef(nth int, s Size) object {
	ref := object{"kind": kuma.KindMeshService, "name": fmt.Sprintf("service-%d", nth%s.Services)}
	if nth%4 == 0 {
		ref["sectionName"] = "http"
	}
	return ref
}

// confOf returns settings of a kind for requests to a service, or from one.
func confOf(k def.Kind, nth int) object {
	number := func(of int) json.Number { return json.Number(strconv.Itoa(1 + nth%of)) }
	switch k.Name {
	case kinds.MeshRetry.Name:
		return object{"http": object{"numRetries": number(5), "perTryTimeout": fmt.Sprintf("%ds", 1+nth%30), "retryOn": []any{"5xx"}}}
	case kinds.MeshCircuitBreaker.Name:
		return object{"connectionLimits": object{"maxConnections": number(1000), "maxRequests": number(500)}}
	case kinds.MeshTrafficPermission.Name:
		return object{"action": "Allow"}
	default:
		return object{
			"connectionTimeout": fmt.Sprintf("%ds", 1+nth%60),
			"http":              object{"requestTimeout": fmt.Sprintf("%ds", 1+nth%30), "streamIdleTimeout": "30m0s"},
		}
	}
}
