package randomworld_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/randomworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// neverInAWorld are the declared places and values that no world can have, by
// the reason.
var neverInAWorld = map[string][]string{
	"a control plane creates and deletes it by itself":            {"Workload", "Zone", "Zone.enabled", "Zone.enabled true", "Zone.enabled false"},
	"the proxy gets no configuration":                             {"Dataplane.networking.inbound.protocol tls", "Dataplane.networking.inbound.protocol mysql"},
	"only the empty string is allowed with the kinds of 2.14":     {"MeshHTTPRoute.to.rules.default.filters.requestMirror.backendRef.mesh"},
	"only a policy with from or rules can select single inbounds": {"MeshPassthrough.targetRef.sectionName"},
}

// TestWorldsHaveEverything checks that every declared kind, field and value
// occurs in some world, so that comparisons with a control plane cover it.
func TestWorldsHaveEverything(t *testing.T) {
	if t.Parallel(); testing.Short() {
		t.Skip("some fields are rare, so that it needs the worlds of all seeds")
	}
	for release, worlds := range map[kuma.Release]func() [][]kuma.Resource{
		kuma.Newest2(): worlds,
		kuma.ParseRelease("3.0"): func() [][]kuma.Resource {
			return generate(randomworld.Options{Mesh: "m", Zone: "zone-1", Release: kuma.ParseRelease("3.0")})
		},
	} {
		t.Run(release.String(), func(t *testing.T) {
			t.Parallel()
			haveEverything(t, release, worlds())
		})
	}
}

func haveEverything(t *testing.T, release kuma.Release, worlds [][]kuma.Resource) {
	t.Helper()
	missing := map[string]bool{}
	for _, k := range kinds.All() {
		if k.In(release) {
			yield := func(item string) { missing[item] = true }
			yield(k.Name)
			declaredFields(k.Name, k.Fields, release, k.Proto(), yield)
		}
	}
	total := len(missing)
	if release.Kuma3() {
		for _, k := range kinds.Policies() {
			if !k.Policy.Rules { // only a policy with rules can select single inbounds
				delete(missing, k.Name+".targetRef.sectionName")
			}
		}
	}
	for reason, items := range neverInAWorld {
		for _, item := range items {
			if !missing[item] && !release.Kuma3() {
				t.Errorf("%s is not declared, or listed twice (%s)", item, reason)
			}
			delete(missing, item)
		}
	}
	for _, world := range worlds {
		for _, r := range world {
			k, _ := kinds.Find(r.Type)
			occurring(k, r, func(item string) { delete(missing, item) })
		}
	}
	for _, item := range slices.Sorted(maps.Keys(missing)) {
		t.Errorf("%s is in none of %d worlds", item, seeds())
	}
	t.Logf("%d declared places and values", total)
}

// declaredFields yields the fields that a release has, and their values if they are few.
func declaredFields(path string, o def.Object, release kuma.Release, proto bool, yield func(item string)) {
	for i := range o {
		f := &o[i]
		at := path + "." + f.Name
		if f.ServerOwned || !f.In(release) || f.Stated || isReference(o) && !referenceHas(o, *f) {
			continue
		}
		yield(at)
		for _, value := range declaredValues(f, release) {
			if !f.Required || !f.CountsAsAbsent(value, proto) {
				yield(at + " " + value)
			}
		}
		declaredFields(at, def.ObjectOf(f.Type), release, proto, yield)
	}
}

func isReference(o def.Object) bool {
	kind, isKind := o.Field("kind")
	_, hasTypes := o.Field("proxyTypes")
	return isKind && hasTypes && kind.Type == def.String
}

// referenceHas reports whether a reference of any kind can have a field.
func referenceHas(o def.Object, f def.Field) bool {
	kind, _ := o.Field("kind")
	return slices.ContainsFunc(kind.Values(), func(kind string) bool {
		ref := map[string]any{f.Name: sample(f), "kind": kind}
		return !slices.ContainsFunc(def.ReferenceFields().Test(tree.Root(ref)), func(p def.Problem) bool { return p.Path.String() == f.Name })
	})
}

func sample(f def.Field) any {
	switch f.Type.(type) {
	case def.StringMap:
		return map[string]any{"a": "b"}
	case def.List:
		return []any{"Sidecar"}
	default:
		return "a"
	}
}

// declaredValues returns the values of a field that can be listed.
func declaredValues(f *def.Field, release kuma.Release) []string {
	switch f.Type {
	case def.Bool:
		return []string{"true", "false"}
	case def.IntOrString:
		return []string{"number", "string"}
	default:
		return f.ValuesIn(release)
	}
}

// occurring yields what a resource has of what is declared.
func occurring(k def.Kind, r kuma.Resource, yield func(item string)) {
	yield(k.Name)
	def.Walk(k.Root(), tree.Root(r.Body), func(p def.Place) bool {
		var at strings.Builder
		at.WriteString(k.Name)
		for i, step := range p.Path {
			if name, ok := step.(string); ok && (i > 0 || k.Flat) {
				fmt.Fprintf(&at, ".%s", name)
			}
		}
		if _, isObject := p.Type.(def.Object); p.Known() && (isObject || !tree.IsEmpty(p.Value())) && !isEntry(p) {
			yield(at.String())
			for _, value := range values(p) {
				yield(at.String() + " " + value)
			}
		}
		return true
	})
}

func isEntry(p def.Place) bool {
	_, isMap := p.Field.Type.(def.StringMap)
	return p.Element && isMap
}

// values names the value at a place as [declaredValues] does.
func values(p def.Place) []string {
	switch v := p.Value().(type) {
	case json.Number:
		return []string{"number", v.String()}
	case string:
		return []string{"string", v}
	default:
		return []string{fmt.Sprint(v)}
	}
}
