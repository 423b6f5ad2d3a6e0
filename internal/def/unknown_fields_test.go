package def_test

import (
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

func TestUnknownFields(t *testing.T) {
	t.Parallel()
	k := def.Kind{Name: "Test", Flat: true, Fields: def.Object{
		{Name: "list", Type: def.List{Elem: def.Object{{Name: "a", Type: def.String}}}},
		{Name: "conf", FreeForm: true, Type: def.Object{{Name: "a", Type: def.String}}},
		{Name: "tags", Type: def.StringMap{}},
		{Name: "nothing", Type: def.Object{}},
	}}
	r := kuma.Resource{Body: object{"lits": "", "list": []any{object{"a": "", "bbb": ""}}, "conf": object{"own": ""}, "tags": object{"own": ""}, "nothing": object{"z": ""}}}
	const summary = "Unsupported field in Test"
	want := []def.Problem{
		{Path: tree.Path{"list", 0, "bbb"}, Topic: def.Unknown, Summary: summary, Detail: `Test does not have the field "bbb" here. A control plane would drop it silently. Supported fields: a.`},
		{Path: tree.Path{"lits"}, Topic: def.Unknown, Summary: summary, Detail: `Test does not have the field "lits" here. A control plane would drop it silently. Did you mean "list"? Supported fields: list, conf, tags and nothing.`},
		{Path: tree.Path{"nothing", "z"}, Topic: def.Unknown, Summary: summary, Detail: `Test does not have the field "z" here. A control plane would drop it silently. No fields are supported here.`},
	}
	testworld.Equal(t, "UnknownFields", want, k.UnknownFields(r))
	testworld.Equal(t, "ExtraFields", []tree.Path{{"conf", "own"}}, k.ExtraFields(r))
}

// TestUnknownCaseOfLetters checks what is said about a field that only newer kinds have in any case of letters.
func TestUnknownCaseOfLetters(t *testing.T) {
	t.Parallel()
	fields := def.Object{{Name: "spiffeID", Type: def.String}}
	for flat, want := range map[bool]string{false: `would read it as "spiffeID".`, true: "would drop it silently. Did you mean"} {
		k := def.Kind{Name: "Test", Flat: flat, Fields: fields}
		body := object{"spiffeId": ""}
		if !flat {
			body = object{"spec": body}
		}
		if got := k.UnknownFields(kuma.Resource{Body: body})[0].Detail; !strings.Contains(got, want) {
			t.Errorf("flat %t: %s", flat, got)
		}
	}
}

// TestKeepUnknown checks that fields of a later release stay where they were,
// and are reported if their place no longer exists.
func TestKeepUnknown(t *testing.T) {
	t.Parallel()
	ref := def.Object{{Name: "kind", Type: def.String, Required: true}}
	kind := def.Kind{Name: "MeshTimeout", Fields: def.Object{
		{Name: "targetRef", Type: ref},
		{Name: "to", Type: def.List{Elem: def.Object{
			{Name: "targetRef", Type: ref, Required: true},
			{Name: "default", Type: def.Object{{Name: "idleTimeout", Type: def.Duration}}},
		}}},
	}}
	entry := func(ref, idle string, more ...string) map[string]any {
		e := map[string]any{"targetRef": map[string]any{"kind": ref}, "default": map[string]any{"idleTimeout": idle}}
		for _, name := range more {
			e[name] = true
		}
		return e
	}
	body := func(entries ...any) map[string]any { return map[string]any{"to": entries} }
	deep := entry("Mesh", "1m0s")
	deep["default"].(map[string]any)["brandNew"] = "x"
	keptDeep := entry("Mesh", "60s")
	keptDeep["default"].(map[string]any)["brandNew"] = "x"
	for name, test := range map[string]struct {
		next, current map[string]any // of the spec
		want          map[string]any
		lost          []string
	}{
		"nothing unknown": {next: body(entry("Mesh", "2s")), current: body(entry("Mesh", "1s")), want: body(entry("Mesh", "2s"))},
		"field of the spec": {
			next: body(entry("Mesh", "2s")), current: map[string]any{"topNew": map[string]any{"a": "b"}},
			want: map[string]any{"to": []any{entry("Mesh", "2s")}, "topNew": map[string]any{"a": "b"}},
		},
		"field of an entry that stays, in another spelling and place": {
			next: body(entry("MeshService", "1s"), entry("Mesh", "60s")), current: body(entry("Mesh", "1m0s", "newTo")),
			want: body(entry("MeshService", "1s"), entry("Mesh", "60s", "newTo")),
		},
		"field deep in an entry that stays": {next: body(entry("Mesh", "60s")), current: body(deep), want: body(keptDeep)},
		"field of an entry that changes": {
			next: body(entry("Mesh", "2s")), current: body(entry("Mesh", "1s", "newTo")), want: body(entry("Mesh", "2s")),
			lost: []string{"spec.to[0].newTo"},
		},
		"field deep in an entry that is removed": {
			next: body(), current: body(deep), want: body(), lost: []string{"spec.to[0].default.brandNew"},
		},
		"equal entries, the place decides": {
			next:    body(entry("Mesh", "1s"), entry("Mesh", "1s")),
			current: body(entry("Mesh", "1s"), entry("Mesh", "1s", "newTo")),
			want:    body(entry("Mesh", "1s"), entry("Mesh", "1s", "newTo")),
		},
		"equal entries, one of which is removed": {
			next:    body(entry("Mesh", "1s")),
			current: body(entry("Mesh", "1s", "a"), entry("Mesh", "1s", "b")),
			want:    body(entry("Mesh", "1s", "a")), lost: []string{"spec.to[1].b"},
		},
		"field of an object that is removed": {
			next: map[string]any{}, current: map[string]any{"targetRef": map[string]any{"kind": "Mesh", "proxyTypes": []any{}}},
			want: map[string]any{}, lost: []string{"spec.targetRef.proxyTypes"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			next := kuma.Resource{Body: map[string]any{"spec": tree.Clone(test.next)}}
			current := kuma.Resource{Body: map[string]any{"spec": test.current}}
			var lost []string
			for _, p := range kind.KeepUnknown(&next, current, true) {
				lost = append(lost, p.String())
			}
			testworld.Equal(t, "KeepUnknown wrote", test.want, next.Spec())
			testworld.Equal(t, "KeepUnknown lost", test.lost, lost)
		})
	}
	t.Run("field of the envelope", func(t *testing.T) {
		t.Parallel()
		next := kuma.Resource{Body: map[string]any{"spec": map[string]any{}}}
		kind.KeepUnknown(&next, kuma.Resource{Body: map[string]any{"spec": map[string]any{}, "envelopeNew": "x"}}, true)
		if next.Body["envelopeNew"] != "x" {
			t.Errorf("KeepUnknown wrote %v, want the field of the envelope", next.Body)
		}
	})
}
