package randomworld

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Options describe the control planes that the world is for.
type Options struct {
	Mesh string // name of the mesh; all other names are random

	// Zone is the name of the zone that the world is for, without a global
	// control plane. The world includes resources with labels of other zones.
	Zone string
	// Zones are the zones of a global control plane. When there are any, each
	// resource is for the control plane of its zone, see [kuma.Resource.Zone], and
	// those without a zone are for the global one.
	Zones []string

	// Release is the one that the world is for, without what it does not have.
	// [kuma.Newest2] by default.
	Release kuma.Release
}

// New generates a world: the resources in an order in which a control plane
// accepts them, the mesh first. All are valid according to the declarations of
// their kinds. Most have references to others, some to missing ones.
func New(seed uint64, o Options) []kuma.Resource {
	w := newWorld(seed, 0, o)
	w.addMesh()
	w.addDestinations()
	w.addGateways()
	w.addDataplanes()
	w.addOthers()
	w.addPolicies()
	return w.resources
}

// Document generates one valid document of a kind; false when none was found.
// Its references do not resolve.
func Document(seed uint64, k def.Kind, o Options) (kuma.Resource, bool) {
	return DocumentWith(seed, k, nil, o)
}

// DocumentWith is [Document] for a document that has the field that names lead to, from the
// fields of the kind on; without names, any field. There is none if the release does not have it.
func DocumentWith(seed uint64, k def.Kind, names []string, o Options) (kuma.Resource, bool) {
	w := newWorld(seed, documentStream, o)
	r := kuma.Resource{Type: k.Name, Name: "invented"}
	if len(names) == 0 {
		return w.document(k, r)
	}
	places := slices.DeleteFunc(slices.Clone(aimsOf(k)), func(a aim) bool {
		return !slices.EqualFunc(a.fields, names, func(f *def.Field, name string) bool { return f.Name == name }) || !a.in(w.options.Release)
	})
	if len(places) == 0 {
		return r, false
	}
	w.aim = pick(w, places...)
	return w.aimedDocument(k, r)
}

// document draws the fields of a resource; false when no attempt is valid.
func (w *world) document(k def.Kind, r kuma.Resource) (kuma.Resource, bool) {
	w.aim = w.aimAt(k)
	return w.aimedDocument(k, r)
}

func (w *world) aimedDocument(k def.Kind, r kuma.Resource) (kuma.Resource, bool) {
	for range draws {
		w.left = documentDraws
		fields, ok := w.object(k.Fields, k.Proto())
		r.Body = fields
		if !k.Proto() {
			r.Body = object{"spec": fields}
		}
		if k.Scope == def.InMesh {
			r.Mesh = w.options.Mesh
		}
		if !ok {
			continue
		}
		if r, ok := w.repair(k, r); ok {
			return r, true
		}
	}
	return kuma.Resource{}, false
}

// documentStream is the random stream for [Document], which begins with the aim.
const documentStream = 1

// object is a part of a document.
type object = map[string]any

// world is a world in progress.
type world struct {
	*rand.Rand
	seed      uint64
	options   Options
	resources []kuma.Resource
	names     map[string][]string // that references can use, by kind
	left      int                 // draws for the current document
	aim       aim                 // of the current document
}

func newWorld(seed, stream uint64, o Options) *world {
	if o.Release == (kuma.Release{}) {
		o.Release = kuma.Newest2()
	}
	return &world{Rand: rand.New(rand.NewPCG(seed, stream)), seed: seed, options: o, names: map[string][]string{}}
}

// kuma3 reports whether the world is for a release that has no tags, gateways and settings
// of meshes.
func (w *world) kuma3() bool { return w.options.Release.Kuma3() }

// pick returns one of several values.
func pick[T any](w *world, from ...T) T { return from[w.IntN(len(from))] }

// one returns true once in n times.
func (w *world) one(n int) bool { return w.IntN(n) == 0 }

func number(n int) json.Number { return json.Number(fmt.Sprint(n)) }

// add adds a resource with more fields if it is valid.
func (w *world) add(r kuma.Resource) {
	k, _ := kinds.Find(r.Type)
	if !w.valid(k, r) || !k.In(w.options.Release) {
		return
	}
	r = w.enrich(k, r)
	w.resources = append(w.resources, r)
	w.names[r.Type] = append(w.names[r.Type], r.Name, r.DisplayName())
}

// valid reports whether a document is valid according to the declarations.
func (w *world) valid(k def.Kind, r kuma.Resource) bool { return len(w.problems(k, r)) == 0 }

// problems returns the errors of a document according to the declarations. In
// older kinds they include settings that a control plane drops, such as the
// second source of a certificate.
func (w *world) problems(k def.Kind, r kuma.Resource) []def.Problem {
	doc := r.Document()
	problems := slices.Concat(k.Validate(doc), k.ValidateLabels(doc, w.owner(r)))
	if k.Flat {
		problems = append(problems, k.ValidateDesign(doc, w.options.Release)...)
	}
	return def.Errors(append(problems, k.ValidateRelease(doc, w.options.Release)...))
}

// owner is the control plane that a resource is written to.
func (w *world) owner(r kuma.Resource) kuma.ControlPlane {
	switch {
	case len(w.options.Zones) == 0:
		return kuma.ControlPlane{Mode: kuma.ModeZone, Zone: w.options.Zone}
	case r.Zone() == "":
		return kuma.ControlPlane{Mode: kuma.ModeGlobal}
	default:
		return kuma.ControlPlane{Mode: kuma.ModeZone, Zone: r.Zone(), Federated: true}
	}
}

func (w *world) addMesh() {
	if w.kuma3() {
		mesh := kuma.Resource{Type: kuma.KindMesh, Name: w.options.Mesh, Body: object{}}
		if w.one(4) {
			mesh.Body["meshServices"] = object{"mode": "Exclusive"}
		}
		w.resources = append(w.resources, mesh)
		return
	}
	body := object{}
	if !w.one(4) {
		body["skipCreatingInitialPolicies"] = []any{"*"}
	}
	if mode := pick(w, "", "Disabled", "Everywhere", "ReachableBackends", "Exclusive", "Exclusive"); mode != "" {
		body["meshServices"] = object{"mode": mode}
	}
	if w.one(3) {
		body["mtls"] = object{"enabledBackend": "a", "backends": []any{object{"name": "a", "type": "builtin"}}}
	}
	mesh := kuma.Resource{Type: kuma.KindMesh, Name: w.options.Mesh, Labels: w.labels(kinds.Mesh), Body: body}
	delete(mesh.Labels, kuma.LabelDisplayName)
	mesh = w.enrich(kinds.Mesh, mesh)
	makeUsable(tree.Root(mesh.Body))
	w.resources = append(w.resources, mesh)
}

// makeUsable changes what would keep a control plane from storing a mesh, whose
// Secrets do not exist yet, or the Dataplanes in it.
func makeUsable(mesh tree.Node) {
	for _, authority := range mesh.Find("mtls.backends[]") {
		if kind, _ := authority.Get("type").Text(); kind == "provided" {
			tree.Object(mesh.Get("mtls").Value())["skipValidation"] = true
		}
	}
	constraints := mesh.Get("constraints", "dataplaneProxy")
	for _, set := range constraints.Get("requirements").Items() {
		tree.Object(set.Value())["tags"] = object{kuma.LabelZone: "*"}
	}
	for _, set := range constraints.Get("restrictions").Items() {
		tree.Object(set.Value())["tags"] = object{"team": "none"}
	}
	if mode, _ := mesh.Get("meshServices", "mode").Text(); mode == "Exclusive" { // inbounds without tags
		delete(tree.Object(constraints.Value()), "requirements")
	}
}

// labels generates labels of a resource that belongs to a zone or, where the
// kind allows that, to the global control plane.
func (w *world) labels(k def.Kind) map[string]string {
	labels := map[string]string{}
	if w.kuma3() {
		w.addOwnLabels(labels)
		if zones := w.options.Zones; len(zones) > 0 && k.ZoneOwned.Contain(w.options.Release) && (!k.GlobalOwned || !w.one(3)) {
			labels[kuma.LabelOrigin], labels[kuma.LabelZone] = kuma.OriginZone, pick(w, zones...)
		}
		return labels
	}
	switch zones := w.options.Zones; {
	case len(zones) > 0 && k.ZoneOwned.Contain(w.options.Release) && (!k.GlobalOwned || !w.one(3)):
		labels[kuma.LabelOrigin], labels[kuma.LabelZone] = kuma.OriginZone, pick(w, zones...)
	case len(zones) == 0 && k.GlobalOwned && w.one(6):
		labels[kuma.LabelOrigin] = kuma.OriginGlobal
	case len(zones) == 0 && k.Name == kuma.KindMeshService && w.one(3):
		labels[kuma.LabelOrigin], labels[kuma.LabelZone] = kuma.OriginGlobal, pick(w, zoneNames...)
	}
	if w.one(4) {
		labels[kuma.LabelDisplayName] = pick(w, resourceNames...)
	}
	if w.one(4) {
		labels[kuma.LabelK8sNamespace] = pick(w, namespaces...)
	}
	if w.one(8) {
		labels[kuma.LabelEnv] = pick(w, "universal", "kubernetes")
	}
	if w.one(12) {
		labels[kuma.LabelManagedBy] = pick(w, "terraform", "k8s-controller")
	}
	w.addOwnLabels(labels)
	return labels
}

// addOwnLabels adds labels without a meaning in Kuma.
func (w *world) addOwnLabels(labels map[string]string) {
	for _, label := range []string{"team", "tier"} {
		if w.one(2) {
			labels[label] = pick(w, "a", "a", "b", "")
		}
	}
}

// The names and values of all worlds.
var (
	resourceNames = []string{"a", "b", "c", "a-b", "a.b"}
	serviceTags   = []string{"a", "b", "a_ns-a_svc_80", "b_ns-b_svc"}
	namespaces    = []string{"ns-a", "ns-a", "ns-b", "kuma-system", ""}
	zoneNames     = []string{"east", "west", "zone-1"}
	hostNames     = []string{"shop.example", "*.shop.example", "*", "other.example"}
	sections      = []string{"main", "http", "80", "8080", "8081", "443"}
)
