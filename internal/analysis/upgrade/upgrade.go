package upgrade

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Options describe the control plane that stores the documents.
type Options struct {
	ControlPlane kuma.ControlPlane // an unknown release means [kuma.Newest2]
	// InitialPolicies adds the policies that the control plane has created with the meshes, if
	// they are not among the documents.
	InitialPolicies bool
}

// Result is a rewritten mesh.
type Result struct {
	StageOne []kuma.Resource // for Kuma 2.14
	StageTwo []kuma.Resource // for Kuma 3.0
	Report   Report
	Proof    Proof
}

// rewrite proposes changes of the documents of a mesh.
type rewrite struct {
	id      string // as in kuma3.md §6.1
	propose func(w *world) []proposal
}

// rewrites returns all rewrites in the order in which they build on each other.
func rewrites() []rewrite {
	return []rewrite{
		{"R13", removeDefaultsOfGateways},
		{"R1", labelDataplanes},
		{"R2b", writeServices},
		{"R2", selectByLabels},
		{"R3", addDisplayNames},
		{"R3", referToLabels},
		{"R4", separateRules},
		{"R5", permitBySPIFFEID},
		{"R5", injectBySPIFFEID},
		{rewriteCollectors, referToCollectors},
		{"R7", typeSources},
		{"R8", replaceValues},
		{"R8", moveHashPolicies},
		{"R8", writePassthrough},
		{"R8", replaceMeshSettings},
		{"R9", listBackends},
		{"R10", addCatchAlls},
		{"R12", replaceZoneProxies},
	}
}

// Rewrite returns the documents in the form of Kuma 3.0. They are not modified. Of several
// documents with the same key, the last one counts.
func Rewrite(documents []kuma.Resource, o Options) (Result, error) {
	if o.ControlPlane.Release == (kuma.Release{}) {
		o.ControlPlane.Release = kuma.Newest2()
	}
	documents = with(nil, proposal{put: documents})
	reduced, equal := representatives(documents)
	w := newWorld(reduced, o)
	w.equal = equal
	w.convertOlder(1)
	w, one := w.stageOne()
	stageOne, compared, idle := w.resources, w.before(), w.withIdleTimeout()
	w.final = true
	w.convertOlder(2)
	w.runAll()
	w.remove()
	final := w.compared(w.resources, Release3())
	clear(w.known)
	two := w.compare(compared, final)
	proof := Proof{
		StageOne: one.changes, StageTwo: two.changes, Listeners: w.withListeners(), NotCompared: [2][]string{w.notCompared(1), w.notCompared(2)},
		telemetry: w.withTelemetry(final), Idle: idle, texts: [2]string{w.summary(one), w.summary(two)},
	}
	return Result{
		StageOne: equal.expand(w.written(stageOne, documents), documents), StageTwo: equal.expand(w.written(w.resources, documents), documents),
		Report: equal.items(w.report.items.withoutReplaced().sorted()), Proof: proof,
	}, *w.failed
}

// withListeners returns the names of the Dataplanes to which stage one adds listeners.
func (w *world) withListeners() (names []string) {
	for key, adds := range w.addsListeners {
		if adds {
			names = append(names, w.equal.names(key.Mesh, []string{key.Name})...)
		}
	}
	return phrase.Sorted(names)
}

// attempts is how often stage one looks for the documents that change proxies by comparing the mesh
// before and after all rewrites.
const attempts = 3

// stageOne rewrites the documents for 2.14. It first accepts all proposals without a comparison of
// their own, then only those for documents that no change of all of them together names: in most
// meshes, nothing changes, and one comparison shows that. Where something does, the next comparison is of
// what can differ from the last one.
func (w *world) stageOne() (*world, comparison) {
	before := w.before()
	w.forget()
	suspects, last := map[kuma.Key]bool{}, found{}
	for attempt := 0; ; attempt++ {
		if attempt == attempts {
			suspects = nil
		}
		if suspects == nil { // whatever the comparison says is the result
			last = found{}
		}
		next := w.clone()
		next.suspects, next.last = suspects, last
		for range passes {
			next.runAll()
		}
		result := next.compare(before, next.before(), last.affected(next.resources)...)
		if result.changes.None() || suspects == nil {
			return next, result
		}
		suspects, last = next.suspectsWith(result.changes), result.changes.in(next.resources)
	}
}

// passes is how often stage one runs the rewrites: a policy that was divided can be rewritten
// where the whole one changes something.
const passes = 2

func (w *world) runAll() {
	for _, r := range rewrites() {
		w.run(r)
	}
}

// written returns the documents that users write: not those that a control plane generates. A zone of a
// global control plane requires the origin of most kinds, also of those that a stage adds (rest-api.md §18).
func (w *world) written(resources, given []kuma.Resource) []kuma.Resource {
	out, at := slices.DeleteFunc(slices.Clone(resources), isGenerated), positions(given)
	for i, r := range out {
		_, isGiven := at[r.Key()]
		if k, ok := kinds.Find(r.Type); ok && w.ControlPlane.Federated && !k.Proto() && !isGiven {
			out[i] = labelled(r, map[string]string{kuma.LabelOrigin: kuma.OriginZone})
		}
	}
	return out
}

// isWithoutData reports whether a secret lacks its data, as in the documents of kuma_resources.
func isWithoutData(r kuma.Resource) bool {
	return (r.Type == kinds.Secret.Name || r.Type == kinds.GlobalSecret.Name) && tree.Text(r.Body["data"]) == ""
}

// isGenerated reports whether a control plane generated a MeshService or a Workload, and
// maintains it.
func isGenerated(r kuma.Resource) bool {
	return kinds.IsGeneratedService(r) || r.Type == kinds.Workload.Name && kuma.Generated(r.Labels)
}

// meshes returns the names of the meshes of resources, in ascending order.
func meshes(resources ...kuma.Resource) []string {
	var names []string
	for _, r := range resources {
		if r.Type == kuma.KindMesh {
			names = append(names, r.Name)
		} else if r.Mesh != "" {
			names = append(names, r.Mesh)
		}
	}
	return phrase.Sorted(names)
}

// Release3 is the release of stage two.
func Release3() kuma.Release { return rules.Newest() }
