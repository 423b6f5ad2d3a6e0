package def_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

func TestValidate(t *testing.T) {
	t.Parallel()
	fields := def.Object{
		{Name: "mode", Type: def.String, OneOf: []string{"On", "Off"}},
		{Name: "code", Type: def.Int, OneOf: []string{"301", "302"}},
		{Name: "time", Type: def.Duration, Checks: def.Checks(def.Positive())},
		{Name: "tags", Type: def.StringMap{}},
		{Name: "secret", Type: def.Base64, Sensitive: true},
		{Name: "ports", Type: def.List{Elem: def.Object{
			{Name: "port", Type: def.Int, Required: true, Doc: "The port.", Checks: def.Checks(def.Between(1, 10))},
		}}},
	}
	tests := map[string]struct {
		body    object
		want    []string // of a newer kind
		ofOlder []string
	}{
		"nothing":         {object{}, nil, nil},
		"unknown fields":  {object{"x": "y"}, nil, nil},
		"null":            {object{"mode": nil}, []string{"spec.mode Schema"}, nil},
		"enum":            {object{"mode": "on"}, []string{"spec.mode Schema"}, []string{"mode Decode"}},
		"enum of numbers": {object{"code": json.Number("302"), "mode": "On"}, nil, nil},
		"number in full":  {object{"code": json.Number("3.02e2")}, nil, []string{"code Decode"}},
		"other number":    {object{"code": json.Number("303")}, []string{"spec.code Schema"}, []string{"code Decode"}},
		"wrong type":      {object{"mode": true, "tags": []any{}}, []string{"spec.mode Schema", "spec.tags Schema"}, []string{"mode Decode", "tags Decode"}},
		"wrong element":   {object{"tags": object{"a": true}}, []string{`spec.tags["a"] Schema`}, []string{`tags["a"] Decode`}},
		"null in a map":   {object{"tags": object{"a": nil}}, []string{`spec.tags["a"] Schema`}, nil},
		"missing":         {object{"ports": []any{object{}}}, []string{"spec.ports[0].port Schema"}, []string{"ports[0].port Rule"}},
		"zero":            {object{"ports": []any{object{"port": json.Number("0")}}}, []string{"spec.ports[0].port Rule"}, []string{"ports[0].port Rule"}},
		"null element":    {object{"ports": []any{nil}}, []string{"spec.ports[0] Schema"}, []string{"ports[0] Decode"}},
		"rule":            {object{"time": "0s"}, []string{"spec.time Rule"}, []string{"time Rule"}},
		"no duration":     {object{"time": "1d"}, []string{"spec.time Decode"}, []string{"time Decode"}},
		"no base64":       {object{"secret": "hunter2!"}, []string{"spec.secret Schema"}, []string{"secret Decode"}},
		"unknown":         {object{"mode": tree.Unknown, "ports": []any{tree.Unknown, object{"port": tree.Unknown}}, "tags": object{"a": tree.Unknown}}, nil, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			newer, older := def.Kind{Fields: fields}, def.Kind{Fields: fields, Flat: true}
			testworld.Equal(t, "Validate of a newer kind", tt.want, staged(t, newer.Validate(object{"name": "a", "spec": tt.body})))
			doc, _ := tree.Clone(tt.body).(object)
			doc["name"] = "a"
			testworld.Equal(t, "Validate of an older kind", tt.ofOlder, staged(t, older.Validate(doc)))
		})
	}
}

// staged lists problems by path and stage, and checks their texts.
func staged(t *testing.T, problems []def.Problem) []string {
	t.Helper()
	names := [...]string{"Schema", "Decode", "Rule", "Envelope", "Objects"}
	var out []string
	for _, p := range problems {
		out = append(out, p.Path.String()+" "+names[p.Stage])
		if len(p.Summary) > 60 || strings.HasSuffix(p.Summary, ".") || !strings.HasSuffix(strings.TrimRight(p.Detail, "?"), ".") && !strings.HasSuffix(p.Detail, "?") {
			t.Errorf("%s: summary %q, detail %q", p.Path, p.Summary, p.Detail)
		}
		if strings.Contains(p.Detail, "hunter2") {
			t.Errorf("%s: the detail contains a secret: %s", p.Path, p.Detail)
		}
	}
	return out
}

func TestMeshOfGlobalKindIsIgnored(t *testing.T) {
	t.Parallel()
	for scope, want := range map[def.Scope]int{def.Global: 1, def.InMesh: 0} {
		got := def.Kind{Name: "Zone", Scope: scope}.Validate(object{"type": "Zone", "name": "east", "mesh": "shop", "spec": object{}})
		if len(got) != want || want > 0 && (!got[0].Warning || got[0].Path.String() != "mesh") {
			t.Errorf("scope %v: %v, want %d warnings about mesh", scope, got, want)
		}
	}
}

func TestEnvelope(t *testing.T) {
	t.Parallel()
	k := def.Kind{}
	tests := map[string]struct {
		doc  object
		want []string
	}{
		"plain":         {object{"name": "a", "labels": object{"kuma.io/zone": "east", "empty": ""}}, nil},
		"name":          {object{"name": "A_b"}, []string{"name Envelope"}},
		"mesh":          {object{"name": "a", "mesh": "-"}, []string{"mesh Envelope"}},
		"no spec":       {object{"name": "a", "spec": nil}, []string{"spec Schema"}},
		"label key":     {object{"name": "a", "labels": object{"a/b/c": "x"}}, []string{`labels["a/b/c"] Envelope`}},
		"label value":   {object{"name": "a", "labels": object{"a": "-x"}}, []string{`labels["a"] Envelope`}},
		"label number":  {object{"name": "a", "labels": object{"a": json.Number("1")}}, []string{`labels["a"] Schema`}},
		"labels":        {object{"name": "a", "labels": "a"}, []string{"labels Schema"}},
		"origin":        {object{"name": "a", "labels": object{"kuma.io/origin": "here"}}, []string{`labels["kuma.io/origin"] Envelope`}},
		"known origin":  {object{"name": "a", "labels": object{"kuma.io/origin": "global"}}, nil},
		"unknown label": {object{"name": "a", "labels": object{"a": tree.Unknown}}, nil},
		"unknown":       {object{"name": tree.Unknown, "labels": tree.Unknown}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, ok := tt.doc["spec"]; !ok {
				tt.doc["spec"] = object{}
			}
			testworld.Equal(t, "Validate", tt.want, staged(t, k.Validate(tt.doc)))
		})
	}
}

// TestMissingFieldSaysHowToSetIt checks that the message about a missing field
// contains its valid values, or the rules for its value.
func TestMissingFieldSaysHowToSetIt(t *testing.T) {
	t.Parallel()
	someEntry := def.Check{Test: func(n tree.Node) []def.Problem {
		if !n.Get("to").Empty() {
			return nil
		}
		return []def.Problem{def.ErrorAt(n, "Missing entries", "Add a block to to.")}
	}}
	kind := def.Kind{Name: "MeshTest", Fields: def.Object{
		{Name: "to", Type: def.List{Elem: def.Object{
			{Name: "type", Type: def.String, Required: true, OneOf: []string{"Exact", "Prefix"}, Doc: "How the value is compared."},
			{Name: "by", Type: def.Object{{Name: "a", Type: def.String}}, Required: true, Doc: "Selects.", Checks: def.Checks(
				def.Check{Doc: "At least one of `a` or `b` is required.", Test: func(tree.Node) []def.Problem { return nil }},
				def.Check{Doc: "At most one of `a` or `b` can be set.", Test: func(tree.Node) []def.Problem { return nil }},
			)},
			{Name: "value", Type: def.String, Required: true, Doc: "Value to compare. Proxies reject `x`.", Checks: def.Checks(def.Check{Doc: "Begins with a slash.", Test: func(tree.Node) []def.Problem { return nil }})},
		}}},
	}, Checks: def.Checks(someEntry)}
	for name, test := range map[string]struct {
		spec any
		path string
		want string
	}{
		"enum":             {map[string]any{"to": []any{map[string]any{"value": "/", "by": map[string]any{"a": "x"}}}}, "spec.to[0].type", "Valid values: Exact and Prefix."},
		"rule of a field":  {map[string]any{"to": []any{map[string]any{"type": "Exact", "by": map[string]any{"a": "x"}}}}, "spec.to[0].value", "value is required here: value to compare. Begins with a slash."},
		"rules of a block": {map[string]any{"to": []any{map[string]any{"type": "Exact", "value": "/"}}}, "spec.to[0].by", "by is required here. Add a by block. At least one of a or b is required."},
		"rule of the kind": {nil, "spec", "Add a block to to."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := map[string]any{"type": "MeshTest", "name": "a", "mesh": "default"}
			if test.spec != nil {
				doc["spec"] = test.spec
			}
			problems := kind.Validate(doc)
			if len(problems) != 1 || problems[0].Path.String() != test.path || !strings.HasSuffix(problems[0].Detail, test.want) {
				t.Errorf("Validate() = %v, want one problem of %s that ends with %q", problems, test.path, test.want)
			}
		})
	}
}

// TestImmutableFields checks when a change of a field requires a new resource.
func TestImmutableFields(t *testing.T) {
	t.Parallel()
	k := def.Kind{Name: "Thing", Fields: def.Object{
		{Name: "fixed", Immutable: kuma.Since("3.0"), Type: def.Object{{Name: "a", Type: def.String}}},
		{Name: "free", Type: def.String},
	}}
	doc := func(spec object) object { return object{"spec": spec} }
	for name, test := range map[string]struct {
		before, after object
		want          []string // in 3.0
	}{
		"changed": {object{"fixed": object{"a": "x"}}, object{"fixed": object{"a": "y"}}, []string{"spec.fixed"}},
		"added":   {object{}, object{"fixed": object{"a": "y"}}, []string{"spec.fixed"}},
		"removed": {object{"fixed": object{"a": "x"}}, object{}, []string{"spec.fixed"}},
		"unknown": {object{"fixed": object{"a": "x"}}, object{"fixed": object{"a": tree.Unknown}}, []string{"spec.fixed"}},
		"equal":   {object{"fixed": object{"a": "x"}}, object{"fixed": object{"a": "x"}, "free": "z"}, nil},
		"other":   {object{"free": "x"}, object{"free": "y"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for release, want := range map[string][]string{"2.14.6": nil, "3.0.1": test.want} {
				var got []string
				for _, at := range k.ImmutableFields(doc(test.before), doc(test.after), kuma.ParseRelease(release)) {
					got = append(got, at.String())
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("immutable fields that change in %s (-want +got):\n%s", release, diff)
				}
			}
		})
	}
}
