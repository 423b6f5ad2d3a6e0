package managed_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// The mistakes that are made in every accepted document, one at a time.
const (
	misspelled = "misspelled name"
	wrongType  = "wrong type"
	missing    = "required field omitted"
	noValue    = "value outside of its enum"
)

// tally counts mistakes by kind and outcome.
type tally struct {
	mu     sync.Mutex
	counts map[string]int
}

func (c *tally) add(mistake, outcome string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil {
		c.counts = map[string]int{}
	}
	c.counts[mistake+": "+outcome]++
}

func (c *tally) log(t *testing.T) {
	t.Helper()
	for _, line := range slices.Sorted(maps.Keys(c.counts)) {
		t.Logf("%6d %s", c.counts[line], line)
	}
}

// eachKind runs a test for every kind. It returns when all have ended.
func eachKind(t *testing.T, test func(t *testing.T, k def.Kind)) {
	t.Helper()
	t.Run("kinds", func(t *testing.T) {
		for _, k := range kinds.All() {
			t.Run(k.Name, func(t *testing.T) {
				t.Parallel()
				test(t, k)
			})
		}
	})
}

// TestMistakesInManifests makes every mistake in every accepted document and
// gives the document to kuma_manifest, which names the place.
func TestMistakesInManifests(t *testing.T) {
	t.Parallel()
	c := providertest.NewCore(t)
	var count tally
	eachKind(t, func(t *testing.T, k def.Kind) {
		tried := 0
		for _, doc := range testworld.Documents(t, testworld.Text(t, providertest.Catalog+"/examples/"+k.Name+".yaml")) {
			for _, p := range places(k, doc) {
				for _, m := range p.mistakes() {
					if tried++; !testworld.Runs(tried) {
						continue
					}
					changed, _ := tree.Clone(doc).(map[string]any)
					m.make(changed)
					switch {
					case m.accepted != "":
						count.add(m.kind, "accepted, "+m.accepted)
					case m.kind == missing && p.field.Sensitive:
						count.add(m.kind, "accepted, an update may omit a sensitive value")
					case refusesManifest(t, c, changed, m.at):
						count.add(m.kind, "refused at its path")
					default:
						t.Errorf("%s: %s at %s is not refused there", doc["name"], m.kind, m.at)
					}
				}
			}
		}
	})
	count.log(t)
}

// refusesManifest reports whether kuma_manifest has an error at a path.
func refusesManifest(t *testing.T, c providertest.Core, doc map[string]any, at tree.Path) bool {
	t.Helper()
	value, err := tfvalue.FromTree(t.Context(), doc).ToTerraformValue(t.Context())
	testworld.NoError(t, err)
	text := tftypes.NewValue(tftypes.String, nil)
	config := tftypes.NewValue(c.Schemas.ResourceSchemas["kuma_manifest"].Block.ValueType(), map[string]tftypes.Value{
		"manifest": value, "type": text, "mesh": text, "name": text, "kri": text, "replaced_version": text, "force_destroy": tftypes.NewValue(tftypes.Bool, nil),
	})
	return slices.ContainsFunc(c.Validate(t, "kuma_manifest", config), func(d *tfprotov6.Diagnostic) bool {
		path, _, _ := strings.Cut(d.Detail, ": ")
		return d.Severity == tfprotov6.DiagnosticSeverityError && (path == at.String() || envelopeError(at, d.Detail))
	})
}

// envelopeError reports whether a text concerns a field that identifies the
// resource: without it, there is no document that paths refer to.
func envelopeError(at tree.Path, text string) bool {
	field, _ := at[0].(string)
	return len(at) <= 2 && slices.Contains([]string{"name", "mesh", "labels"}, field) && strings.Contains(text, strings.TrimSuffix(field, "s"))
}

// place is one value in a document, with its description.
type place struct {
	path  tree.Path
	field def.Field
	typ   def.Type // of the value: that of the field, or of one element of it
	value any
	// within is the object that contains the value as a field, nil for
	// elements.
	within def.Object
	// kept reports whether the control plane keeps unknown fields here.
	kept bool
}

// places returns everything in a document that its kind describes.
func places(k def.Kind, doc map[string]any) []place {
	var out []place
	collect(slices.Concat(k.Envelope(), k.Root()), doc, nil, false, &out)
	return out
}

func collect(o def.Object, m map[string]any, at tree.Path, kept bool, out *[]place) {
	for _, f := range o {
		if v, ok := m[f.Name]; ok && v != nil {
			p := place{at.Child(f.Name), f, f.Type, v, o, kept}
			*out = append(*out, p)
			collectBelow(p, kept || f.FreeForm, out)
		}
	}
}

func collectBelow(p place, kept bool, out *[]place) {
	switch typ := p.typ.(type) {
	case def.Object:
		m, _ := p.value.(map[string]any)
		collect(typ, m, p.path, kept, out)
	case def.List:
		list, _ := p.value.([]any)
		for i, e := range list {
			element := place{p.path.Child(i), p.field, typ.Elem, e, nil, kept}
			*out = append(*out, element)
			collectBelow(element, kept, out)
		}
	case def.StringMap:
		m, _ := p.value.(map[string]any)
		for key, e := range m {
			*out = append(*out, place{p.path.Child(key), p.field, def.String, e, nil, kept})
		}
	case def.Scalar, def.Secret:
	}
}

// mistake is one change of a document.
type mistake struct {
	kind     string
	at       tree.Path // where it is reported
	make     func(doc map[string]any)
	accepted string // why it is not a mistake; empty for all others
}

// mistakes returns the possible mistakes at a place.
func (p place) mistakes() []mistake {
	var out []mistake
	if p.within != nil {
		wrong := p.misspelling()
		m := mistake{kind: misspelled, at: p.path[:len(p.path)-1].Child(wrong), make: func(doc map[string]any) {
			parent := p.parent(doc)
			delete(parent, p.field.Name)
			parent[wrong] = p.value
		}}
		if len(p.path) == 1 && p.field.Name == "name" {
			m.at = p.path // without a name, no field of the document is checked
		}
		if p.kept {
			m.accepted = "the control plane keeps unknown fields there"
		}
		out = append(out, m)
		if p.field.Required {
			out = append(out, mistake{kind: missing, at: p.path, make: func(doc map[string]any) { delete(p.parent(doc), p.field.Name) }})
		}
	}
	s, ok := p.typ.(def.Scalar)
	if !ok {
		return out
	}
	for _, v := range otherTypes(s) {
		out = append(out, mistake{kind: wrongType, at: p.path, make: func(doc map[string]any) { p.set(doc, v) }})
	}
	if p.isEnum() {
		out = append(out, mistake{kind: noValue, at: p.path, make: func(doc map[string]any) { p.set(doc, p.outside()) }})
	}
	return out
}

// misspelling returns a wrong name for a field: its last letters swapped, or an
// additional one.
func (p place) misspelling() string {
	name := p.field.Name
	last := len(name) - 1
	wrong := name[:last-1] + name[last:] + name[last-1:last]
	if _, exists := p.within.Field(wrong); exists || wrong == name {
		return name + "x"
	}
	return wrong
}

// isEnum reports whether only some values are allowed: those of the field,
// those of a check, or the kinds that a reference accepts.
func (p place) isEnum() bool {
	_, reference := p.within.Field("proxyTypes")
	return p.field.OneOf != nil || reference && p.field.Name == "kind" ||
		slices.ContainsFunc(p.field.Checks, func(c def.Check) bool { return strings.HasPrefix(c.Doc, "One of ") })
}

// outside returns a value that is not in any enum.
func (p place) outside() any {
	if p.typ == def.Int {
		return json.Number("987654")
	}
	return "Nonsense"
}

// otherTypes returns values that are not of type s. Free-form JSON accepts all.
func otherTypes(s def.Scalar) []any {
	text, number, boolean := any("text"), any(json.Number("7")), any(true)
	list, object := any([]any{"text"}), any(map[string]any{"key": "text"})
	switch s {
	case def.JSON:
		return nil
	case def.Bool:
		return []any{text, number, list, object}
	case def.Int, def.Number:
		return []any{text, any("7"), boolean, list, object}
	case def.IntOrString:
		return []any{boolean, list, object}
	default:
		return []any{number, boolean, list, object}
	}
}

func (p place) parent(doc map[string]any) map[string]any {
	m, _ := tree.At(doc, p.path[:len(p.path)-1]).(map[string]any)
	return m
}

// set replaces the value.
func (p place) set(doc, v any) {
	switch parent := tree.At(doc, p.path[:len(p.path)-1]).(type) {
	case map[string]any:
		parent[fmt.Sprint(p.path[len(p.path)-1])] = v
	case []any:
		i, _ := p.path[len(p.path)-1].(int)
		parent[i] = v
	}
}
