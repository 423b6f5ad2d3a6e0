package def

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Validate returns what is wrong with a document of kind k in universal format:
// all problems, sorted by path. Values may be [tree.Unknown]. Fields that the
// kind does not have are ignored, as on a control plane.
func (k Kind) Validate(doc map[string]any) []Problem {
	root, v := tree.Root(doc), validator{proto: k.Proto()}
	Walk(k.Root(), root, v.visit)
	Walk(Object{{Name: "labels", Type: StringMap{}}}, root, v.visit)
	checked := test(k.Checks, k.fieldsIn(root))
	v.explainMissing(doc, checked)
	v.problems = append(v.problems, v.newOf(checked)...)
	v.problems = append(v.problems, envelope(root)...)
	if mesh := root.Get("mesh"); k.Scope == Global && mesh.Filled() {
		v.problems = append(v.problems, WarningAt(mesh, "Kind is not in a mesh",
			fmt.Sprintf("Resources of kind %s are not in a mesh, so the control plane ignores it. Remove \"mesh\".", k.Name)))
	}
	return k.redactAndSort(doc, v.found())
}

// Validate returns what is wrong with a value of type o on its own; proto
// reports whether it belongs to an older kind, see [Kind.Proto].
func (o Object) Validate(value map[string]any, proto bool) []Problem {
	v := validator{proto: proto}
	Walk(o, tree.Root(value), v.visit)
	problems := v.found()
	Sort(problems)
	return problems
}

type validator struct {
	proto    bool
	problems []Problem
}

func (v *validator) add(p Problem) { v.problems = append(v.problems, p) }

// found returns the problems that no other problem hides.
func (v *validator) found() []Problem {
	return slices.DeleteFunc(slices.Clone(v.problems), func(p Problem) bool {
		return slices.ContainsFunc(v.problems, func(other Problem) bool { return other.hides(p) })
	})
}

// newOf returns the problems that do not concern a value that already has a
// problem: its relation to other values does not matter then.
func (v *validator) newOf(problems []Problem) []Problem {
	return slices.DeleteFunc(problems, func(p Problem) bool {
		return slices.ContainsFunc(v.problems, func(found Problem) bool { return tree.ComparePaths(found.Path, p.Path) == 0 })
	})
}

func (v *validator) visit(p Place) bool {
	switch {
	case p.Unknown():
		return false
	case p.Element:
		return v.zeroElement(p) || v.fits(p)
	case p.Absent():
		v.null(p)
		return false
	case p.Field.Required && p.Field.CountsAsAbsent(p.Value(), v.proto):
		v.missing(p.Field, p.Node)
		return false
	case !v.fits(p):
		return false
	}
	v.problems = append(v.problems, test(p.Field.Checks, p.Node)...)
	return true
}

// zeroElement reports whether an element is null in a list or map of scalars of
// an older kind, where that means the zero value.
func (v *validator) zeroElement(p Place) bool {
	_, isScalar := p.Type.(Scalar)
	return v.proto && isScalar && p.Value() == nil
}

// null checks a field that is null: older kinds treat it as absent, and so does
// the schema of a newer kind if it has a default for a scalar, or no type
// because it accepts any JSON, or numbers and strings (validation.md §4).
func (v *validator) null(p Place) {
	const nullNumber = json.Number("0") // where a number is required
	f := p.Field
	s, isScalar := f.Type.(Scalar)
	switch {
	case !v.proto && isScalar && (f.Default != nil || s == JSON || s == IntOrString):
		if f.Required {
			v.problems = append(v.problems, test(f.Checks, p.With(nullNumber))...)
		}
	case !v.proto && (!f.Required || f.RequiredByRule):
		v.misfit(p.Node, f.Name+" is null", "null is not allowed here. Omit the field instead.")
	case f.Required:
		v.missing(f, p.Node)
	}
}

// missing reports a required field that is absent, or that an older kind cannot
// distinguish from an absent one.
func (v *validator) missing(f *Field, n tree.Node) {
	hint := ""
	if !n.Absent() {
		hint = " An empty or zero value counts as unset."
	}
	p := ErrorAt(n, f.Name+" is missing", f.requirement(hint))
	if !v.proto && !f.RequiredByRule {
		p.Stage = Schema
	}
	v.add(p)
}

// misfit reports a value of the wrong type: the schema of newer kinds rejects
// it, older kinds fail to decode it.
func (v *validator) misfit(n tree.Node, summary, detail string) {
	p := ErrorAt(n, summary, detail)
	p.Stage = Schema
	if v.proto {
		p.Stage = Decode
	}
	v.add(p)
}

// fits reports whether the value has the right type; it ignores what is wrong
// below it.
func (v *validator) fits(p Place) bool {
	_, isObject := p.Value().(map[string]any)
	switch t := p.Type.(type) {
	case Scalar:
		return v.scalar(p.Field, t, p.Node)
	case Secret:
		return v.scalar(p.Field, Base64, p.Node)
	case List:
		_, ok := p.Value().([]any)
		return v.must(ok, "a list", p)
	case StringMap:
		return v.must(isObject, "a map", p)
	case Object:
		for i := range t {
			if f := &t[i]; isObject && f.Required && !p.Has(f.Name) {
				v.missing(f, p.Get(f.Name))
			}
		}
		return v.must(isObject, "an object", p)
	default:
		panic(fmt.Sprintf("def: unknown type %T", t))
	}
}

func (v *validator) must(be bool, what string, p Place) bool {
	if name := p.Field.Name; !be {
		v.misfit(p.Node, name+" must be "+what, fmt.Sprintf("%s must be %s, not %s.", name, what, tree.Describe(p.Value())))
	}
	return be
}

func (v *validator) scalar(f *Field, s Scalar, n tree.Node) bool {
	c, err := Canonical(s, n.Value())
	if err != nil {
		found := ""
		if text, ok := n.Text(); ok {
			found = fmt.Sprintf("%q ", text)
		}
		v.misfit(n, "Invalid "+f.Name, fmt.Sprintf("%s %s%s.", f.Name, found, err))
		v.problems[len(v.problems)-1].Stage = v.stageOf(f, s, n)
		return false
	}
	if number, ok := n.Value().(json.Number); ok && v.proto && s == Int && string(number) != fmt.Sprint(c) {
		v.misfit(n, "Invalid "+f.Name, fmt.Sprintf("%s is %s. It must be written with digits only: %s.", f.Name, number, c))
		return false
	}
	_, isList := n.Value().([]any)
	if broken, _ := n.Text(); !v.proto && s == Base64 && (isList || strings.ContainsAny(broken, "\r\n")) {
		v.misfit(n, "Invalid "+f.Name, f.Name+" must be a base64 string without line breaks.")
		return false
	}
	if text := fmt.Sprint(c); f.OneOf != nil && !slices.Contains(f.OneOf, text) {
		v.misfit(n, "Unknown "+f.Name, fmt.Sprintf("%s is not a valid value of %s. %s", phrase.JSON(n.Value()), f.Name, f.allowed(text)))
		return false
	}
	return true
}

// stageOf returns the stage in which a value is found that is not of type s.
func (v *validator) stageOf(f *Field, s Scalar, n tree.Node) Stage {
	text, isText := n.Text()
	_, isNumber := n.Value().(json.Number)
	switch {
	case isText && (s == Duration || s == ProtoDuration):
		return Decode
	case !v.proto:
		return Schema
	case isNumber && f.OneOf != nil:
		return Spelling
	case isText && (s == Int || s == Number):
		if _, ok := tree.ParseNumber(json.Number(strings.TrimSpace(text))); ok {
			return Spelling
		}
	}
	return Decode
}

// Envelope describes the fields of a document that all kinds have in common.
func (k Kind) Envelope() Object {
	name, labels := Field{Name: "name", Type: String, Required: true}, Field{Name: "labels", Type: StringMap{}}
	if k.Scope == Global {
		return Object{name, labels}
	}
	return Object{name, {Name: "mesh", Type: String}, labels}
}

// envelope checks what all kinds have in common.
func envelope(doc tree.Node) []Problem {
	var problems []Problem
	report := func(n tree.Node, summary, detail string) {
		p := ErrorAt(n, summary, detail)
		p.Stage = Envelope
		problems = append(problems, p)
	}
	for _, field := range []string{"name", "mesh"} {
		n := doc.Get(field)
		if s, ok := n.Text(); ok && !kuma.IsDNSSubdomain(s) {
			report(n, "Invalid "+field,
				fmt.Sprintf(
					"%q is not a valid %s. It must consist of lowercase letters, digits, \"-\" and \".\", must begin and end with a letter or digit, "+
						"and must have at most %d characters.", s, field, kuma.MaxNameLength))
		}
	}
	origin := doc.Get("labels", kuma.LabelOrigin)
	if s, ok := origin.Text(); ok && s != "" && s != kuma.OriginZone && s != kuma.OriginGlobal {
		report(origin, "Unknown origin", fmt.Sprintf("%q is not a valid origin. Use %q or %q, or omit the label.", s, kuma.OriginZone,
			kuma.OriginGlobal))
	}
	for _, n := range doc.Get("labels").Entries() {
		key := n.Key()
		prefix, name, prefixed := strings.Cut(key, "/")
		if !prefixed {
			prefix, name = "", key
		}
		if prefixed && !kuma.IsDNSSubdomain(prefix) || !kuma.IsLabelName(name) {
			report(n, "Invalid label key",
				fmt.Sprintf(
					"%q is not a valid label key. It must consist of at most %d letters, digits, \"-\", \"_\" and \".\", optionally prefixed with "+
						"a DNS name and \"/\".", key, kuma.MaxLabelLength))
		}
		if value, ok := n.Text(); ok && value != "" && !kuma.IsLabelName(value) {
			report(n, "Invalid label value",
				fmt.Sprintf("Label %q has the invalid value %q. "+
					"It must consist of at most %d letters, digits, \"-\", \"_\" and \".\", and must begin and end with a letter or digit.", key, value,
					kuma.MaxLabelLength))
		}
	}
	return problems
}
