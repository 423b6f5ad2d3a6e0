package command

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfplan"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// review is what a plan does to the meshes of a control plane.
type review struct {
	plan     tfplan.Plan
	mask     mask   // of its sensitive values
	compared string // what the plan is compared with, as the end of a sentence
	changes  []tfplan.Change
	meshes   []answer.Review
	sides    []sides                // of the meshes
	unknown  []answer.ReviewFinding // changes whose effect is not computed
	notes    []string               // sentences
	failOn   []answer.Effect
	allowed  map[string]string // reasons by identifier
}

// sides are a mesh before and after the plan.
type sides struct{ before, after input.Mesh }

func runReview(ctx context.Context, arguments []string, s streams) (int, error) {
	o := newOptions("review", "PLAN", s, "markdown", "html", "sarif", "junit")
	failOn := o.String("fail-on", "frozen,error", "`effects` for exit code 1, separated by commas, or never; "+
		"frozen: proxies no longer get updates. Valid values: "+phrase.And(effectNames()...))
	allow := o.String("allow", "", "`file` with the findings that were agreed on, a YAML list of id and reason")
	all := o.Bool("all", false, "show all findings of the linter, not only new ones")
	from := o.planSource()
	configuration := o.String("provider", "", "`configuration` of the provider to review, such as kuma.east, if the plan uses several")
	paths, err := o.parse(arguments, 1, 1)
	if err != nil {
		return 0, err
	}
	r := review{}
	if r.failOn, err = parseEffects(*failOn); err != nil {
		return 0, o.wrong("%s", phrase.Sentence(err))
	}
	if r.allowed, err = readAllowed(*allow); err != nil {
		return 0, err
	}
	text, err := bytesOf(paths[0], s.in)
	if err != nil {
		return 0, err
	}
	if r.plan, err = tfplan.Read(text); err != nil {
		return 0, fileError{paths[0], err}
	}
	r.mask = newMask(r.plan.Sensitive)
	if r.changes, err = ofProvider(r.plan.Changes, *configuration); err != nil {
		return 0, err
	}
	r.noteOthers(*configuration)
	if err := r.compute(ctx, from, *all); err != nil {
		return 0, r.mask.hideError(err)
	}
	return r.exitCode(), r.write(o)
}

// ofProvider returns the changes by one configuration of the provider, which are all if the plan
// uses only one, and those by other providers.
func ofProvider(changes []tfplan.Change, name string) ([]tfplan.Change, error) {
	used := map[string]bool{}
	for _, c := range changes {
		if c.Provider != "" {
			used[c.Provider] = true
		}
	}
	names := slices.Sorted(maps.Keys(used))
	switch {
	case name == "" && len(names) > 1:
		return nil,
			fmt.Errorf("the plan uses several configurations of the provider: %s. They may have different control planes. "+
				"Review each of them with -provider", phrase.And(names...))
	case name == "":
		return changes, nil
	case !used[name]:
		return nil, fmt.Errorf("the plan does not use the configuration %s of the provider.%s", name, phrase.Suggest(name, names))
	}
	var own []tfplan.Change
	for _, c := range changes {
		if c.Provider == "" && !c.Other && c.Changes() && len(names) > 1 { // destroyed, and no longer in the configuration
			c.Before, c.Unreadable = nil, errors.New("the plan does not say which configuration of the provider destroys it")
		}
		if c.Provider == "" || c.Provider == name {
			own = append(own, c)
		}
	}
	return own, nil
}

// noteOthers notes the changes by other configurations of the provider than the selected one.
func (r *review) noteOthers(selected string) {
	left := map[string]int{}
	for _, c := range r.plan.Changes {
		if selected != "" && c.Provider != "" && c.Provider != selected && c.Changes() {
			left[c.Provider]++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		r.notes = append(r.notes, fmt.Sprintf("This review leaves out %s by %s. Use -provider=%[2]s for a review of them.",
			phrase.Count(left[name], "change", "changes"), name))
	}
}

// compute compares each mesh that the plan changes.
func (r *review) compute(ctx context.Context, from *source, all bool) error {
	written, deleted := r.resources()
	base, err := from.open(ctx, r.zone(), r.managed)
	if err != nil {
		return err
	}
	r.compared = base.description
	if err := r.checkZone(base); err != nil {
		return err
	}
	meshes, err := r.changedMeshes(ctx, base, written, deleted)
	if err != nil {
		return err
	}
	for _, name := range meshes {
		if from.mesh != "" && name != from.mesh {
			continue
		}
		own := ofMesh(written, name)
		cp, stored, err := base.read(ctx, name, lint.Kinds(), own)
		if err != nil {
			return err
		}
		if !hasMesh(stored, name) && !hasMesh(own, name) {
			return fmt.Errorf("mesh %q is neither stored nor planned: the plan is for another control plane, or out of date. "+
				"Set the control plane of the plan, or plan again", name)
		}
		blocked := r.blocked(base.store, stored, name)
		own = slices.DeleteFunc(own, func(w kuma.Resource) bool { return blocked[w.Key()] })
		maps.DeleteFunc(deleted, func(key kuma.Key, _ bool) bool { return blocked[key] })
		before, after := input.Written(name, cp, from.requested, stored, own, deleted)
		after.WithShadow = from.shadow
		found, err := answer.OfReview(before, after, all)
		if err != nil {
			return err
		}
		r.meshes, r.sides = append(r.meshes, found), append(r.sides, sides{before, after})
	}
	if from.mesh != "" && r.meshes == nil && r.writes() > 0 && !slices.Contains(meshes, from.mesh) {
		r.notes = append(r.notes, fmt.Sprintf("The plan does not change mesh %q.", from.mesh))
	}
	return nil
}

func hasMesh(resources []kuma.Resource, name string) bool {
	return slices.ContainsFunc(resources, func(r kuma.Resource) bool { return r.Key() == kuma.MeshKey(name) })
}

// managed returns the documents of what Terraform manages before the plan.
func (r *review) managed() (*input.Documents, error) {
	docs := input.OfKinds(lint.Kinds())
	docs.Reader.Check = document.Envelope
	for _, c := range r.changes {
		if c.Unreadable != nil && !c.Changes() {
			r.notes = append(r.notes, fmt.Sprintf("%s is not compared: %s", c.Address, phrase.Clause(c.Unreadable)))
		}
		if c.Before == nil || c.Unreadable != nil {
			continue
		}
		if err := docs.Value(c.Before, false); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Address, err)
		}
	}
	return docs, nil
}

// zone returns the zone of the control plane, which the identifiers of the resources name; empty
// if it is not known.
func (r *review) zone() string {
	for _, c := range r.changes {
		if kri, err := kuma.ParseKRI(c.KRI); err == nil && kri.Zone != "" {
			return kri.Zone
		}
	}
	return ""
}

// checkZone compares the control plane with the one that the plan was made for.
func (r *review) checkZone(base *base) error {
	if base.store == nil {
		return nil
	}
	if planned, actual := r.zone(), base.store.ControlPlane.Zone; planned != "" && actual != "" && planned != actual {
		return fmt.Errorf("the plan was made for the control plane of zone %q, and this one is of zone %q. "+
			"Set -endpoint or -context to the control plane of the plan", planned, actual)
	}
	return nil
}

// changedMeshes returns the meshes of the resources that the plan changes. A resource outside meshes
// belongs to all.
func (r *review) changedMeshes(ctx context.Context, base *base, written []kuma.Resource, deleted map[kuma.Key]bool) ([]string, error) {
	names, all := map[string]bool{}, false
	add := func(key kuma.Key) {
		switch k, _ := kinds.Find(key.Type); {
		case key.Type == kuma.KindMesh:
			names[key.Name] = true
		case key.Mesh != "":
			names[key.Mesh] = true
		case slices.ContainsFunc(lint.Kinds(), func(l def.Kind) bool { return l.Name == k.Name }):
			all = true
		}
	}
	for _, w := range written {
		add(w.Key())
	}
	for key := range deleted {
		add(key)
	}
	if all {
		stored, err := base.meshes(ctx)
		if err != nil {
			return nil, err
		}
		for _, name := range stored {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names)), nil
}

// writes returns the number of resources that the plan writes or deletes.
func (r *review) writes() (n int) {
	for _, c := range r.changes {
		if c.Changes() {
			n++
		}
	}
	return n
}

// findings returns all findings, the most severe first.
func (r *review) findings() (all []answer.ReviewFinding) {
	all = append(all, r.unknown...)
	for _, m := range r.meshes {
		all = append(all, m.Findings...)
	}
	order := answer.Effects()
	slices.SortStableFunc(all, func(a, b answer.ReviewFinding) int {
		return slices.Index(order, a.Effect) - slices.Index(order, b.Effect)
	})
	return all
}

// refused returns the findings that no one has allowed, by the gate, and those that are not known.
func (r *review) refused() (refused, unknown []answer.ReviewFinding) {
	for _, f := range r.findings() {
		_, allowed := r.allowed[f.ID]
		switch {
		case allowed:
		case f.Effect == answer.NotComputed:
			unknown = append(unknown, f)
		case slices.Contains(r.failOn, f.Effect):
			refused = append(refused, f)
		}
	}
	return refused, unknown
}

func (r *review) exitCode() int {
	switch refused, unknown := r.refused(); {
	case len(refused) > 0:
		return exitNegative
	case len(unknown) > 0:
		return exitFailed
	default:
		return exitOK
	}
}

func effectNames() []string {
	return phrase.Each(answer.Effects()[1:], func(e answer.Effect) string { return string(e) })
}

func parseEffects(text string) (effects []answer.Effect, err error) {
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		switch {
		case name == "" || name == "never":
		case !slices.Contains(effectNames(), name):
			return nil, fmt.Errorf("%q is not an effect of -fail-on.%s Valid values: %s", name, phrase.Suggest(name, effectNames()),
				phrase.Or(append(effectNames(), "never")...))
		default:
			effects = append(effects, answer.Effect(name))
		}
	}
	return effects, nil
}

// readAllowed reads the findings that were agreed on, with their reasons.
func readAllowed(file string) (map[string]string, error) {
	allowed := map[string]string{}
	if file == "" {
		return allowed, nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, pathError(file, err)
	}
	documents, err := tree.DecodeYAML(data)
	if err != nil {
		return nil, fileError{file, err}
	}
	for _, doc := range documents {
		list, isList := doc.([]any)
		if !isList && doc != nil {
			return nil, fileError{file, errors.New("must be a list of objects with id and reason")}
		}
		for i, e := range list {
			id, reason := tree.Text(tree.Object(e)["id"]), tree.Text(tree.Object(e)["reason"])
			if id == "" || reason == "" {
				return nil, fileError{file, fmt.Errorf("element %d must have an id and a reason", i)}
			}
			allowed[id] = reason
		}
	}
	return allowed, nil
}
