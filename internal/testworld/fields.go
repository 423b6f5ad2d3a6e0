package testworld

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// FieldTable contains facts about fields by release, as a command writes them: one line
// for each field and fact, with the releases that it is about.
type FieldTable[T any] map[FieldKey]map[kuma.Release]T

// FieldKey is the place of a field in documents: its kind and its path, in which "[]" leads
// to the elements of a list. The path of a kind itself is empty.
type FieldKey struct{ Kind, Path string }

// FieldAnswers is what a control plane does with the candidates for a field: values that it
// keeps or drops, and absence. It rejects all others.
type FieldAnswers struct {
	Kind     any      `json:"kind,omitempty"`     // for a kind itself: what the control plane says about it
	Required bool     `json:"required,omitempty"` // absence is rejected
	Default  any      `json:"default,omitempty"`  // what is stored for an absent field
	Keeps    []any    `json:"keeps,omitempty"`
	Drops    []any    `json:"drops,omitempty"`
	Changes  [][2]any `json:"changes,omitempty"` // a value, and what is stored instead
	// Depends are the values, or null for absence, that are rejected because of other fields: the
	// control plane names only those, or the checks of the kind agree for this document.
	Depends []any `json:"depends,omitempty"`
}

// FieldOutcome is what happens to a candidate.
type FieldOutcome struct {
	Rejected bool
	Stored   any // nil for nothing
}

// Outcome returns what happens to a candidate; false if that depends on other fields.
func (a FieldAnswers) Outcome(v any) (o FieldOutcome, known bool) {
	is := func(other any) bool { return tree.Equal(v, other) }
	switch i := slices.IndexFunc(a.Changes, func(c [2]any) bool { return is(c[0]) }); {
	case slices.ContainsFunc(a.Depends, is):
		return o, false
	case v == nil:
		return FieldOutcome{a.Required, a.Default}, true
	case i >= 0:
		return FieldOutcome{false, a.Changes[i][1]}, true
	case slices.ContainsFunc(a.Keeps, is):
		return FieldOutcome{false, v}, true
	default:
		return FieldOutcome{Rejected: !slices.ContainsFunc(a.Drops, is)}, true
	}
}

// FieldSchema is what the schema that Kuma publishes says about a field.
type FieldSchema struct {
	Type     string   `json:"type"` // of its elements, for a list of scalars
	Values   []string `json:"values,omitempty"`
	Required bool     `json:"required,omitempty"`
	Default  any      `json:"default,omitempty"`
}

// ReadFieldTable reads a table.
func ReadFieldTable[T any](text string) (FieldTable[T], error) {
	table := FieldTable[T]{}
	var known []kuma.Release
	for line := range strings.Lines(text) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if known == nil {
			known = phrase.Each(columns, kuma.ParseRelease)
			continue
		}
		if len(columns) != 4 {
			return nil, fmt.Errorf("line %q: want kind, path, releases and facts", line)
		}
		var facts T
		decoder := json.NewDecoder(strings.NewReader(columns[3]))
		decoder.UseNumber()
		if err := decoder.Decode(&facts); err != nil {
			return nil, fmt.Errorf("line %q: %w", line, err)
		}
		first, last, isRange := strings.Cut(columns[2], "-")
		if !isRange {
			last = first
		}
		for _, r := range known {
			if r.Has(first) && kuma.ParseRelease(last).Has(r.String()) {
				table.Add(FieldKey{columns[0], columns[1]}, r, facts)
			}
		}
	}
	return table, nil
}

// Fields reads the table in a file.
func Fields[T any](tb testing.TB, file string) FieldTable[T] {
	tb.Helper()
	table, err := ReadFieldTable[T](Text(tb, file))
	if err != nil {
		tb.Fatalf("%s: %v", file, err)
	}
	return table
}

// Add adds a fact about a field in a release.
func (t FieldTable[T]) Add(key FieldKey, r kuma.Release, facts T) {
	if t[key] == nil {
		t[key] = map[kuma.Release]T{}
	}
	t[key][r] = facts
}

// Drop removes what is known about a release.
func (t FieldTable[T]) Drop(r kuma.Release) {
	for _, facts := range t {
		delete(facts, r)
	}
}

// Releases returns the releases that the table is about.
func (t FieldTable[T]) Releases() []kuma.Release {
	var all []kuma.Release
	for _, facts := range t {
		for r := range facts {
			if !slices.Contains(all, r) {
				all = append(all, r)
			}
		}
	}
	slices.SortFunc(all, kuma.Release.Compare)
	return all
}

// Encode returns the table as text, sorted.
func (t FieldTable[T]) Encode() ([]byte, error) {
	var text bytes.Buffer
	releases := t.Releases()
	for i, r := range releases {
		if i > 0 {
			text.WriteByte('\t')
		}
		text.WriteString(r.String())
	}
	text.WriteByte('\n')
	var lines []string
	for key, facts := range t {
		first, last, of := kuma.Release{}, kuma.Release{}, ""
		flush := func() {
			switch {
			case of == "":
			case first == last:
				lines = append(lines, fmt.Sprintf("%s\t%s\t%s\t%s\n", key.Kind, key.Path, first, of))
			default:
				lines = append(lines, fmt.Sprintf("%s\t%s\t%s-%s\t%s\n", key.Kind, key.Path, first, last, of))
			}
		}
		for _, r := range releases {
			encoded := ""
			if f, ok := facts[r]; ok {
				var err error
				if encoded, err = tree.EncodeJSON(f); err != nil {
					return nil, err
				}
			}
			if encoded != of {
				flush()
				first, of = r, encoded
			}
			last = r
		}
		flush()
	}
	slices.Sort(lines)
	for _, line := range lines {
		text.WriteString(line)
	}
	return text.Bytes(), nil
}

// DeclaredField is a declared field with those around it.
type DeclaredField struct {
	FieldKey
	def.Field
	Around []def.Field // outer ones first
}

// DeclaredFields returns the fields of a kind in documents, outer ones first.
func DeclaredFields(k def.Kind) []DeclaredField { return declaredBelow(k.Name, "", k.Root(), nil) }

func declaredBelow(kind, at string, o def.Object, around []def.Field) []DeclaredField {
	var all []DeclaredField
	for _, f := range o {
		path := at + f.Name
		all = append(all, DeclaredField{FieldKey{kind, path}, f, around})
		if _, ok := f.Type.(def.List); ok {
			path += "[]"
		}
		all = append(all, declaredBelow(kind, path+".", def.ObjectOf(f.Type), append(slices.Clip(around), f))...)
	}
	return all
}

// In reports whether a release has the field and those around it.
func (d DeclaredField) In(r kuma.Release) bool {
	return d.Field.In(r) && !slices.ContainsFunc(d.Around, func(f def.Field) bool { return !f.In(r) })
}

// Alone returns the kind with this field only, the objects around it, and no rules about others.
func (d DeclaredField) Alone(k def.Kind) def.Kind {
	around := d.Around
	if !k.Flat && len(around) > 0 {
		around = around[1:] // the spec
	}
	fields := def.Object{d.Field}
	for _, outer := range slices.Backward(around) {
		outer.Checks, outer.Required, outer.RequiredIn = nil, false, kuma.Releases{}
		if _, isList := outer.Type.(def.List); isList {
			outer.Type = def.List{Elem: fields}
		} else {
			outer.Type = fields
		}
		fields = def.Object{outer}
	}
	if !k.Flat && len(d.Around) == 0 {
		fields = k.Fields
	}
	return def.Kind{Name: k.Name, Path: k.Path, Scope: k.Scope, Flat: k.Flat, Fields: fields, Complete: k.Complete}
}

// Document returns a document with a value for the field, nil for none, and its place.
func (d DeclaredField) Document(k def.Kind, v any) (map[string]any, tree.Path) {
	document := map[string]any{"type": k.Name, "name": "a"}
	if k.Scope == def.InMesh {
		document["mesh"] = "default"
	}
	in, at := document, tree.Path{}
	for _, outer := range d.Around {
		inner := map[string]any{}
		at = at.Child(outer.Name)
		if _, isList := outer.Type.(def.List); isList {
			in[outer.Name], at = []any{inner}, at.Child(0)
		} else {
			in[outer.Name] = inner
		}
		in = inner
	}
	if v != nil {
		in[d.Name] = v
	}
	return document, at.Child(d.Name)
}

// Candidates returns the values to try for the field, nil for absence: one of each JSON
// type, and those at the limits of its own type. Where the declaration lists
// strings, the candidates include the strings of all fields with the same name.
func (d DeclaredField) Candidates() []any {
	candidates := []any{nil, "x", json.Number("1"), true, []any{}, map[string]any{}}
	switch t := d.Type.(type) {
	case def.List:
		candidates = append(candidates, []any{"x"}, []any{json.Number("1")})
		if t.Elem == def.Type(def.String) {
			for _, v := range d.otherValues() {
				candidates = append(candidates, []any{v})
			}
		}
	case def.StringMap:
		candidates = append(candidates, map[string]any{"k": "v"}, map[string]any{"k": json.Number("1")})
	case def.Secret:
		candidates = append(candidates, "", "aGVsbG8=")
	case def.Object:
	case def.Scalar:
		candidates = append(candidates, scalars[t]...)
		for _, v := range d.otherValues() {
			if t == def.Int {
				candidates = append(candidates, json.Number(v))
			} else {
				candidates = append(candidates, v)
			}
		}
	}
	if d.Default != nil && !slices.ContainsFunc(candidates, func(c any) bool { return tree.Equal(c, d.Default) }) {
		candidates = append(candidates, d.Default)
	}
	return candidates
}

// scalars are further candidates for scalars.
var scalars = map[def.Scalar][]any{
	def.String: {""},
	def.Bool:   {false},
	def.Int: numbers("-1", "0", "1.5", "100", "101", "599", "600", "65535", "65536", "2147483647", "2147483648", "4294967295",
		"4294967296"),
	def.Number:        numbers("-1", "0", "1.5", "100", "101"),
	def.Duration:      {"", "-1s", "0s", "1s", "90s"},
	def.ProtoDuration: {"", "-1s", "0s", "1s", "90s"},
	def.IntOrString:   append(numbers("-1", "0", "1.5", "100", "101"), "", "0", "1", "1.5", "100", "101"),
	def.Base64:        {"", "aGVsbG8="},
}

func numbers(literals ...string) []any {
	return phrase.Each(literals, func(literal string) any { return json.Number(literal) })
}

// otherValues returns the values that the declarations list for fields with the same name, if this one
// has such values.
func (d DeclaredField) otherValues() []string {
	if d.Values() == nil {
		return nil
	}
	var values []string
	for _, k := range kinds.All() {
		for f := range k.Root().All() {
			if f.Name == d.Name {
				values = append(values, f.Values()...)
			}
		}
	}
	slices.Sort(values)
	return slices.Compact(values)
}
