package def

import (
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Scope is whether resources of a kind belong to a mesh.
type Scope int

// Scopes.
const (
	InMesh Scope = iota
	Global
)

// Kind describes one kind of resource completely.
type Kind struct {
	Name      string // "MeshService"
	Path      string // in URLs: "meshservices"
	ShortName string // in KRIs: "msvc"; empty when the kind has none
	Scope     Scope
	Doc       string // what it does, in full sentences
	Use       string // when to use it and when to use another kind instead, in full sentences
	Page      string // path of its page in Kuma's documentation; empty for policies, and for kinds without a page
	Since     string // first Kuma release with this kind, if later than 2.9
	Removed   Removal

	// Flat is true for an older kind: its fields are next to the envelope and
	// follow the rules of protobuf, see [Kind.Proto].
	Flat bool
	// ClusterScoped is true if resources of the kind have no namespace on Kubernetes.
	ClusterScoped bool
	// Status is true if the control plane reports a status next to the spec.
	Status bool
	// Fields are the fields of `spec`, or of the document itself when Flat.
	Fields Object

	// ZoneOwned are the releases in which a zone may own resources of this kind and
	// labels them with its name.
	ZoneOwned kuma.Releases
	// LabelsFixed are the releases in which a successful update does not change the
	// labels.
	LabelsFixed kuma.Releases
	// GlobalOwned is true if clients can write the kind on a global control
	// plane.
	GlobalOwned bool
	// Contains is true if resources of other kinds belong to one of this kind, and are
	// deleted together with it.
	Contains bool
	// Undeletable says when a control plane rejects the deletion of a resource, and what to do
	// then; empty if it is always accepted.
	Undeletable string
	// Remedy returns what to do if a control plane rejects a document for a reason that does
	// not say it; empty if there is nothing to add.
	Remedy func(reason string) string
	// ProxyLabels is true if the kind describes proxies, which get labels about
	// their role.
	ProxyLabels func(r kuma.Resource) map[string]string
	// Complete changes what is stored in ways that fields cannot declare.
	Complete func(r *kuma.Resource, c StoreContext)

	// Initial are the resources of this kind that a control plane creates: with
	// a mesh, unless the mesh disables that; those of a global kind when it
	// starts.
	Initial []Initial
	// Generates returns, by kind, the names of the resources that a control plane
	// creates in the same mesh for a resource of this kind. They have no labels until
	// another client writes them (rest-api.md §10).
	Generates map[string]func(r kuma.Resource) []string
	// Policy is set when the kind is a policy with targetRef.
	Policy *Policy
	// Checks are rules about more than one field, or about the envelope. They
	// see the node of the fields; its Root is the document.
	Checks []Check
	// Design are rules that a control plane does not enforce, but the design of
	// Kuma or Envoy requires. A violation is an error if it breaks traffic or
	// the configuration of a proxy, and a warning if it only has no effect.
	// They see what Checks see.
	Design []Check
	// Creation are rules that apply only if the resource does not exist yet:
	// they warn about what happens to a new one. They see what Checks see.
	Creation []Check
	// Needs are the resources for which a control plane creates resources of this
	// kind: it deletes one without them.
	Needs *Labeled
	// InMesh are design rules that depend on the mesh of the resource and on the release
	// of the control plane. They see what Checks see.
	InMesh func(n tree.Node, mesh kuma.Resource, r kuma.Release) []Problem
}

// Labeled are the resources of a kind in which the value of a label is the name of
// another resource in the same mesh.
type Labeled struct{ Kind, Label string }

// Policy is how a kind takes part in matching (matching.md §15.1).
type Policy struct {
	Order       int  // position in which the types are processed and reported
	To          bool // has `to`
	From        bool // has `from`
	Rules       bool // has `rules`
	FromAsRules bool // `from` entries are evaluated as inbound rules too
	Single      bool // has one `default` and no lists

	// Additive says that all entries for incoming traffic that match a request
	// apply, instead of being merged.
	Additive bool
	// Permission says that the policies decide which clients may connect: the
	// lists of all `rules` add up, and a client that none of them allows is
	// denied.
	Permission bool

	// PerRoute are the paths in a conf, joined by dots, that take effect in an
	// entry for a single route (validation.md §9). Empty for all other kinds.
	PerRoute []string
	// ReplacedPerRoute are the paths of PerRoute whose values are replaced as a whole: what an
	// entry for a service sets there does not apply to a route that has an entry
	// of its own. If the path leads to an object, the entry must set a part of it.
	ReplacedPerRoute []string
	// Consistent are the paths of objects whose fields must fit together although
	// several policies can set them, joined by dots.
	Consistent []string
	// Gateway are the paths in a conf that a builtin gateway does not take from every rule.
	Gateway Gateway
}

// OnRoute reports whether the value at a path of a conf takes effect in an entry for a single route.
func (p Policy) OnRoute(path tree.Path) bool {
	return p.PerRoute == nil || slices.ContainsFunc(p.PerRoute, func(at string) bool { return strings.HasPrefix(path.String()+".", at+".") })
}

// ReplacedOnRoute reports whether an entry for a route replaces the value that one for its service sets at a path. sets reports whether the
// entry for the route sets a part of an object.
func (p Policy) ReplacedOnRoute(path string, sets func(object string) bool) bool {
	return slices.ContainsFunc(p.ReplacedPerRoute, func(at string) bool { return path == at || strings.HasPrefix(path, at+".") && sets(at) })
}

// Gateway are paths in a conf, joined by dots, of which "" is the whole conf. A builtin gateway
// takes all others from the rules for the resource of a backend, too (matching.md §18.4).
type Gateway struct {
	ForAll []string // only from the rules of a listener for all destinations
	ByTags []string // only from the rules of a listener, which are by tags
	// OnlyHTTP is whether `to` is for listeners for HTTP, and so for no other proxy.
	OnlyHTTP bool
}

// OfRequests reports whether a gateway uses the value at a path of a conf for what a listener
// takes, and not for its connections to backends.
func (g Gateway) OfRequests(path tree.Path) bool {
	return slices.ContainsFunc(slices.Concat(g.ForAll, g.ByTags), func(p string) bool {
		return p == "" || strings.HasPrefix(path.String()+".", p+".") || strings.HasPrefix(path.String(), p+"[")
	})
}

// Initial is a resource that a control plane creates by itself.
type Initial struct {
	Name string // "%s" stands for the name of the mesh, for a kind that belongs to one
	Spec string // as JSON
	// Preview is true for one that only a development build of Kuma 3.0 creates: the
	// release creates none with a mesh.
	Preview bool
}

// In reports whether a release has the kind.
func (k Kind) In(r kuma.Release) bool { return r.Has(k.Since) && !k.Removed.AppliesTo(r) }

// ImmutableFields returns the paths of fields that differ in two versions of a resource,
// and that a write to a control plane of release r cannot change. Values may be
// [tree.Unknown].
func (k Kind) ImmutableFields(before, after map[string]any, r kuma.Release) []tree.Path {
	var changed []tree.Path
	seen := func(p Place) bool {
		at := p.Path
		if p.Field.Immutable.Contain(r) && !p.Element && !tree.Equal(tree.At(before, at), tree.At(after, at)) &&
			!slices.ContainsFunc(changed, func(c tree.Path) bool { return tree.ComparePaths(c, at) == 0 }) {
			changed = append(changed, at)
		}
		return true
	}
	Walk(k.Root(), tree.Root(before), seen)
	Walk(k.Root(), tree.Root(after), seen)
	return changed
}

// DocumentationPage returns the path of the page about the kind in Kuma's
// documentation, empty if there is none.
func (k Kind) DocumentationPage() string {
	if k.Page == "" && k.Policy != nil {
		return "policies/" + strings.ToLower(k.Name)
	}
	return k.Page
}

// Form returns the layout of documents of this kind.
func (k Kind) Form() kuma.Form {
	return kuma.Form{Flat: k.Flat, Global: k.Scope == Global, Cluster: k.ClusterScoped, Policy: k.Policy != nil}
}

// Proto reports whether documents of this kind are protobuf messages, as those
// of older kinds are: null means absent, a zero value cannot be distinguished
// from an absent one and is not stored, and a value that cannot be decoded is
// rejected without naming a field.
func (k Kind) Proto() bool { return k.Flat }

// Root describes the fields of a document next to the envelope.
func (k Kind) Root() Object {
	root, _ := k.layout()
	return root
}

// fieldsIn returns the node of the fields in a document.
func (k Kind) fieldsIn(doc tree.Node) tree.Node {
	_, names := k.layout()
	return doc.Get(names...)
}

// layout returns the fields next to the envelope, and the names that lead to
// the fields.
func (k Kind) layout() (root Object, names []string) {
	if k.Flat {
		return k.Fields, nil
	}
	return Object{{Name: "spec", Type: k.Fields, Required: true, StoresDefaults: true, Doc: "Specification."}}, []string{"spec"}
}

// ToEntry describes an element of the list `to` of a policy; nil for other kinds.
func (k Kind) ToEntry() Object {
	to, _ := k.Fields.Field("to")
	return ObjectOf(to.Type)
}

// RouteLists names the lists of a [Kind.ToEntry] that [MergeByMatches] and
// [SplitByValue] describe, which only routes have.
func (k Kind) RouteLists() (keyed, split string) {
	for _, f := range k.ToEntry() {
		switch f.Merge {
		case MergeByMatches:
			keyed = f.Name
		case SplitByValue:
			split = f.Name
		case Replace, Append:
		}
	}
	return keyed, split
}

// KRI returns the identifier of a resource of this kind, empty when the kind
// has none.
func (k Kind) KRI(r kuma.Resource) string { return r.ID().KRI(k.ShortName) }
