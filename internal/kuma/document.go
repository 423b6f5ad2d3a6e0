package kuma

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Form is the layout of the documents of a kind.
type Form struct {
	Flat   bool // the fields are next to the envelope, not under "spec"
	Global bool // resources of the kind do not belong to a mesh
	// Cluster is true if resources of the kind have no namespace on Kubernetes.
	Cluster bool
	Policy  bool // the kind is a policy with targetRef, which has a role
}

// DefaultMesh is the mesh of a document without a mesh.
const DefaultMesh = "default"

// computed are the fields of a stored document that only the server writes.
var computed = []string{"creationTime", "modificationTime", "kri", "snis", "status"}

// FromDocument reads one decoded document in universal or Kubernetes format.
// form returns the layout of a kind; it may be nil when all kinds are newer
// ones inside a mesh. The resource shares no memory with doc. The error names
// the field that is missing or has the wrong type.
func FromDocument(doc any, form func(kind string) Form) (Resource, error) {
	m, ok := doc.(map[string]any)
	if !ok {
		return Resource{}, fmt.Errorf("a document must be an object with type and name, not %s", tree.Describe(doc))
	}
	if form == nil {
		form = func(string) Form { return Form{} }
	}
	if _, ok := m["apiVersion"]; ok {
		return fromKubernetes(m, form)
	}
	return fromUniversal(m, form)
}

func fromUniversal(m map[string]any, form func(string) Form) (Resource, error) {
	var r Resource
	var err error
	if r.Type, err = required(m, "type", aKind); err != nil {
		return Resource{}, err
	}
	if r.Name, err = required(m, "name", aName); err != nil {
		return Resource{}, fmt.Errorf("%s: %w", r.Type, err)
	}
	f := form(r.Type)
	if !f.Global {
		r.Mesh = DefaultMesh
		if _, ok := m["mesh"]; ok {
			if r.Mesh, err = required(m, "mesh", "the name of the mesh"); err != nil {
				return Resource{}, fmt.Errorf("%s %q: %w", r.Type, r.Name, err)
			}
		}
	}
	if r.Labels, err = labels(m["labels"]); err != nil {
		return Resource{}, fmt.Errorf("%s %q: %w", r.Type, r.Name, err)
	}
	r.CreationTime = timestamp(m["creationTime"])
	r.ModificationTime = timestamp(m["modificationTime"])
	r.Body = body(m, "type", "name", "mesh", "labels")
	for _, name := range []string{"status", "snis"} {
		if v := m[name]; v != nil && !tree.IsEmpty(v) {
			if r.Reported == nil {
				r.Reported = map[string]any{}
			}
			r.Reported[name] = tree.Clone(v)
		}
	}
	return r, nil
}

// fromKubernetes follows matching.md §1.8.
func fromKubernetes(m map[string]any, form func(string) Form) (Resource, error) {
	var r Resource
	var err error
	if r.Type, err = required(m, "kind", aKind); err != nil {
		return Resource{}, err
	}
	meta := tree.Object(m["metadata"])
	name, err := required(meta, "metadata.name", aName)
	if err != nil {
		return Resource{}, fmt.Errorf("%s: %w", r.Type, err)
	}
	if r.Labels, err = labels(meta["labels"]); err != nil {
		return Resource{}, fmt.Errorf("%s %q: metadata: %w", r.Type, name, err)
	}
	if r.Labels == nil {
		r.Labels = map[string]string{}
	}
	r.Name = name
	r.Labels[LabelDisplayName] = name
	if a := tree.StringMap(meta["annotations"])[LabelDisplayName]; a != "" {
		r.Labels[LabelDisplayName] = a
	}
	f := form(r.Type)
	if ns := tree.Text(meta["namespace"]); ns != "" && !f.Cluster && !slices.Contains(systemNamespaces, ns) {
		r.Name = name + "." + ns
		r.Labels[LabelK8sNamespace] = ns
	}
	if f.Global {
		delete(r.Labels, LabelMesh)
	} else {
		r.Mesh = firstNonEmpty(tree.Text(m["mesh"]), r.Labels[LabelMesh], DefaultMesh)
	}
	r.CreationTime = timestamp(meta["creationTimestamp"])
	spec := tree.Object(tree.Clone(m["spec"]))
	switch {
	case f.Flat && spec != nil:
		r.Body = spec
	case f.Flat:
		r.Body = map[string]any{}
	default:
		r.Body = body(m, "apiVersion", "kind", "metadata", "mesh")
	}
	if f.Policy && r.Namespace() != "" && r.Labels[LabelPolicyRole] == "" && r.Labels[LabelOrigin] != OriginGlobal {
		role, ok := ComputeRole(r)
		if !ok {
			return Resource{},
				fmt.Errorf(
					"%s %q: a policy in namespace %q must have either `from` or `to`, and the entries of `to` must refer either only to services and "+
						"routes of that namespace, by name, or only to others", r.Type, name, r.Namespace())
		}
		r.Labels[LabelPolicyRole] = string(role)
	}
	return r, nil
}

// Document returns r in universal format without the fields that only the
// server writes. Fields can be added and removed, but their values belong to r:
// use [Resource.Clone] before changing them.
func (r Resource) Document() map[string]any {
	doc := make(map[string]any, len(r.Body)+4)
	maps.Copy(doc, r.Body)
	doc["type"] = r.Type
	doc["name"] = r.Name
	if r.Mesh != "" {
		doc["mesh"] = r.Mesh
	}
	if len(r.Labels) > 0 {
		l := make(map[string]any, len(r.Labels))
		for k, v := range r.Labels {
			l[k] = v
		}
		doc["labels"] = l
	}
	return doc
}

func body(m map[string]any, envelope ...string) map[string]any {
	out := maps.Clone(m)
	maps.DeleteFunc(out, func(k string, _ any) bool {
		return slices.Contains(envelope, k) || slices.Contains(computed, k)
	})
	return tree.Object(tree.Clone(out))
}

// What required fields are set to.
const (
	aKind = "the kind of the resource, such as MeshTimeout"
	aName = "the name of the resource"
)

// required returns a string field that must not be empty, which is the last part of a path.
// what is what to set it to.
func required(m map[string]any, field, what string) (string, error) {
	v, ok := m[field[strings.LastIndexByte(field, '.')+1:]]
	if !ok {
		return "", fmt.Errorf("the field %s is missing. Set it to %s", field, what)
	}
	s, ok := v.(string)
	if !ok {
		return "", fmt.Errorf("%s must be a string, not %s", field, tree.Describe(v))
	}
	if s == "" {
		return "", fmt.Errorf("%s is empty", field)
	}
	return s, nil
}

func labels(v any) (map[string]string, error) {
	if v == nil {
		return nil, nil
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("labels must be an object, not %s", tree.Describe(v))
	}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if _, ok := m[k].(string); !ok {
			return nil, fmt.Errorf("label %q must be a string, not %s", k, tree.Describe(m[k]))
		}
	}
	if len(m) == 0 {
		return nil, nil
	}
	return tree.StringMap(m), nil
}

func timestamp(v any) time.Time {
	t, err := time.Parse(time.RFC3339Nano, tree.Text(v))
	if err != nil {
		return time.Time{}
	}
	return t
}

func firstNonEmpty(s ...string) string {
	for _, v := range s {
		if v != "" {
			return v
		}
	}
	return ""
}
