package kinds_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

func TestRegistry(t *testing.T) {
	t.Parallel()
	names, paths, orders := map[string]bool{}, map[string]bool{}, map[int]bool{}
	for _, k := range kinds.All() {
		if names[k.Name] || paths[k.Path] {
			t.Errorf("kind %s or path %s occurs twice", k.Name, k.Path)
		}
		names[k.Name], paths[k.Path] = true, true
		if k.Policy != nil && orders[k.Policy.Order] {
			t.Errorf("%s has the order %d of another policy", k.Name, k.Policy.Order)
		}
		if k.Policy != nil {
			orders[k.Policy.Order] = true
		}
		if found, ok := kinds.Find(k.Name); !ok || found.Path != k.Path {
			t.Errorf("Find(%s) = %s, %t", k.Name, found.Path, ok)
		}
	}
	if k, ok := kinds.Find("MeshNothing"); ok || kinds.Form("MeshNothing") != k.Form() {
		t.Errorf("Find(MeshNothing) = %s, %t, want nothing", k.Name, ok)
	}
	if !slices.IsSortedFunc(kinds.All(), func(a, b def.Kind) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("All is not sorted by name")
	}
	if !slices.IsSortedFunc(kinds.Policies(), func(a, b def.Kind) int { return a.Policy.Order - b.Policy.Order }) {
		t.Error("Policies is not sorted by order")
	}
}

// inCode matches text in backticks, where names are those of Terraform, except
// in the documentation of checks, where they are those of the API.
var inCode = regexp.MustCompile("`([A-Za-z_.]+)`")

func TestDocumentation(t *testing.T) {
	t.Parallel()
	for _, k := range kinds.All() {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			camel := map[string]bool{}
			texts := map[string]string{"": k.Doc}
			for _, c := range k.Checks {
				texts["(check) "+c.Doc] = c.Doc
			}
			walk(k.Fields, "", func(path string, f def.Field) {
				if strings.ToLower(f.Name) != f.Name {
					camel[f.Name] = true
				}
				texts[path] = f.Doc
				if f.Deprecated != "" {
					texts[path+" (deprecated)"] = f.Deprecated
				}
				for _, c := range f.Checks {
					texts[path+" (check) "+c.Doc] = c.Doc
				}
			})
			for path, text := range texts {
				if text == "" && !strings.Contains(path, "(check)") || text != "" && !strings.HasSuffix(text, ".") {
					t.Errorf("%s: %q is not a sentence", path, text)
				}
				for _, m := range inCode.FindAllStringSubmatch(text, -1) {
					for name := range strings.SplitSeq(m[1], ".") {
						if ofCheck := strings.Contains(path, "(check)"); camel[name] && !ofCheck || ofCheck && strings.Contains(name, "_") {
							t.Errorf("%s: %q should not use the name %s here", path, text, name)
						}
					}
				}
			}
		})
	}
}

func walk(o def.Object, path string, visit func(path string, f def.Field)) {
	for _, f := range o {
		at := path + "." + f.Name
		visit(at, f)
		walk(def.ObjectOf(f.Type), at, visit)
	}
}

func TestKRI(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		id   kuma.ID
		want string
	}{
		"of a policy":      {kuma.ID{Type: "MeshTimeout", Mesh: "default", Zone: "east", Name: "web"}, "kri_mt_default_east__web_"},
		"kind without one": {kuma.ID{Type: "GlobalSecret", Name: "token"}, ""},
		"no such kind":     {kuma.ID{Type: "Unheard", Mesh: "default", Name: "web"}, ""},
	} {
		if got := kinds.KRI(tt.id); got != tt.want {
			t.Errorf("%s: KRI(%v) = %q, want %q", name, tt.id, got, tt.want)
		}
	}
}
