package input_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

const (
	dataplane = "{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web}}]}}\n---\n"
	workload  = "{type: Dataplane, mesh: shop, name: web-1, labels: {kuma.io/workload: web}, networking: {address: 10.0.0.1, inbound: [{port: 80}]}}\n---\n"
	pod       = "{apiVersion: kuma.io/v1alpha1, kind: Dataplane, mesh: shop, metadata: {name: web-1, namespace: shop, labels: {kuma.io/workload: web}}, " +
		"spec: {networking: {address: 10.0.0.1, inbound: [{port: 80}]}}}\n---\n"
	generated = "labels: {kuma.io/managed-by: meshservice-generator"
)

func mesh(settings string) string { return "{type: Mesh, name: shop" + settings + "}\n---\n" }

// TestDocumentsOfAZoneHaveNoOrigin checks that documents beside a Mesh of a global control plane do not belong to that control
// plane if a Dataplane among them does not name its zone.
func TestDocumentsOfAZoneHaveNoOrigin(t *testing.T) {
	t.Parallel()
	documents := input.OfKinds(kinds.All())
	testworld.NoError(t, documents.Text([]byte(mesh(", labels: {kuma.io/origin: global}")+dataplane)))
	for _, r := range documents.Mesh("shop", kuma.Newest2()).InZones().Resources {
		if r.Type != kuma.KindMesh && r.Labels[kuma.LabelOrigin] == kuma.OriginGlobal {
			t.Errorf("%s has the origin global", r.Key().Local())
		}
	}
}

// TestServicesOfDocumentsAreGenerated checks which MeshServices documents alone have: those that
// the control plane that stores them generates within seconds (rest-api.md §10, release3.md §5).
func TestServicesOfDocumentsAreGenerated(t *testing.T) {
	t.Parallel()
	const exclusive = ", meshServices: {mode: Exclusive}"
	service := func(labels, spec string) string {
		return "{type: MeshService, mesh: shop, name: web, " + labels + "spec: {selector: {dataplaneTags: {kuma.io/service: web}}, ports: [" + spec + "]}}\n---\n"
	}
	for name, test := range map[string]struct {
		documents string
		want      []string // names of MeshServices, with the number of their ports
	}{
		"by tag":                      {mesh(exclusive) + dataplane, []string{"web 80"}},
		"mode Everywhere":             {mesh(", meshServices: {mode: Everywhere}") + dataplane, []string{"web 80"}},
		"mode ReachableBackends":      {mesh(", meshServices: {mode: ReachableBackends}") + dataplane, []string{"web 80"}},
		"mode Disabled":               {mesh("") + dataplane, nil},
		"no document of the mesh":     {dataplane, nil},
		"by workload":                 {mesh("") + workload, []string{"web 80"}},
		"by workload without mesh":    {workload, []string{"web 80"}},
		"on Kubernetes":               {mesh("") + pod, nil},
		"service of its own":          {mesh(exclusive) + dataplane + service("", "{port: 8080}"), []string{"web 8080"}},
		"generated before":            {mesh(exclusive) + dataplane + service(generated+"}, ", "{port: 80, targetPort: 80, name: '80', appProtocol: tcp}"), []string{"web 80"}},
		"generated for other ports":   {mesh(exclusive) + dataplane + service(generated+"}, ", "{port: 81}"), []string{"web 80"}},
		"generated, and not deleted":  {mesh("") + dataplane + service(generated+"}, ", "{port: 80}"), nil},
		"generated, no mesh":          {dataplane + service(generated+"}, ", "{port: 80}"), []string{"web 80"}},
		"generated elsewhere":         {mesh(exclusive) + service(generated+", kuma.io/zone: west, kuma.io/origin: zone}, ", "{port: 81}"), []string{"web 81"}},
		"stored by a global":          {mesh(exclusive+", labels: {kuma.io/origin: global}") + dataplane, nil},
		"dataplane of a known zone":   {mesh(exclusive) + "{type: Dataplane, mesh: shop, name: web-1, labels: {kuma.io/zone: east}, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web}}]}}", []string{"web 80"}},
		"tag that is not a DNS label": {mesh(exclusive) + "{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web_1}}]}}", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			documents := input.OfKinds(kinds.All())
			testworld.NoError(t, documents.Text([]byte(test.documents)))
			var got []string
			for _, r := range documents.Mesh("shop", kuma.Release{}).Resources {
				if r.Type == kuma.KindMeshService {
					got = append(got, r.Name+" "+portsOf(r))
				}
			}
			testworld.Equal(t, "services", test.want, got)
		})
	}
}

func portsOf(r kuma.Resource) string {
	var ports []string
	for _, port := range tree.Root(r.Spec()).Get("ports").Items() {
		ports = append(ports, fmt.Sprint(port.Get("port").Value()))
	}
	return strings.Join(ports, ",")
}

// TestDroppedFieldIsNamed checks that a field that a control plane drops is a warning, with the
// name that is meant.
func TestDroppedFieldIsNamed(t *testing.T) {
	t.Parallel()
	documents := input.OfKinds(kinds.All())
	err := documents.Text([]byte("{type: MeshTimeout, name: t, spec: {targetRef: {kind: Dataplane, label: {app: a}}, to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]}}"))
	testworld.NoError(t, err)
	want := []string{`MeshTimeout "t" of mesh "default", spec.targetRef.label: MeshTimeout does not have the field "label" here. ` +
		`A control plane would drop it silently. Did you mean "labels"? Supported fields: kind, name, namespace, labels, tags, sectionName, proxyTypes and mesh.`}
	testworld.Equal(t, "warnings", want, documents.Mesh("default", kuma.Release{}).Warnings)
}

// TestUnknownPartsOfOtherProxies checks that what is not known of another proxy does not make an
// answer unknown, unless the MeshService that is generated for it can change.
func TestUnknownPartsOfOtherProxies(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		path []string
		want bool // unknown
	}{
		"address": {[]string{"networking", "address"}, false}, "admin port": {[]string{"networking", "admin"}, false}, "address of an inbound": {[]string{"inbound", "address"}, false},
		"port": {[]string{"inbound", "port"}, true}, "tags": {[]string{"inbound", "tags"}, true}, "inbounds": {[]string{"networking", "inbound"}, true}, "labels": {[]string{"dataplane", "labels"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inbound := map[string]any{"port": json.Number("80"), "tags": map[string]any{"kuma.io/service": "web"}}
			networking := map[string]any{"address": "10.0.0.1", "inbound": []any{inbound}}
			doc := map[string]any{"type": "Dataplane", "mesh": "shop", "name": "web-1", "networking": networking}
			map[string]map[string]any{"inbound": inbound, "networking": networking, "dataplane": doc}[test.path[0]][test.path[1]] = tree.Unknown
			documents := input.NewDocuments(func(_ string, doc map[string]any) bool {
				input.ReduceProxy(doc)
				return true
			})
			testworld.NoError(t, errors.Join(documents.Text([]byte(mesh(", meshServices: {mode: Exclusive}"))), documents.Value(doc, true)))
			if documents.Unknown != test.want {
				t.Fatalf("unknown: %t, want %t", documents.Unknown, test.want)
			}
			if services := len(documents.Mesh("shop", kuma.Release{}).Resources) - len(kinds.InitialGenerators()); !test.want && services != 3 {
				t.Errorf("%d resources, want the mesh, the proxy and its service", services)
			}
		})
	}
}
