package managed_test

import (
	"slices"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty/convert"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// TestMistakesInResources makes the mistakes in the resource block of every
// accepted document. Terraform detects violations of the schema and points at
// the name or value; the provider reports the rest on its attribute.
func TestMistakesInResources(t *testing.T) {
	t.Parallel()
	c := providertest.NewCore(t)
	var count tally
	eachKind(t, func(t *testing.T, k def.Kind) {
		for _, doc := range providertest.CatalogExamples(t, k) {
			m := mutator{Core: c, kind: k, doc: doc, count: &count}
			m.run(t)
		}
	})
	count.log(t)
}

// mutator makes mistakes in one resource block and reverts them.
type mutator struct {
	providertest.Core
	kind  def.Kind
	doc   kuma.Resource
	root  *hclsyntax.Body
	count *tally
}

func (m *mutator) run(t *testing.T) {
	t.Helper()
	written, err := configuration.File([]kuma.Resource{m.doc}, providertest.Verbatim)
	testworld.NoError(t, err)
	file, diags := hclsyntax.ParseConfig([]byte(written), "main.tf", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	m.root = file.Body.(*hclsyntax.Body).Blocks[0].Body
	if at, found := m.refused(t); found {
		t.Fatalf("%s is refused without a mistake, at %v", m.doc.Name, at)
	}
	for _, p := range places(m.kind, m.doc.Document()) {
		if m.kind.Form().Global && p.path[0] == "mesh" {
			continue
		}
		m.mistakesIn(t, p)
	}
}

// refusal is where a configuration is refused: a range in the text when
// Terraform does, an attribute when the provider does.
type refusal struct {
	ranges     []hcl.Range
	attributes []string
}

func (m *mutator) refused(t *testing.T) (refusal, bool) {
	t.Helper()
	typeName := tfschema.TypeName(m.kind.Name)
	var r refusal
	config, diags := m.Body(t, typeName, m.root)
	for _, d := range diags {
		r.ranges = append(r.ranges, *d.Subject)
	}
	if diags.HasErrors() {
		return r, true
	}
	problems := m.Validate(t, typeName, config)
	if def.HasSensitive(m.kind.Root()) && !providertest.HasErrors(problems) { // a sensitive value may be omitted from an update
		_, problems = m.PlanChange(t, typeName, config, providertest.Instance{})
	}
	for _, d := range problems {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			r.attributes = append(r.attributes, d.Attribute.String())
		}
	}
	return r, r.attributes != nil
}

// element is what a place is in the text: an attribute, or a block of a body.
type element struct {
	in        *hclsyntax.Body
	attribute *hclsyntax.Attribute
	block     *hclsyntax.Block
	inside    tree.Path // from the attribute to the place
}

// find returns the element of a place; false when the text has none, because
// the value is the same without it.
func (m *mutator) find(p tree.Path) (element, bool) {
	e := element{in: m.root}
	for i := 0; i < len(p); i++ {
		if e.block != nil {
			e.in = e.block.Body
		}
		name, _ := p[i].(string)
		name = tfschema.AttributeName(name)
		if a, ok := e.in.Attributes[name]; ok {
			e.attribute, e.block, e.inside = a, nil, p[i+1:]
			return e, true
		}
		index := 0
		if i+1 < len(p) {
			if n, ok := p[i+1].(int); ok {
				index, i = n, i+1
			}
		}
		same := slices.DeleteFunc(slices.Clone(e.in.Blocks), func(b *hclsyntax.Block) bool { return b.Type != name })
		if index >= len(same) {
			return e, false
		}
		e.block = same[index]
	}
	return e, true
}

func (m *mutator) mistakesIn(t *testing.T, p place) {
	t.Helper()
	e, ok := m.find(p.path)
	if !ok {
		return
	}
	if p.within != nil {
		m.misspell(t, p, e)
		if p.field.Required {
			m.leaveOut(t, p, e)
		}
	}
	s, ok := p.typ.(def.Scalar)
	if !ok || e.attribute == nil {
		return
	}
	for _, v := range otherTypes(s) {
		m.retype(t, p, e, v)
	}
	if p.isEnum() {
		m.value(t, p, e, p.outside(), func() { m.expectAttribute(t, noValue, p) })
	}
}

func (m *mutator) misspell(t *testing.T, p place, e element) {
	t.Helper()
	wrong := tfschema.AttributeName(p.misspelling())
	if e.block != nil {
		right := e.block.Type
		e.block.Type = wrong
		m.expectRange(t, misspelled, p, e.block.TypeRange)
		e.block.Type = right
		return
	}
	right := e.attribute.Name
	delete(e.in.Attributes, right)
	e.attribute.Name = wrong
	e.in.Attributes[wrong] = e.attribute
	m.expectRange(t, misspelled, p, e.attribute.NameRange)
	delete(e.in.Attributes, wrong)
	e.attribute.Name = right
	e.in.Attributes[right] = e.attribute
}

func (m *mutator) leaveOut(t *testing.T, p place, e element) {
	t.Helper()
	blocks, attributes := e.in.Blocks, e.in.Attributes
	if e.block != nil {
		e.in.Blocks = slices.DeleteFunc(slices.Clone(blocks), func(b *hclsyntax.Block) bool { return b.Type == e.block.Type })
	} else {
		delete(e.in.Attributes, e.attribute.Name)
	}
	got, found := m.refused(t)
	switch {
	case slices.Contains(got.attributes, m.attribute(t, p.path)):
		m.count.add(missing, "refused on its attribute")
	case found && slices.Contains(got.ranges, e.in.MissingItemRange()):
		m.count.add(missing, "refused by Terraform in its block")
	default:
		t.Errorf("%s: without %s: %v", m.doc.Name, p.path, got)
	}
	e.in.Blocks = blocks
	if e.attribute != nil {
		attributes[e.attribute.Name] = e.attribute
	}
}

// retype gives an attribute a value of another type. Terraform converts numbers
// and booleans to strings where a string is required, and strings with a number
// to a number.
func (m *mutator) retype(t *testing.T, p place, e element, v any) {
	t.Helper()
	m.value(t, p, e, v, func() {
		value, diags := e.attribute.Expr.Value(nil)
		typ := m.attributeType(t, p.path[:len(p.path)-len(e.inside)])
		if _, err := convert.Convert(value, providertest.CtyType(t, typ)); !diags.HasErrors() && err == nil {
			m.count.add(wrongType, "no mistake, Terraform converts the value")
			return
		}
		m.expectRange(t, wrongType, p, e.attribute.Expr.Range())
	})
}

// value replaces the expression of an attribute and calls then.
func (m *mutator) value(t *testing.T, p place, e element, v any, then func()) {
	t.Helper()
	decoded := v
	if len(e.inside) > 0 {
		decoded = tree.Clone(tree.At(m.doc.Document(), p.path[:len(p.path)-len(e.inside)]))
		place{path: e.inside}.set(decoded, v)
	}
	data := []byte(phrase.JSON(decoded))
	typ, err := ctyjson.ImpliedType(data)
	testworld.NoError(t, err)
	constant, err := ctyjson.Unmarshal(data, typ)
	testworld.NoError(t, err)
	before := e.attribute.Expr
	e.attribute.Expr = &hclsyntax.LiteralValueExpr{Val: constant, SrcRange: before.Range()}
	then()
	e.attribute.Expr = before
}

// expectRange checks that Terraform refuses the configuration at a range.
func (m *mutator) expectRange(t *testing.T, mistake string, p place, want hcl.Range) {
	t.Helper()
	got, _ := m.refused(t)
	if !slices.Contains(got.ranges, want) {
		t.Errorf("%s: %s at %s is not refused at %s: %v", m.doc.Name, mistake, p.path, want, got)
		return
	}
	m.count.add(mistake, "refused by Terraform at its line")
}

// expectAttribute checks that the provider refuses a value on its attribute.
func (m *mutator) expectAttribute(t *testing.T, mistake string, p place) {
	t.Helper()
	got, _ := m.refused(t)
	if !slices.Contains(got.attributes, m.attribute(t, p.path)) {
		t.Errorf("%s: %s at %s is not refused there: %v", m.doc.Name, mistake, p.path, got)
		return
	}
	m.count.add(mistake, "refused on its attribute")
}

// attribute returns the path of the attribute of a place, as diagnostics print it.
func (m *mutator) attribute(t *testing.T, p tree.Path) string {
	t.Helper()
	return terraformPath(t, tfschema.AttributePath(m.kind, p)).String()
}

// attributeType returns the type that the schema has for a place.
func (m *mutator) attributeType(t *testing.T, p tree.Path) tftypes.Type {
	t.Helper()
	block := m.Schemas.ResourceSchemas[tfschema.TypeName(m.kind.Name)].Block
	typ, _, err := tftypes.WalkAttributePath(block.ValueType(), terraformPath(t, tfschema.AttributePath(m.kind, p)))
	testworld.NoError(t, err)
	if object, ok := typ.(tftypes.Object); ok { // diagnostics about a sensitive attribute are on the object
		name, _ := p[len(p)-1].(string)
		return object.AttributeTypes[tfschema.AttributeName(name)]
	}
	return typ.(tftypes.Type)
}

func terraformPath(t *testing.T, p path.Path) *tftypes.AttributePath {
	t.Helper()
	out := tftypes.NewAttributePath()
	for _, step := range p.Steps() {
		switch s := step.(type) {
		case path.PathStepAttributeName:
			out = out.WithAttributeName(string(s))
		case path.PathStepElementKeyInt:
			out = out.WithElementKeyInt(int(s))
		case path.PathStepElementKeyString:
			out = out.WithElementKeyString(string(s))
		default:
			t.Fatalf("no diagnostic of a resource has the step %s", s)
		}
	}
	return out
}
