package kuma_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

type object = map[string]any

func form(kind string) kuma.Form {
	return map[string]kuma.Form{
		"Mesh":        {Flat: true, Global: true, Cluster: true},
		"Dataplane":   {Flat: true},
		"MeshGateway": {Flat: true},
		"MeshRetry":   {Policy: true},
	}[kind]
}

func TestFromDocument(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		yaml string
		want kuma.Resource
	}{
		"universal, newer kind": {
			`
type: MeshTimeout
name: web
mesh: shop
labels: {a: b}
kri: x
status: {}
creationTime: 2026-01-02T03:04:05Z
spec: {to: []}
`,
			kuma.Resource{
				Type: "MeshTimeout", Name: "web", Mesh: "shop", Labels: map[string]string{"a": "b"},
				Body: object{"spec": object{"to": []any{}}}, CreationTime: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
			},
		},
		"universal, older kind": {
			`{type: Dataplane, name: web, networking: {address: 10.0.0.1}}`,
			kuma.Resource{Type: "Dataplane", Name: "web", Mesh: "default", Body: object{"networking": object{"address": "10.0.0.1"}}},
		},
		"universal, in no mesh": {
			`{type: Mesh, name: shop, mesh: other, labels: {}}`,
			kuma.Resource{Type: "Mesh", Name: "shop", Body: object{}},
		},
		"Kubernetes, newer kind": {
			`{apiVersion: kuma.io/v1alpha1, kind: MeshTimeout, metadata: {name: web, namespace: shop-ns, labels: {kuma.io/mesh: shop, a: b}, creationTimestamp: 2026-01-02T03:04:05Z}, spec: {to: []}, status: {}}`,
			kuma.Resource{
				Type: "MeshTimeout", Name: "web.shop-ns", Mesh: "shop",
				Labels: map[string]string{"kuma.io/mesh": "shop", "a": "b", "kuma.io/display-name": "web", "k8s.kuma.io/namespace": "shop-ns"},
				Body:   object{"spec": object{"to": []any{}}}, CreationTime: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
			},
		},
		"Kubernetes, without a mesh": {
			`{apiVersion: kuma.io/v1alpha1, kind: MeshTimeout, metadata: {name: web, namespace: ns}}`,
			kuma.Resource{
				Type: "MeshTimeout", Name: "web.ns", Mesh: "default", Body: object{},
				Labels: map[string]string{"kuma.io/display-name": "web", "k8s.kuma.io/namespace": "ns"},
			},
		},
		"Kubernetes, display name in an annotation": {
			`{apiVersion: kuma.io/v1alpha1, kind: MeshTimeout, metadata: {name: web-abc, annotations: {kuma.io/display-name: web}, labels: {kuma.io/display-name: x}}, spec: {}}`,
			kuma.Resource{Type: "MeshTimeout", Name: "web-abc", Mesh: "default", Labels: map[string]string{"kuma.io/display-name": "web"}, Body: object{"spec": object{}}},
		},
		"Kubernetes, older kind": {
			`{apiVersion: kuma.io/v1alpha1, kind: Dataplane, mesh: shop, metadata: {name: web, namespace: ns}, spec: {networking: {address: 10.0.0.1}}}`,
			kuma.Resource{
				Type: "Dataplane", Name: "web.ns", Mesh: "shop", Body: object{"networking": object{"address": "10.0.0.1"}},
				Labels: map[string]string{"kuma.io/display-name": "web", "k8s.kuma.io/namespace": "ns"},
			},
		},
		"Kubernetes, policy": {
			`{apiVersion: kuma.io/v1alpha1, kind: MeshRetry, metadata: {name: web, namespace: ns}, spec: {to: [{targetRef: {kind: MeshService, name: web}}]}}`,
			kuma.Resource{
				Type: "MeshRetry", Name: "web.ns", Mesh: "default",
				Labels: map[string]string{"kuma.io/display-name": "web", "k8s.kuma.io/namespace": "ns", "kuma.io/policy-role": "producer"},
				Body:   object{"spec": object{"to": []any{object{"targetRef": object{"kind": "MeshService", "name": "web"}}}}},
			},
		},
		"Kubernetes, policy that has a role": {
			`{apiVersion: kuma.io/v1alpha1, kind: MeshRetry, metadata: {name: web, namespace: ns, labels: {kuma.io/policy-role: system}}}`,
			kuma.Resource{
				Type: "MeshRetry", Name: "web.ns", Mesh: "default", Body: object{},
				Labels: map[string]string{"kuma.io/display-name": "web", "k8s.kuma.io/namespace": "ns", "kuma.io/policy-role": "system"},
			},
		},
		"Kubernetes, policy of the global control plane": {
			`{apiVersion: kuma.io/v1alpha1, kind: MeshRetry, metadata: {name: web, namespace: ns, labels: {kuma.io/origin: global}}}`,
			kuma.Resource{
				Type: "MeshRetry", Name: "web.ns", Mesh: "default", Body: object{},
				Labels: map[string]string{"kuma.io/display-name": "web", "k8s.kuma.io/namespace": "ns", "kuma.io/origin": "global"},
			},
		},
		"Kubernetes, in no mesh": {
			`{apiVersion: kuma.io/v1alpha1, kind: Mesh, metadata: {name: shop}}`,
			kuma.Resource{Type: "Mesh", Name: "shop", Labels: map[string]string{"kuma.io/display-name": "shop"}, Body: object{}},
		},
		"Kubernetes, namespace of the control plane": {
			`{apiVersion: kuma.io/v1alpha1, kind: MeshRetry, metadata: {name: web, namespace: kuma-system}, spec: {to: []}}`,
			kuma.Resource{Type: "MeshRetry", Name: "web", Mesh: "default", Labels: map[string]string{"kuma.io/display-name": "web"}, Body: object{"spec": object{"to": []any{}}}},
		},
		"Kubernetes, namespace of a distribution": {
			`{apiVersion: kuma.io/v1alpha1, kind: MeshTimeout, metadata: {name: web, namespace: kong-mesh-system}}`,
			kuma.Resource{Type: "MeshTimeout", Name: "web", Mesh: "default", Labels: map[string]string{"kuma.io/display-name": "web"}, Body: object{}},
		},
		"Kubernetes, label of a mesh on a kind in no mesh": {
			`{apiVersion: kuma.io/v1alpha1, kind: Mesh, metadata: {name: shop, namespace: ns, labels: {kuma.io/mesh: shop}}}`,
			kuma.Resource{Type: "Mesh", Name: "shop", Labels: map[string]string{"kuma.io/display-name": "shop"}, Body: object{}},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := decode(t, tt.yaml)
			got, err := kuma.FromDocument(doc, form)
			testworld.NoError(t, err)
			testworld.Equal(t, "FromDocument", tt.want, got)
			again, err := kuma.FromDocument(got.Document(), form)
			testworld.NoError(t, err)
			again.CreationTime = got.CreationTime
			testworld.Equal(t, "FromDocument(Document())", got, again)
		})
	}
}

func TestFromDocumentErrors(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ yaml, want string }{
		"list":               {`[]`, "a document must be an object with type and name, not a list"},
		"no type":            {`{name: a}`, "the field type is missing. Set it to the kind of the resource, such as MeshTimeout"},
		"type is a number":   {`{type: 1, name: a}`, "type must be a string, not a number"},
		"no name":            {`{type: Mesh}`, "Mesh: the field name is missing. Set it to the name of the resource"},
		"empty name":         {`{type: Mesh, name: ""}`, "Mesh: name is empty"},
		"mesh is null":       {`{type: MeshTimeout, name: a, mesh: null}`, `MeshTimeout "a": mesh must be a string, not null`},
		"labels are text":    {`{type: Mesh, name: a, labels: b}`, `Mesh "a": labels must be an object, not a string`},
		"label is a boolean": {`{type: Mesh, name: a, labels: {b: true}}`, `Mesh "a": label "b" must be a string, not a boolean`},
		"no kind":            {`{apiVersion: kuma.io/v1alpha1}`, "the field kind is missing. Set it to the kind of the resource, such as MeshTimeout"},
		"mixed roles": {
			`{apiVersion: kuma.io/v1alpha1, kind: MeshRetry, metadata: {name: a, namespace: ns}, spec: {to: [{targetRef: {kind: MeshService, name: b}}, {targetRef: {kind: Mesh}}]}}`,
			"MeshRetry \"a\": a policy in namespace \"ns\" must have either `from` or `to`, and the entries of `to` must refer either only to services and routes of that namespace, by name, or only to others",
		},
		"no metadata": {`{apiVersion: kuma.io/v1alpha1, kind: Mesh}`, "Mesh: the field metadata.name is missing. Set it to the name of the resource"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, err := kuma.FromDocument(decode(t, tt.yaml), form); err == nil || err.Error() != tt.want {
				t.Errorf("FromDocument = %v, %v, want %s", got, err, tt.want)
			}
		})
	}
}

func TestDocumentsAreCopies(t *testing.T) {
	t.Parallel()
	doc := object{"type": "MeshTimeout", "name": "a", "spec": object{"to": []any{object{"a": "b"}}}}
	r, err := kuma.FromDocument(doc, nil)
	testworld.NoError(t, err)
	before := r.Clone()
	doc["spec"].(object)["to"].([]any)[0].(object)["a"] = "changed"
	r.Document()["spec"] = nil
	r.Clone().Document()["spec"].(object)["to"] = nil
	if diff := cmp.Diff(before, r); diff != "" {
		t.Errorf("the resource changed with the documents (-before +after):\n%s", diff)
	}
}

func decode(t *testing.T, yaml string) any {
	t.Helper()
	docs, err := tree.DecodeYAML([]byte(yaml))
	if err != nil || len(docs) != 1 {
		t.Fatalf("DecodeYAML(%s) = %v, %v", yaml, docs, err)
	}
	return docs[0]
}
