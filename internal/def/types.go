package def

import (
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// Type is the type of a field: a [Scalar], a [Secret], a [List], a [StringMap]
// or an [Object]. The linter rejects a switch without one of them.
//
//sumtype:decl
type Type interface{ sealed() }

// Scalar is the type of a single value.
type Scalar int

// The scalars, by what a document may contain.
const (
	String        Scalar = iota // any string
	Bool                        // true or false
	Int                         // an integer
	Number                      // any number
	Duration                    // Go notation, stored canonically: "90s" as "1m30s"
	ProtoDuration               // Go notation, stored in seconds: "90s"; older kinds only
	IntOrString                 // an integer, or a string (a fraction, a name)
	JSON                        // any JSON value
	Base64                      // bytes as standard base64 with padding
)

// Secret is the type of bytes that are the purpose of an older kind and that
// must stay hidden, in standard base64 with padding. Users can write them
// without storing them in the state.
type Secret struct{}

// List is an ordered list.
type List struct{ Elem Type }

// StringMap is an object with keys chosen by the user and strings as values.
type StringMap struct{}

// Object is an object with known fields, in the order of the documentation.
type Object []Field

func (Scalar) sealed()    {}
func (Secret) sealed()    {}
func (List) sealed()      {}
func (StringMap) sealed() {}
func (Object) sealed()    {}

// Merge is a directive for combining the confs of several policies. The zero
// value merges objects field by field and replaces everything else.
type Merge int

// Directives (matching.md §9).
const (
	Replace        Merge = iota
	Append               // lists are concatenated in order of increasing precedence
	SplitByValue         // one result per element of the list
	MergeByMatches       // list elements with the same `matches` are merged
)

// Field describes one field of an [Object].
type Field struct {
	Name string // wire name; the Terraform name is derived from it
	Type Type
	Doc  string // full sentences: meaning, unit, what happens when unset

	Required bool
	// RequiredByRule is true for a required field of a newer kind that its
	// rules require, and not its schema. Rules treat an absent object as an
	// empty one.
	RequiredByRule bool
	// RequiredIn are the releases that reject an object in which the field is absent or
	// empty. Others accept it, unless the field is Required.
	RequiredIn kuma.Releases
	// Stated is true if documents say that a release has the field, and its development build does not have it.
	Stated    bool
	Sensitive bool
	OneOf     []string // the allowed strings or numbers; for lists and maps, those of their elements

	// Default is what an absent field means. The control plane adds it to
	// documents of newer kinds and removes it from those of older kinds.
	Default any
	// DefaultIn3 is what an absent field means in Kuma 3.0, if that differs.
	DefaultIn3 any
	// DefaultFrom computes the default from the object that the field is
	// missing in; nil for none.
	DefaultFrom func(parent map[string]any) any
	// Distinct is true for a field of an older kind in which zero is stored,
	// and differs from absent.
	Distinct bool
	// DropsEmpty are the releases that do not store an empty value, false or zero of the
	// field of a newer kind. Others keep `[]`, `{}` and "".
	DropsEmpty kuma.Releases
	// EmptyIsAbsent is true if an empty value is equivalent to an absent one.
	// Some releases store one as the other.
	EmptyIsAbsent bool

	// ZeroForAbsent are the releases that return an absent number as zero.
	ZeroForAbsent kuma.Releases

	// FreeForm is true for an object of an older kind that the control plane
	// stores as it is sent, including fields that the description does not
	// have.
	FreeForm bool
	// StoresDefaults is true if the control plane stores an absent object with
	// the defaults of its fields; in an older kind, it also stores the defaults
	// of fields that are absent or zero in an object that is set.
	StoresDefaults bool

	// SnakeCase is true for a field of an older kind whose name the control
	// plane also accepts in snake case, and stores in camel case.
	SnakeCase bool

	// Protocols lists the protocols of the ports on which a field of a conf has an effect. An
	// empty list means all protocols (validation.md §9).
	Protocols []string

	// RefersTo is the kind of resource that the string names, in the mesh of
	// the document; empty for other strings, and for objects that contain a
	// kind themselves.
	RefersTo string

	// Immutable are the releases in which a later write cannot change the field, which is
	// not part of a list.
	Immutable kuma.Releases

	// ServerOwned is true if the control plane overwrites the field. What it
	// writes is never drift.
	ServerOwned bool
	// ServerKeys are the keys of a map that the control plane sets by itself.
	ServerKeys []ServerKey

	Deprecated string // what to use instead; empty when the field is current
	Since      string // first release that has the field, when later than 2.9 and its kind
	// SinceOf are the first releases that accept a value, for values that are
	// later than the field.
	SinceOf map[string]string
	// Removed says in which release the field was removed, and RemovedOf values of the
	// field that were removed in an earlier release than the field itself.
	Removed   Removal
	RemovedOf map[string]Removal

	// Set is true of a list whose order and repetitions mean nothing.
	Set bool
	// Elements describes the elements of a list in words; nil for other fields, and
	// for lists whose order has a meaning.
	Elements *Elements

	Merge  Merge
	Checks []Check
	// Design are rules that a control plane does not enforce, see [Kind.Design].
	Design []Check
}

// Field describes a field of this type about which there is nothing to say but what it means and
// its rules.
func (s Scalar) Field(name, doc string, checks ...Check) Field {
	return Field{Name: name, Type: s, Doc: doc, Checks: checks}
}

// Required is [Scalar.Field] for a required field.
func (s Scalar) Required(name, doc string, checks ...Check) Field {
	return Field{Name: name, Type: s, Doc: doc, Checks: checks, Required: true}
}

// Field is like [Scalar.Field].
func (l List) Field(name, doc string, checks ...Check) Field {
	return Field{Name: name, Type: l, Doc: doc, Checks: checks}
}

// Required is like [Scalar.Required].
func (l List) Required(name, doc string, checks ...Check) Field {
	return Field{Name: name, Type: l, Doc: doc, Checks: checks, Required: true}
}

// Field is like [Scalar.Field].
func (m StringMap) Field(name, doc string, checks ...Check) Field {
	return Field{Name: name, Type: m, Doc: doc, Checks: checks}
}

// Required is like [Scalar.Required].
func (m StringMap) Required(name, doc string, checks ...Check) Field {
	return Field{Name: name, Type: m, Doc: doc, Checks: checks, Required: true}
}

// Removal says that releases of Kuma do not have something any more. The zero value is
// for what all later releases have.
type Removal struct {
	In      string // the first release without it
	Instead string // what to do in later releases, as a sentence
}

// RemovedIn3 describes what Kuma 3.0 removed.
func RemovedIn3(instead string) Removal { return Removal{In: "3.0", Instead: instead} }

// AppliesTo reports whether a release does not have it any more. An unknown release has
// everything.
func (r Removal) AppliesTo(release kuma.Release) bool {
	return r.In != "" && release != (kuma.Release{}) && release.Has(r.In)
}

// In reports whether a release has the field.
func (f Field) In(r kuma.Release) bool { return r.Has(f.Since) && !f.Removed.AppliesTo(r) }

// ValuesIn returns those of [Field.Values] that a release has.
func (f Field) ValuesIn(r kuma.Release) []string {
	return slices.DeleteFunc(slices.Clone(f.Values()), func(v string) bool { return !r.Has(f.SinceOf[v]) || f.RemovedOf[v].AppliesTo(r) })
}

// Values returns the allowed strings or numbers, also those that a check lists;
// nil when there is no list.
func (f Field) Values() []string {
	for _, c := range f.Checks {
		if f.OneOf == nil && c.Values != nil {
			return c.Values
		}
	}
	return f.OneOf
}

// meant returns the one of [Field.Values] that a control plane reads a string as, or the
// string itself.
func (f Field) meant(text string) string {
	for _, c := range f.Checks {
		if i := slices.IndexFunc(c.Values, func(v string) bool { return strings.EqualFold(v, text) }); c.anyCase && i >= 0 {
			return c.Values[i]
		}
	}
	return text
}

// Field returns the field with the given name.
func (o Object) Field(name string) (Field, bool) {
	for _, f := range o {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}
