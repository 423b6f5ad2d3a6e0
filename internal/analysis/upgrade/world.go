package upgrade

import (
	"maps"
	"reflect"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// world is the documents while they are rewritten.
type world struct {
	Options
	resources []kuma.Resource  // in the order of the input; added ones follow
	at        map[kuma.Key]int // their positions in resources
	kept      map[kuma.Key]bool
	// addsListeners are Dataplanes with reachableServices outside of mode Exclusive, and whether stage one adds listeners to them: by
	// reference beside those by tag.
	addsListeners map[kuma.Key]bool
	equal         equalDataplanes // which are not among the resources
	specials      specialProxies
	fromMesh      map[kuma.Key]bool // policies that say what the Mesh and older kinds say on 2.14
	// suspects are the documents whose proposals stage one compares, each time; nil for all.
	suspects  map[kuma.Key]bool
	last      found                        // by the last attempt at stage one
	left      map[kuma.Key]map[string]bool // proposals for these documents that stage one does not contain, by rewrite and path
	final     bool                         // stage two
	report    record
	read      map[kuma.Release]*rules.Snapshot // resources as releases read them
	proxies   map[string][]taggedProxy         // by mesh, as the control plane stores them
	models    map[string]*proxy.Mesh           // by mesh, of the documents as the control plane stores them
	unchanged *rules.Snapshot                  // resources as comparisons read them; nil until one does
	known     map[storedKey]storedAs           // by which unchanged documents are stored once, also for clones
	checks    map[kuma.Key]checked             // of the documents of proposals, also for clones
	failed    *error                           // the first error of a comparison, also of clones, after which all are empty
}

// taggedProxy is a Dataplane and its tags.
type taggedProxy struct {
	*kuma.Resource
	tags []map[string]string // as inboundTags returns them
}

func newWorld(documents []kuma.Resource, o Options) *world {
	w := &world{
		Options: o, kept: map[kuma.Key]bool{}, fromMesh: map[kuma.Key]bool{}, addsListeners: map[kuma.Key]bool{},
		left: map[kuma.Key]map[string]bool{}, report: record{of: map[kuma.Key]Report{}}, known: map[storedKey]storedAs{},
		checks: map[kuma.Key]checked{}, failed: new(error),
	}
	w.set(with(nil, proposal{put: phrase.Each(documents, w.correctFields)}))
	w.addInitial()
	for _, r := range w.resources {
		w.keep(r)
	}
	return w
}

// clone returns a world that can be rewritten in another way.
func (w *world) clone() *world {
	out := *w
	out.kept, out.fromMesh, out.addsListeners = maps.Clone(w.kept), maps.Clone(w.fromMesh), maps.Clone(w.addsListeners)
	out.left = map[kuma.Key]map[string]bool{} // a clone begins again
	out.report = record{slices.Clip(w.report.items), maps.Clone(w.report.of)}
	out.set(w.resources)
	return &out
}

// addInitial adds the policies that the control plane creates with the meshes, or reports
// that they are missing.
func (w *world) addInitial() {
	var added []kuma.Resource
	for _, mesh := range w.of(kuma.KindMesh) {
		if w.isCopy(mesh) {
			continue
		}
		var missing []string
		for _, i := range kinds.Initial(mesh, w.ControlPlane.Release) {
			switch {
			case w.find(i.Key()) != nil, isDefaultOfGateways(i) && !w.InitialPolicies && !w.hasGateways(mesh.Name): // R13 deletes it
			case w.InitialPolicies:
				added = append(added, i)
			default:
				missing = append(missing, i.Name)
			}
		}
		if missing != nil {
			w.report.add(Item{
				Key: mesh.Key(), Action: Manual,
				Text: "The documents do not contain the policies that the control plane created with the mesh: " + phrase.And(missing...) +
					". Kuma 3.0 reads only a part of them.",
				Choices: []string{"Add the documents that the control plane stores, or those that it creates.", "Nothing, if they have been deleted."},
			})
		}
	}
	w.set(with(w.resources, proposal{put: added}))
}

// set replaces the documents.
func (w *world) set(resources []kuma.Resource) {
	w.resources, w.at, w.unchanged = resources, positions(resources), nil
	w.forget()
}

// forget releases what was computed from the documents for rewrites: a comparison does not need it.
func (w *world) forget() {
	w.read, w.proxies = map[kuma.Release]*rules.Snapshot{}, map[string][]taggedProxy{}
	w.models, w.specials = map[string]*proxy.Mesh{}, specialProxies{}
}

// before returns the documents as comparisons with other ones read them.
func (w *world) before() *rules.Snapshot {
	if w.unchanged == nil {
		w.unchanged = w.compared(w.resources, w.ControlPlane.Release)
	}
	return w.unchanged
}

func positions(resources []kuma.Resource) map[kuma.Key]int {
	at := make(map[kuma.Key]int, len(resources))
	for i, r := range resources {
		at[r.Key()] = i
	}
	return at
}

// keep excludes a document that cannot be rewritten.
func (w *world) keep(r kuma.Resource) {
	k, described := kinds.Find(r.Type)
	switch {
	case isGenerated(r):
		w.kept[r.Key()] = true
		w.report.add(Item{Key: r.Key(), Action: Generated, Text: "The control plane generates this " + r.Type +
			" again, in Kuma 3.0 for the label kuma.io/workload. It is not part of the stages."})
	case w.isCopy(r):
		w.kept[r.Key()] = true
		owner := "the global control plane"
		if zone := r.Zone(); zone != "" && (w.ControlPlane.Mode == kuma.ModeGlobal || r.Labels[kuma.LabelEnv] != "") {
			owner = "zone " + zone
		}
		w.report.add(Item{Key: r.Key(), Action: Elsewhere, Owner: owner, Text: "Belongs to " + owner + ": rewrite it there."})
	case isWithoutData(r):
		w.kept[r.Key()] = true
		w.report.add(Item{
			Key: r.Key(), Action: Kept,
			Text: "The document does not contain the data of the secret, for which encode_resources generates a variable. " +
				"Applied as it is, it empties the secret.",
		})
	case !described && !isRemovedKind(r.Type):
		w.kept[r.Key()] = true
		w.report.add(Item{Key: r.Key(), Action: Kept, Text: "Kind " + r.Type +
			" is not described here, and is kept as it is. Check with its vendor what Kuma 3.0 does with it."})
	case described && r.Labels[kuma.LabelOrigin] == "": // a control plane has accepted the others
		if problems := def.Errors(k.Validate(r.Document())); len(problems) > 0 {
			w.kept[r.Key()] = true
			w.report.add(Item{
				Key: r.Key(), Path: problems[0].Path.String(), Action: Kept,
				Text: "The document is not valid, and is kept as it is: " + problems[0].Detail,
			})
		}
	}
	for _, p := range w.refused(r) {
		if !w.kept[r.Key()] {
			w.report.add(Item{Key: r.Key(), Path: p.Path.String(), Action: Manual, Text: refusedText + p.Detail})
		}
	}
}

// isCopy reports whether another control plane owns a document.
func (w *world) isCopy(r kuma.Resource) bool {
	k, described := kinds.Find(r.Type)
	if older, ok := kinds.FindOlder(r.Type); ok && !described {
		k = older.Kind
	}
	return k.Synced(r, w.ControlPlane)
}

const refusedText = "2.14 stores this, and plans reject it, unless policy_checks of the provider is \"warning\": "

// find returns the document with a key, or nil.
func (w *world) find(key kuma.Key) *kuma.Resource {
	if i, ok := w.at[key]; ok {
		return &w.resources[i]
	}
	return nil
}

// of returns the documents of some kinds that can be rewritten.
func (w *world) of(types ...string) (found []kuma.Resource) {
	for _, r := range w.resources {
		if slices.Contains(types, r.Type) && !w.kept[r.Key()] {
			found = append(found, r)
		}
	}
	return found
}

// policies returns the policies that can be rewritten.
func (w *world) policies() []kuma.Resource { return w.of(kinds.PolicyTypes()...) }

// snapshot returns the documents as the control plane stores them: as 2.14 does.
func (w *world) snapshot() *rules.Snapshot { return w.readBy(w.ControlPlane.Release) }

// proxiesOf returns the Dataplanes of a mesh as the control plane stores them.
func (w *world) proxiesOf(mesh string) []taggedProxy {
	list, ok := w.proxies[mesh]
	if !ok {
		tagged := func(d *kuma.Resource) taggedProxy { return taggedProxy{d, inboundTags(*d)} }
		list = phrase.Each(w.snapshot().Resources(mesh, kuma.KindDataplane), tagged)
		w.proxies[mesh] = list
	}
	return list
}

// outbounds returns what the proxy of a Dataplane listens for, nil without its Mesh.
func (w *world) outbounds(dataplane kuma.Resource) *proxy.Outbounds {
	if m := w.model(dataplane.Mesh); m != nil {
		return m.Outbounds(dataplane.Name)
	}
	return nil
}

// model returns what the proxies of a mesh have, nil without the Mesh.
func (w *world) model(mesh string) *proxy.Mesh {
	m, ok := w.models[mesh]
	if !ok {
		m, _ = proxy.New(w.snapshot(), mesh)
		w.models[mesh] = m
	}
	return m
}

// readBy returns the documents as a release stores them: without what it does not have.
func (w *world) readBy(release kuma.Release) *rules.Snapshot {
	if w.read[release] == nil {
		cp := w.ControlPlane
		cp.Release = release
		w.read[release] = rules.NewSnapshotOfProxies(release, w.stored(w.resources, cp)).RestrictOutbound(cp.RestrictsOutbound())
	}
	return w.read[release]
}

// compared returns documents as a release stores them, with the endpoints of collectors and, in
// 2.14, the hash policies in one form: rules contain them as they are written, and not what they
// mean. In Kuma 3.0, with the addresses by which other control planes replace their zone ingresses.
func (w *world) compared(resources []kuma.Resource, release kuma.Release) *rules.Snapshot {
	cp := w.ControlPlane
	cp.Release = release
	list := w.stored(resources, cp)
	collectors := slices.DeleteFunc(slices.Clone(list), func(r kuma.Resource) bool { return r.Type != kinds.MeshOpenTelemetryBackend.Name })
	slices.SortFunc(collectors, func(a, b kuma.Resource) int { return kuma.CompareKeys(a.Key(), b.Key()) })
	for _, r := range resources {
		if r.Type == kinds.ZoneIngress.Name && release.Kuma3() && w.isCopy(r) {
			for _, mesh := range meshes(resources...) {
				list = append(list, labelled(addressOf(r, mesh), map[string]string{kuma.LabelZone: r.Zone()}))
			}
		}
	}
	for i, r := range list {
		if len(collectors) > 0 {
			list[i] = withEndpoints(collectors, r)
		}
		if !release.Kuma3() {
			list[i], _ = withMovedHashPolicies(list[i])
		}
	}
	return rules.NewSnapshotOfProxies(release, list).RestrictOutbound(cp.RestrictsOutbound())
}

// storedKey identifies a document and a release that stores it.
type storedKey struct {
	kuma.Release
	kuma.Key
}

// storedAs is what a release stores for a document of a Mesh.
type storedAs struct{ document, mesh, stored kuma.Resource }

// isUnchanged reports whether a document is still the one that it was: rewrites change copies.
func isUnchanged(was, is kuma.Resource) bool {
	at := func(m any) uintptr { return reflect.ValueOf(m).Pointer() }
	return at(was.Body) == at(is.Body) && at(was.Labels) == at(is.Labels)
}

// stored returns what a control plane stores when documents are written, and what it
// generates.
func (w *world) stored(resources []kuma.Resource, cp kuma.ControlPlane) []kuma.Resource {
	byName, dataplanes := map[string]kuma.Resource{}, map[string][]kuma.Resource{}
	for _, r := range resources {
		if r.Type == kuma.KindMesh {
			byName[r.Name] = r
		}
	}
	for _, name := range meshes(resources...) {
		if _, ok := byName[name]; !ok { // it has the default settings
			byName[name] = kuma.Resource{Type: kuma.KindMesh, Name: name, Body: map[string]any{}}
			resources = append(slices.Clip(resources), byName[name])
		}
	}
	out := make([]kuma.Resource, 0, len(resources))
	for _, r := range resources {
		k, described := kinds.Find(r.Type)
		own := r.Zone() == "" || r.Zone() == cp.Zone
		if !described || !k.In(cp.Release) || kinds.IsGeneratedService(r) && own && cp.Mode != kuma.ModeGlobal {
			continue
		}
		key := storedKey{cp.Release, r.Key()}
		known, ok := w.known[key]
		if !ok || !isUnchanged(known.document, r) || !isUnchanged(known.mesh, byName[r.Mesh]) {
			c := def.StoreContext{ControlPlane: cp, Mesh: byName[r.Mesh]}
			if r.Labels[kuma.LabelOrigin] != "" {
				c.ControlPlane = kuma.ControlPlane{Release: cp.Release}
			}
			known = storedAs{r, c.Mesh, def.InZones(k.Store(kinds.ReadGenerated(r, cp), c), cp)}
			if w.isCopy(r) {
				known.stored.Labels = r.Labels
			}
			k.DropUnsupported(known.stored.Body, cp.Release)
			if cp.Release.Kuma3() {
				nameSubsets(r, known.stored.Body)
			}
			if tree.Equal(known.stored.Body, r.Body) { // as most are, and then need no memory of their own
				known.stored.Body = r.Body
			}
			w.known[key] = known
		}
		r = known.stored
		if r.Type == kuma.KindDataplane {
			dataplanes[r.Mesh] = append(dataplanes[r.Mesh], r)
		}
		out = append(out, r)
	}
	at := positions(out)
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		for _, service := range kinds.GeneratedServices(byName[name], dataplanes[name], cp) {
			if _, ok := at[service.Key()]; !ok {
				out = append(out, service)
			}
		}
	}
	return out
}

// nameSubsets names the subsets of services in what Kuma 3.0 stores of a route, for the proof: it has no tags, so
// that requests to them go nowhere.
func nameSubsets(r kuma.Resource, stored map[string]any) {
	for _, ref := range rules.BackendRefs(r) {
		if ref.Kind == kuma.KindMeshServiceSubset {
			tree.Object(tree.At(stored, ref.Path))["name"] = ref.Name + " with " + phrase.Pairs(ref.Tags) + ", unknown to Kuma 3.0"
		}
	}
}

// edited returns a copy of a document after a change.
func edited(r kuma.Resource, change func(body map[string]any)) kuma.Resource {
	r = r.Clone()
	change(r.Body)
	return r
}

// withValue returns a document with another value at a path of its body.
func withValue(r kuma.Resource, p tree.Path, v any) kuma.Resource {
	r.Body = tree.Object(tree.With(r.Body, p, v))
	return r
}

// labelled returns a document with more labels.
func labelled(r kuma.Resource, labels map[string]string) kuma.Resource {
	own := r.Labels
	r.Labels = make(map[string]string, len(own)+len(labels))
	maps.Copy(r.Labels, own)
	maps.Copy(r.Labels, labels)
	return r
}

// setAt sets the value at a path of a document, and the objects that contain it.
func setAt(doc any, p tree.Path, v any) {
	parent := tree.At(doc, p.Parent())
	if parent == nil {
		parent = map[string]any{}
		setAt(doc, p.Parent(), parent)
	}
	switch step := p[len(p)-1].(type) {
	case string:
		tree.Object(parent)[step] = v
	case int:
		tree.List(parent)[step] = v
	}
}

// deleteAt deletes the value of a field.
func deleteAt(doc any, p tree.Path) {
	if name, ok := p[len(p)-1].(string); ok {
		delete(tree.Object(tree.At(doc, p.Parent())), name)
	}
}

// anyMap converts labels to a value of a document.
func anyMap(labels map[string]string) map[string]any {
	out := make(map[string]any, len(labels))
	for key, value := range labels {
		out[key] = value
	}
	return out
}
