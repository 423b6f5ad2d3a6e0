package kinds_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// planted are values that must stay hidden, most of them invalid in some way.
// Each contains "7341052986".
var planted = map[string]any{
	"text":   "7341052986",
	"base64": "NzM0MTA1Mjk4Ng7341052986==",
	"lines":  "-----BEGIN \"PRIVATE\" KEY-----\n7341052986\n-----END PRIVATE KEY-----\n",
	"path":   "/etc/7341052986\\key",
	"number": json.Number("7341052986"),
	"list":   []any{"7341052986"},
	"object": map[string]any{"7341052986": "7341052986"},
	"nested": map[string]any{"inline": map[string]any{"value": []any{"7341052986"}}},
}

// TestMessageShowsPrivateKey puts values into all sensitive fields of all
// documents, and one to all levels above them, and checks all messages about
// the documents.
func TestMessageShowsPrivateKey(t *testing.T) {
	t.Parallel()
	messages := 0
	for _, k := range kinds.All() {
		starts := []map[string]any{{"type": k.Name, "mesh": "default", "name": "web"}}
		for _, pattern := range []string{"testdata/catalog/examples/" + k.Name + ".yaml", "testdata/catalog/invalid/" + k.Name + "-*.yaml"} {
			files, err := filepath.Glob(pattern)
			testworld.NoError(t, err)
			for _, file := range files {
				starts = append(starts, testworld.Documents(t, testworld.Text(t, file))...)
			}
		}
		for name, value := range planted {
			for depth := range 8 {
				for _, start := range starts {
					doc, _ := tree.Clone(start).(map[string]any)
					if plant(k.Root(), doc, value, depth) {
						messages += checkMessages(t, k, name, doc)
					}
				}
			}
		}
	}
	if messages < 1000 {
		t.Errorf("there are %d messages about documents with secrets, too few for this test to mean anything", messages)
	}
}

// checkMessages returns the number of messages about a document.
func checkMessages(t *testing.T, k def.Kind, name string, doc map[string]any) int {
	t.Helper()
	var texts []string
	problems := append(k.Validate(doc), k.ValidateDesign(doc, kuma.Newest2())...)
	problems = append(problems, k.ValidateRelease(doc, kuma.Release{Major: 2, Minor: 9})...)
	for _, p := range append(problems, k.Deprecations(doc, problems, kuma.Newest2())...) {
		texts = append(texts, p.Summary, p.Detail)
	}
	if r, err := kuma.FromDocument(doc, kinds.Form); err == nil {
		if shown := fmt.Sprint(k.WithoutSecrets(r).Document()); strings.Contains(shown, "7341052986") {
			t.Errorf("%s %s: without secrets it is %s", k.Name, name, shown)
		}
	}
	for _, text := range texts {
		if strings.Contains(text, "7341052986") {
			t.Errorf("%s with %s: %s", k.Name, name, text)
		}
	}
	return len(texts)
}

// plant writes value into the sensitive fields of doc that are depth levels
// down, and over objects that contain such fields further down. It creates the
// objects on the way, and reports whether there was such a field.
func plant(o def.Object, doc map[string]any, value any, depth int) bool {
	found := false
	for _, f := range o {
		switch {
		case !holdsSecret(f):
		case depth == 0:
			if _, isObject := value.(map[string]any); isObject && !sensitive(f) {
				continue // it has the right type, and fields that the kind does not have
			}
			doc[f.Name], found = tree.Clone(value), true
		default:
			inner, objects := onTheWay(f, doc)
			for _, m := range objects {
				found = plant(inner, m, value, depth-1) || found
			}
		}
	}
	return found
}

// holdsSecret reports whether the field or one below it is sensitive.
func holdsSecret(f def.Field) bool {
	found := false
	walk(def.Object{f}, "", func(_ string, f def.Field) { found = found || sensitive(f) })
	return found
}

func sensitive(f def.Field) bool { return f.Sensitive || f.Type == def.Secret{} }

// onTheWay returns the objects in a field of doc, at least one, and their
// description.
func onTheWay(f def.Field, doc map[string]any) (def.Object, []map[string]any) {
	one := map[string]any{}
	switch t := f.Type.(type) {
	case def.Object:
		if m, ok := doc[f.Name].(map[string]any); ok {
			one = m
		}
		doc[f.Name] = one
		return t, []map[string]any{one}
	case def.List:
		elem, _ := t.Elem.(def.Object)
		if list, _ := doc[f.Name].([]any); len(list) == 0 {
			doc[f.Name] = []any{one}
		}
		var objects []map[string]any
		for _, e := range doc[f.Name].([]any) {
			if m, ok := e.(map[string]any); ok {
				objects = append(objects, m)
			}
		}
		return elem, objects
	default:
		return nil, nil
	}
}

// TestPoliciesHoldNoSecrets checks that policies have no sensitive fields,
// because the analyses show all of their settings.
func TestPoliciesHoldNoSecrets(t *testing.T) {
	t.Parallel()
	for _, k := range kinds.Policies() {
		if holdsSecret(def.Field{Type: k.Fields}) {
			t.Errorf("%s has a sensitive field", k.Name)
		}
	}
}
