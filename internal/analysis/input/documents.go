package input

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Documents collects documents, which count as stored, and whole resources, which are planned.
// Of several with the same key, the last one counts.
type Documents struct {
	Reader document.Reader
	// Unknown reports whether something that affects the result is not known yet.
	Unknown bool

	given    []given
	from     *origins // of the documents, including those that cannot change the result
	planned  bool     // the document that is read is a whole resource
	matters  func(kind string, doc map[string]any) bool
	warnings []string
}

type given struct {
	document.Document
	planned bool
}

// NewDocuments collects the resources that affect a result. matters decides that for a
// document, in which some values may not be known yet, and its kind.
func NewDocuments(matters func(kind string, doc map[string]any) bool) *Documents {
	d := &Documents{matters: matters, from: &origins{zones: map[string]bool{}, referred: map[string]bool{}}}
	d.Reader = document.Reader{UnknownKinds: document.LeaveOut, Check: document.Values, OmitsSecrets: true, Skip: d.skip}
	return d
}

// OfKinds collects the resources of some kinds.
func OfKinds(kinds []def.Kind) *Documents {
	names := KindNames(kinds)
	d := NewDocuments(func(kind string, _ map[string]any) bool { return slices.Contains(names, kind) })
	d.Reader.Accept = names
	return d
}

// OfAllKinds collects all documents, as they are, also of kinds that the provider does not have.
func OfAllKinds() *Documents {
	d := NewDocuments(func(string, map[string]any) bool { return true })
	d.Reader.UnknownKinds, d.Reader.Check = document.Take, document.Envelope
	return d
}

// KindNames returns the names of kinds.
func KindNames(kinds []def.Kind) []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.Name
	}
	return names
}

// Text reads a stream of documents.
func (d *Documents) Text(text []byte) error {
	read, err := d.Reader.Text(text)
	if err != nil {
		return err
	}
	return d.read(read)
}

// Checked reads a stream of documents of all kinds with another extent of checks, and returns what it
// read. It collects those that affect the result and are valid, apart from fields that their kind
// does not have.
func (d *Documents) Checked(text []byte, check document.Check, accept []string) (document.Result, error) {
	reader := document.Reader{UnknownKinds: document.LeaveOut, Accept: accept, Check: check, OmitsSecrets: true}
	reader.Skip = func(_ string, doc map[string]any) bool {
		d.from.add(doc)
		return false
	}
	read, err := reader.Text(text)
	invalid := map[int]bool{}
	for _, p := range read.Problems {
		if !p.Warning && p.Topic != def.Unknown {
			invalid[p.Number] = true
		}
	}
	for _, r := range read.Documents {
		if !invalid[r.Number] && d.matters(r.Resource.Type, nil) {
			d.given = append(d.given, given{r, false})
		}
	}
	d.warnings = append(d.warnings, read.Ignored()...)
	return read, err
}

// Value reads a decoded document, or a whole resource.
func (d *Documents) Value(doc map[string]any, planned bool) error {
	d.planned = planned
	defer func() { d.planned = false }()
	return d.read(d.Reader.Value(withKnownAddress(doc)))
}

func (d *Documents) read(found document.Result) error {
	if err := found.Err(); err != nil {
		return err
	}
	d.Add(found)
	return nil
}

// Add adds documents that were read.
func (d *Documents) Add(found document.Result) {
	for _, f := range found.Documents {
		d.given = append(d.given, given{f, d.planned})
	}
	d.warnings = append(d.warnings, found.Ignored()...)
}

// AddPlanned adds whole resources.
func (d *Documents) AddPlanned(resources ...document.Document) {
	for _, r := range resources {
		d.given = append(d.given, given{r, true})
	}
}

// skip reports whether a document cannot change the result, or is not known yet.
func (d *Documents) skip(kind string, doc map[string]any) bool {
	if !d.planned {
		d.from.add(doc)
	}
	if kind != "" && !d.matters(kind, doc) {
		return true
	}
	known := tree.FullyKnown(doc)
	d.Unknown = d.Unknown || !known
	return !known
}

const anyAddress = "192.0.2.1" // for documentation, RFC 5737

// withKnownAddress replaces the unknown address of a Dataplane if that does not change
// the rules: the address of a machine is often not known before the machine exists.
func withKnownAddress(doc map[string]any) map[string]any {
	networking := tree.Object(doc["networking"])
	if doc["type"] == kuma.KindDataplane && networking["address"] == tree.Unknown && !rules.AddressMatters(networking) {
		networking["address"] = anyAddress
	}
	return doc
}

// ReduceProxy removes what is not known from a Dataplane whose own rules do not matter, unless that
// can change the MeshServices that are generated for it.
func ReduceProxy(doc map[string]any) {
	networking := tree.Object(doc["networking"])
	for _, field := range slices.Collect(maps.Keys(networking)) {
		if field != "inbound" && !tree.FullyKnown(networking[field]) {
			delete(networking, field)
		}
	}
	for _, inbound := range tree.Objects(networking["inbound"]) {
		for _, field := range slices.Collect(maps.Keys(inbound)) {
			if !slices.Contains([]string{"name", "port", "protocol", "tags"}, field) && !tree.FullyKnown(inbound[field]) {
				delete(inbound, field)
			}
		}
	}
	if networking != nil && networking["address"] == nil {
		networking["address"] = anyAddress
	}
}

// Resources returns all resources as they are given.
func (d *Documents) Resources() []kuma.Resource {
	resources := make([]kuma.Resource, len(d.given))
	for i, g := range d.given {
		resources[i] = g.Resource
	}
	return resources
}

// ControlPlane returns the control plane that stores the documents, according to their labels, or
// else the given one, whose release it has.
func (d *Documents) ControlPlane(otherwise kuma.ControlPlane) kuma.ControlPlane {
	from := d.from.controlPlane()
	if from.Mode == "" {
		return otherwise
	}
	from.Zone, from.Release = cmp.Or(from.Zone, otherwise.Zone), otherwise.Release
	return from
}

// Mesh returns a mesh with the documents, read by the requested release, or else by the one that
// stores them. A mesh without a document has the default settings.
func (d *Documents) Mesh(name string, requested kuma.Release) Mesh {
	return d.mesh(name, storedBy(requested, d), requested)
}

func (d *Documents) mesh(name string, stored, requested kuma.Release) Mesh {
	cp := d.from.controlPlane()
	cp.Release = stored
	var documents []document.Document
	var planned []kuma.Resource
	for _, g := range d.given {
		if g.planned {
			planned = append(planned, g.Resource)
			continue
		}
		documents = append(documents, g.Document)
		planned = slices.DeleteFunc(planned, func(r kuma.Resource) bool { return r.Key() == g.Resource.Key() })
	}
	m := Stored(name, cp, nil, asStored(documents, cp), planned)
	m.Before, m.Resources = withDefaultMesh(m.Before, name), withDefaultMesh(m.Resources, name)
	m.Release, m.Warnings = cmp.Or(requested, stored), d.warnings
	return m
}

// Change returns a mesh before and after a change, given as documents. One control plane
// stores both, unless a release is requested: then the change includes the upgrade to it.
func Change(before, after *Documents, name string, requested kuma.Release) (was, is Mesh) {
	before.from.merge(after.from)
	after.from = before.from
	stored, storedAfter := storedBy(requested, before), storedBy(requested, after)
	if requested == (kuma.Release{}) {
		stored = storedBy(requested, before, after)
		storedAfter, requested = stored, stored
	}
	after.replaces(before)
	return before.mesh(name, stored, stored), after.mesh(name, storedAfter, requested)
}

// replaces adds the documents of meshes that whole resources change: they are not new, so
// that the control plane creates no policies with them.
func (d *Documents) replaces(before *Documents) {
	for _, g := range before.given {
		changes := func(own given) bool { return own.Resource.Key() == g.Resource.Key() }
		if i := slices.IndexFunc(d.given, changes); g.Resource.Type == kuma.KindMesh && !g.planned && i >= 0 {
			d.given = slices.Insert(slices.Clip(d.given), i, g) // the comparison of another mesh shares them
		}
	}
}

// MissingMesh says that none of the documents is of a mesh.
func MissingMesh(name string, documents ...*Documents) error {
	var meshes []string
	for _, d := range documents {
		for _, g := range d.given {
			if key := g.Resource.Key(); key.Type == kuma.KindMesh {
				meshes = append(meshes, key.Name)
			} else if key.Mesh != "" {
				meshes = append(meshes, key.Mesh)
			}
		}
	}
	slices.Sort(meshes)
	return fmt.Errorf("there is no mesh %q in the documents.%s", name, phrase.Suggest(name, slices.Compact(meshes)))
}

// CheckMesh returns an error if a document omits its mesh, although others are in the mesh to
// analyze, which is not the default one.
func CheckMesh(name string, documents ...*Documents) error {
	var omitted error
	inMesh := false
	for _, d := range documents {
		for _, g := range d.given {
			omitted = cmp.Or(omitted, g.In(name))
			inMesh = inMesh || g.Resource.Mesh == name
		}
	}
	if !inMesh {
		return nil
	}
	return omitted
}

// SuggestDataplane returns a sentence about a Dataplane with the same name in another
// mesh, or one of the mesh whose name is close.
func (d *Documents) SuggestDataplane(asked kuma.Key) string {
	var all []string
	for _, g := range d.given {
		switch key := g.Resource.Key(); {
		case key.Type != kuma.KindDataplane:
		case key.Name == asked.Name:
			return fmt.Sprintf(" Mesh %q has a Dataplane with this name.", key.Mesh)
		case key.Mesh == asked.Mesh:
			all = append(all, key.Name)
		}
	}
	return phrase.Suggest(asked.Name, all)
}
