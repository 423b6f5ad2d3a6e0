package managed_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// How a configuration differs from the one before.
const (
	emptied     = "list emptied, then filled again"
	removed     = "list, map or object removed, then set again"
	addedEmpty  = "empty list added, then removed"
	addedValues = "list of all values of an enum added, then removed"
	writtenOut  = "default written out, then removed"
	otherDoc    = "all of it, to another accepted document"
	toAndRules  = "to replaced by rules, or rules by to"
)

// TestTransitions changes the configuration of a resource step by step. After
// each step the control plane stores what the configuration sets and nothing of
// the step before, and the next plan is empty.
func TestTransitions(t *testing.T) {
	t.Parallel()
	var count tally
	eachKind(t, func(t *testing.T, k def.Kind) {
		docs := providertest.CatalogExamples(t, k)
		if testing.Short() {
			docs = docs[:min(2, len(docs))]
		}
		c := coreFor(t, docs[0])
		var now providertest.Instance
		step := func(change string, r kuma.Resource) {
			t.Helper()
			r.Name, r.Mesh = docs[0].Name, docs[0].Mesh
			now = c.Update(t, tfschema.TypeName(k.Name), c.Configuration(t, k, r), now)
			holds(t, c, k, r)
			count.add("changed", change)
		}
		done := map[string]bool{}
		for _, doc := range docs {
			step(otherDoc, doc)
			for _, v := range variants(k, doc) {
				if !done[v.change+v.where] {
					done[v.change+v.where] = true
					if testworld.Runs(len(done)) {
						step(v.change, v.doc)
					}
				}
			}
		}
		for _, doc := range sections(k, docs) {
			step(toAndRules, doc)
		}
	})
	count.log(t)
}

// sections returns a document with `to` only, one with `rules` only, and the
// first again, for the kinds that have both.
func sections(k def.Kind, docs []kuma.Resource) []kuma.Resource {
	only := func(section, other string) int {
		return slices.IndexFunc(docs, func(r kuma.Resource) bool { return r.Spec()[section] != nil && r.Spec()[other] == nil })
	}
	to, rules := only("to", "rules"), only("rules", "to")
	if k.Policy == nil || to < 0 || rules < 0 {
		return nil
	}
	return []kuma.Resource{docs[to], docs[rules], docs[to]}
}

// variant is an accepted document with one change, after which it is still valid.
type variant struct {
	change string
	where  string // the path of fields that leads there
	doc    kuma.Resource
}

// variants returns the possible changes of a document.
func variants(k def.Kind, r kuma.Resource) []variant {
	var out []variant
	try := func(change string, at tree.Path, edit func(doc map[string]any)) {
		doc := r.Clone().Document()
		edit(doc)
		changed, err := kuma.FromDocument(doc, kinds.Form)
		if err == nil && len(def.Errors(append(k.Validate(doc), k.ValidateRelease(doc, kuma.Newest2())...))) == 0 {
			out = append(out, variant{change, index.ReplaceAllString(at.String(), ""), changed})
		}
	}
	doc := r.Document()
	for _, p := range places(k, doc) {
		if field, _ := p.path[0].(string); field == "name" || field == "mesh" || p.field.ServerOwned {
			continue
		}
		if list, ok := p.value.([]any); ok && p.within != nil && len(list) > 0 {
			try(emptied, p.path, func(doc map[string]any) { p.set(doc, []any{}) })
		}
		if _, scalar := p.typ.(def.Scalar); p.within != nil && !p.field.Required && !scalar {
			try(removed, p.path, func(doc map[string]any) { delete(p.parent(doc), p.field.Name) })
		}
		if o, ok := p.typ.(def.Object); ok {
			additions(o, p.path, p.value, k.Proto(), try)
		}
	}
	if k.Proto() {
		additions(k.Fields, nil, doc, true, try)
	}
	return out
}

// index is the position of an element, which does not matter.
var index = regexp.MustCompile(`\[\d+\]`)

// additions tries the fields that an object omits.
func additions(o def.Object, where tree.Path, v any, proto bool, try func(string, tree.Path, func(map[string]any))) {
	object, _ := v.(map[string]any)
	for _, f := range o {
		if object[f.Name] != nil || f.ServerOwned {
			continue
		}
		add := func(change string, v any) {
			try(change, where.Child(f.Name), func(doc map[string]any) {
				parent, _ := tree.At(doc, where).(map[string]any)
				parent[f.Name] = tree.Clone(v)
			})
		}
		_, isList := f.Type.(def.List)
		if isList {
			add(addedEmpty, []any{})
		}
		if isList && f.OneOf != nil {
			values := []any{}
			for _, v := range f.OneOf {
				values = append(values, v)
			}
			add(addedValues, values)
		}
		if d := f.AbsentMeans(object, proto, kuma.Release{}); d != nil && !isList {
			add(writtenOut, d)
		}
	}
}

// TestRespelling checks that the plan of every accepted document with all
// durations in nanoseconds is empty.
func TestRespelling(t *testing.T) {
	t.Parallel()
	var count tally
	eachKind(t, func(t *testing.T, k def.Kind) {
		for _, doc := range providertest.CatalogExamples(t, k) {
			respelled, n := inNanoseconds(k, doc)
			if n == 0 {
				continue
			}
			c := coreFor(t, doc)
			now := c.Create(t, tfschema.TypeName(k.Name), c.Configuration(t, k, doc))
			planned, diags := c.PlanChange(t, tfschema.TypeName(k.Name), c.Configuration(t, k, respelled), now)
			if providertest.HasErrors(diags) || !planned.Empty() {
				diffs, _ := now.Value.Diff(planned.Planned.Value)
				t.Errorf("%s: another spelling plans %v %s", doc.Name, diffs, providertest.Messages(diags))
			}
			count.add("documents", "respelled")
		}
	})
	count.log(t)
}

func inNanoseconds(k def.Kind, r kuma.Resource) (respelled kuma.Resource, n int) {
	doc := r.Clone().Document()
	for _, p := range places(k, doc) {
		text, _ := p.value.(string)
		d, err := time.ParseDuration(text)
		if p.typ != def.Duration && p.typ != def.ProtoDuration || err != nil {
			continue
		}
		p.set(doc, strconv.FormatInt(d.Nanoseconds(), 10)+"ns")
		n++
	}
	respelled, _ = kuma.FromDocument(doc, kinds.Form)
	return respelled, n
}

// TestUnknownAtPlan plans configurations with values that are known only after the
// apply: all single values at once, then each list and map by itself. It checks that
// the plan has no error, and that a plan with the known values agrees with it.
func TestUnknownAtPlan(t *testing.T) {
	t.Parallel()
	var count tally
	eachKind(t, func(t *testing.T, k def.Kind) {
		done := map[string]bool{}
		for _, doc := range providertest.CatalogExamples(t, k) {
			c := coreFor(t, doc)
			config := c.Configuration(t, k, doc)
			whole, diags := c.PlanChange(t, tfschema.TypeName(k.Name), config, providertest.Instance{})
			if providertest.HasErrors(diags) {
				t.Fatal(providertest.Messages(diags))
			}
			check := func(what string, isUnknown func(at *tftypes.AttributePath, v tftypes.Value) bool) {
				t.Helper()
				unknown := without(t, config, isUnknown)
				partly, diags := c.PlanChange(t, tfschema.TypeName(k.Name), unknown, providertest.Instance{})
				if diags = append(diags, c.Validate(t, tfschema.TypeName(k.Name), unknown)...); providertest.HasErrors(diags) {
					t.Errorf("%s: with unknown %s: %s", doc.Name, what, providertest.Messages(diags))
					return
				}
				if broken := promises(t, partly, whole); broken != "" {
					t.Errorf("%s: with unknown %s, this is planned otherwise: %s", doc.Name, what, broken)
				}
			}
			check("values", func(_ *tftypes.AttributePath, v tftypes.Value) bool { return isSingle(v) })
			count.add("documents", "all single values unknown at plan")
			for _, at := range collections(t, config) {
				if where := pathOf(at); !done[where] {
					done[where] = true
					check(where, func(here *tftypes.AttributePath, _ tftypes.Value) bool { return here.Equal(at) })
					count.add("lists and maps", "unknown at plan")
				}
			}
		}
	})
	count.log(t)
}

// isSingle reports whether a value is set and does not contain others.
func isSingle(v tftypes.Value) bool {
	return !v.IsNull() && (v.Type().Is(tftypes.String) || v.Type().Is(tftypes.Number) || v.Type().Is(tftypes.Bool))
}

// collections returns the paths of the lists, maps and sets of a configuration
// that are not empty. Dynamic blocks can make lists of blocks unknown.
func collections(t *testing.T, config tftypes.Value) []*tftypes.AttributePath {
	t.Helper()
	var out []*tftypes.AttributePath
	err := tftypes.Walk(config, func(at *tftypes.AttributePath, v tftypes.Value) (bool, error) {
		empty := v.Equal(tftypes.NewValue(v.Type(), nil)) || v.Type().Is(tftypes.List{}) && v.Equal(tftypes.NewValue(v.Type(), []tftypes.Value{}))
		if !empty && !isSingle(v) && !v.Type().Is(tftypes.Object{}) {
			out = append(out, at)
		}
		return true, nil
	})
	testworld.NoError(t, err)
	return out
}

// pathOf formats a path in a configuration without positions and keys.
func pathOf(p *tftypes.AttributePath) string {
	var names []string
	for _, step := range p.Steps() {
		if name, ok := step.(tftypes.AttributeName); ok {
			names = append(names, string(name))
		}
	}
	return strings.Join(names, ".")
}

// without makes values of a configuration unknown.
func without(t *testing.T, config tftypes.Value, isUnknown func(*tftypes.AttributePath, tftypes.Value) bool) tftypes.Value {
	t.Helper()
	out, err := tftypes.Transform(config, func(at *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
		if isUnknown(at, v) {
			return tftypes.NewValue(v.Type(), tftypes.UnknownValue), nil
		}
		return v, nil
	})
	testworld.NoError(t, err)
	return out
}

// promises returns the differences between a plan with unknown values and the plan
// with everything known; empty if they agree.
func promises(t *testing.T, c providertest.Change, whole providertest.Change) string {
	t.Helper()
	diffs, err := c.Planned.Value.Diff(whole.Planned.Value)
	testworld.NoError(t, err)
	for _, d := range diffs {
		known := d.Value1 != nil && d.Value1.IsFullyKnown()
		for p := d.Path; known && len(p.Steps()) > 0; p = p.WithoutLastStep() {
			v, _, err := tftypes.WalkAttributePath(c.Planned.Value, p)
			value, ok := v.(tftypes.Value)
			known = err != nil || !ok || value.IsKnown()
		}
		if known {
			return d.String()
		}
	}
	return ""
}
