package def

// Type is the type of a field: a [Scalar], a [Secret], a [List], a [StringMap] or
// an [Object]. The linter refuses a switch that forgets one of them.
//
//sumtype:decl
type Type interface{ sealed() }

// Scalar is the type of a single value.
type Scalar int

// The scalars, by what a document may hold.
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

// Secret is the type of bytes that are the purpose of an older kind and that must
// stay hidden, in standard base64 with padding. Users may write them without
// keeping them.
type Secret struct{}

// List is an ordered list.
type List struct{ Elem Type }

// StringMap is an object with keys chosen by the user and texts as values.
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
	Append               // lists are concatenated, weakest policy first
	SplitByValue         // one result per element of the list
	MergeByMatches       // list elements with the same `matches` are merged
)

// Field describes one field of an [Object].
type Field struct {
	Name string // wire name; the Terraform name is derived from it
	Type Type
	Doc  string // full sentences: meaning, unit, what happens when unset

	Required bool
	// RequiredByRule says of a required field of a newer kind that its rules ask
	// for it, and not its schema. To them an absent object is an empty one.
	RequiredByRule bool
	// RequiredFirst says of a required field that a control plane looks at
	// nothing else in the object without it.
	RequiredFirst bool
	Sensitive     bool
	OneOf         []string // the texts or numbers allowed; for lists and maps, of their elements

	// Default is what an absent field means. The control plane writes it into
	// documents of newer kinds and takes it out of those of older kinds.
	Default any
	// DefaultFrom computes the default from the object that the field is
	// missing in; nil for none.
	DefaultFrom func(parent map[string]any) any
	// Distinct says of a field of an older kind that zero is stored, and means
	// something else than absent.
	Distinct bool
	// DropsEmpty says of a field of a newer kind that an empty value is not
	// stored. All others keep `[]`, `{}` and "".
	DropsEmpty bool
	// EmptyIsAbsent says that an empty value means what an absent one does. Some
	// releases store the one as the other.
	EmptyIsAbsent bool

	// ZeroBefore is the release before which control planes answer an absent number
	// as zero; empty when none does.
	ZeroBefore string

	// FreeForm says of an object of an older kind that the control plane keeps
	// it as it is sent, fields unknown to the description included.
	FreeForm bool
	// StoresDefaults says that the control plane stores an object that is absent,
	// with the defaults of its own fields; in an older kind, also the defaults of
	// those that are absent or zero in an object that is there.
	StoresDefaults bool

	// SnakeCase says of a field of an older kind that the control plane reads its
	// name in snake case too, and stores it under its own.
	SnakeCase bool

	// RefersTo is the kind of resource that the text names, in the mesh of the
	// document; empty for other texts, and for objects that name a kind themselves.
	RefersTo string

	// ServerOwned says that the control plane overwrites the field. What it
	// writes is never drift.
	ServerOwned bool
	// ServerKeys are the keys of a map that the control plane sets by itself.
	ServerKeys []ServerKey

	Deprecated string // what to use instead; empty when the field is current
	Since      string // first release that has the field, when later than 2.9 and its kind
	// SinceOf are the first releases that take a value, for values that are later
	// than the field.
	SinceOf map[string]string
	// OptionalSince is the first release that takes an object in which the field
	// is absent or empty; empty when all do, or none.
	OptionalSince string

	Merge  Merge
	Checks []Check
	// Design are rules that a control plane does not enforce, see [Kind.Design].
	Design []Check
}

// Field returns the field called name.
func (o Object) Field(name string) (Field, bool) {
	for _, f := range o {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}
