package connection

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// ReferenceChecks is the severity of references of policies to what neither exists nor is
// planned.
type ReferenceChecks string

// The values of the argument `reference_checks`.
const (
	ReferencesOff     ReferenceChecks = "off"
	ReferencesWarning ReferenceChecks = "warning"
	ReferencesError   ReferenceChecks = "error"
)

// referenced are the kinds that decide what the references of a policy resolve to.
var referenced = []def.Kind{
	kinds.Mesh, kinds.Dataplane, kinds.MeshGateway, kinds.MeshService, kinds.MeshExternalService, kinds.MeshMultiZoneService,
	kinds.MeshHTTPRoute, kinds.MeshTCPRoute,
	kinds.MeshOpenTelemetryBackend,
}

func isReferenced(kind string) bool {
	return slices.ContainsFunc(referenced, func(k def.Kind) bool { return k.Name == kind })
}

// RecordReferenced records a planned document that references of policies may resolve to.
func (c *Connection) RecordReferenced(k def.Kind, doc map[string]any) {
	if !c.checksReferences() || !isReferenced(k.Name) {
		return
	}
	if !tree.FullyKnown(doc) {
		c.RecordUnknownReferenced(k.Name)
		return
	}
	if r, err := kuma.FromDocument(doc, func(string) kuma.Form { return k.Form() }); err == nil {
		r.Labels = c.Store.Resources(k).LabelsAfter(r, kuma.Resource{})
		c.Run.RecordReferenced(r)
	}
}

// RecordUnknownReferenced records a planned document of a kind, which is empty if it is
// not known either, of which not all is known.
func (c *Connection) RecordUnknownReferenced(kind string) {
	for _, k := range referenced {
		if kind == "" || kind == k.Name {
			c.Run.RecordUnknown(k.Name)
		}
	}
}

func (c *Connection) checksReferences() bool {
	return c.Store != nil && c.References != ReferencesOff && c.References != ""
}

// DanglingReferences returns the references of a planned policy to what neither exists nor
// is planned, as the linter finds them. What depends on unknown values is not reported.
func (c *Connection) DanglingReferences(ctx context.Context, k def.Kind, doc map[string]any) []def.Problem {
	if !c.checksReferences() || k.Policy == nil {
		return nil
	}
	for _, decides := range []any{doc["name"], doc["mesh"], doc["labels"], tree.At(doc, tree.Path{"spec", "targetRef"})} {
		if !tree.FullyKnown(decides) {
			return nil
		}
	}
	policy, err := kuma.FromDocument(tree.Object(known(doc)), nil)
	if err != nil {
		return nil // other checks report it
	}
	policy.Labels = c.Store.Resources(k).LabelsAfter(policy, kuma.Resource{})
	stored, err := c.Store.MeshResources(ctx, policy.Mesh, referenced)
	if err != nil {
		return nil // the refresh and the apply report it
	}
	if _, more := c.Run.Destroyed(stored); !more && len(c.dangling(stored, policy, doc)) == 0 {
		return nil
	}
	if !c.deferred.begin(func() []def.Problem { return of(policy.Key(), c.dangling(stored, policy, doc)) }) {
		return nil
	}
	c.Run.AwaitPlans(ctx) // the plan of the target may follow, which creates or destroys it
	problems := c.dangling(stored, policy, doc)
	for _, check := range c.deferred.end() {
		problems = append(problems, check()...)
	}
	return problems
}

// deferredChecks are the checks of calls that return at once because other calls are waiting. The
// waiting calls report them: ten waiting calls leave Terraform no call for the plans that they wait for.
type deferredChecks struct {
	mu      sync.Mutex
	waiting int
	checks  []func() []def.Problem
}

// begin reports whether the caller may wait. If not, another call makes its check.
func (d *deferredChecks) begin(check func() []def.Problem) bool {
	const most = 4
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.waiting == most {
		d.checks = append(d.checks, check)
		return false
	}
	d.waiting++
	return true
}

// end returns the checks that the caller, which has waited, has to make for others.
func (d *deferredChecks) end() []func() []def.Problem {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.waiting--
	checks := d.checks
	d.checks = nil
	return checks
}

// of names the resource of problems that the plan of another one reports.
func of(key kuma.Key, problems []def.Problem) []def.Problem {
	for i, p := range problems {
		problems[i].Path, problems[i].Detail = nil, fmt.Sprintf("%s, %s: %s", key, p.Path, p.Detail)
	}
	return problems
}

// dangling returns the problems among stored and planned resources.
func (c *Connection) dangling(stored []kuma.Resource, policy kuma.Resource, doc map[string]any) []def.Problem {
	planned, unknown := c.Run.Referenced()
	destroyed, _ := c.Run.Destroyed(stored)
	after := c.snapshot(policy.Mesh, afterPlan(stored, append(planned, policy), destroyed))
	if after == nil || unknown[kuma.KindMesh] {
		return nil // a warning says that the mesh does not exist
	}
	var problems []def.Problem
	for _, f := range lint.References(after, policy.Key()) {
		ref := tree.At(doc, f.Path)
		kind := tree.Text(tree.Object(ref)["kind"])
		generatedLater := kind == kuma.KindMeshService && unknown[kuma.KindDataplane]
		if !tree.FullyKnown(ref) || unknown[kind] || generatedLater ||
			!f.IsDangling() && (unknown[kuma.KindDataplane] || unknown[kuma.KindMeshService]) {
			continue
		}
		p := c.problem(f)
		if len(destroyed) > 0 {
			p.Detail += " A resource that the plan destroys does not count."
		}
		problems = append(problems, p)
	}
	if policy.Type == kuma.KindMeshHTTPRoute && !unknown[policy.Type] {
		problems = append(problems, c.withoutRest(after, policy, doc)...)
	}
	return problems
}

// withoutRest returns the findings about requests for which a route has no destination. Another route for
// the same destination may have the rule for the rest.
func (c *Connection) withoutRest(s *rules.Snapshot, route kuma.Resource, doc map[string]any) []def.Problem {
	var problems []def.Problem
	alone := c.snapshot(route.Mesh, []kuma.Resource{*s.Resource(kuma.MeshKey(route.Mesh)), route})
	for _, f := range lint.Mesh(alone, route.Mesh) {
		if f.Code != "request-without-route" || !tree.FullyKnown(tree.At(doc, f.Path)) {
			continue
		}
		if f.Path[len(f.Path)-1] == "rules" && c.hasOtherRoute(s, route, f.Path[2]) {
			continue
		}
		problems = append(problems, c.problem(f))
	}
	return problems
}

// hasOtherRoute reports whether another route may apply to the destination of an element of `to`.
func (c *Connection) hasOtherRoute(s *rules.Snapshot, route kuma.Resource, i any) bool {
	ref := kuma.ParseTargetRef(tree.At(route.Body, tree.Path{"spec", "to", i, "targetRef"}))
	targets := s.Resolve(route, ref.WithoutSection(), 0)
	for _, other := range s.Resources(route.Mesh, kuma.KindMeshHTTPRoute) {
		for _, of := range other.ToRefs() {
			same := of.WithoutSection().String() == ref.WithoutSection().String()
			if other.Key() != route.Key() &&
				(same || slices.ContainsFunc(s.Resolve(*other, of.WithoutSection(), 0),
					func(t rules.Target) bool { return slices.Contains(targets, t) })) {
				return true
			}
		}
	}
	return false
}

// afterPlan returns the resources without those that are destroyed, and with the planned ones
// instead of their stored versions.
func afterPlan(stored, planned []kuma.Resource, destroyed map[kuma.Key]bool) []kuma.Resource {
	replaced := maps.Clone(destroyed)
	for _, p := range planned {
		replaced[p.Key()] = true
	}
	return slices.Concat(slices.DeleteFunc(slices.Clone(stored), func(r kuma.Resource) bool { return replaced[r.Key()] }), planned)
}

// snapshot returns resources of a mesh with the MeshServices that the control plane generates
// from them, nil if the mesh is not among them.
func (c *Connection) snapshot(meshName string, resources []kuma.Resource) *rules.Snapshot {
	cp := c.Capabilities().ControlPlane
	i := slices.IndexFunc(resources, func(r kuma.Resource) bool { return r.Key() == kuma.MeshKey(meshName) })
	if i < 0 {
		return nil
	}
	var dataplanes []kuma.Resource
	for _, r := range resources {
		if r.Type == kuma.KindDataplane && r.Mesh == meshName {
			dataplanes = append(dataplanes, r)
		}
	}
	generated := slices.DeleteFunc(kinds.GeneratedServices(resources[i], dataplanes, cp), func(s kuma.Resource) bool {
		return slices.ContainsFunc(resources, func(r kuma.Resource) bool { return r.Key() == s.Key() })
	})
	return rules.NewSnapshotFor(cp.Release, slices.Concat(resources, generated))
}

// problem returns a finding with the severity of the argument, at most that of the linter.
func (c *Connection) problem(f lint.Finding) def.Problem {
	advice := ""
	if f.IsDangling() {
		advice = " If this configuration creates the target, refer to its block, so that Terraform plans it first."
	}
	return def.Problem{
		Path: f.Path, Summary: strings.ReplaceAll(f.Title(), "`", ""), Detail: strings.TrimSpace(f.Message+" "+f.Detail) + " " + f.Suggestion +
			advice,
		Warning: c.References == ReferencesWarning || f.Severity != lint.Error,
	}
}

// known returns a copy of a value in which unknown parts are absent, and unknown elements
// of lists empty.
func known(v any) any {
	return tree.Map(v, func(step, v any) (any, bool) {
		if v == tree.Unknown {
			_, isElement := step.(int)
			return map[string]any{}, isElement
		}
		return v, true
	})
}
