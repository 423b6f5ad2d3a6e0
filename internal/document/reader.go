package document

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Reader reads documents. The zero value accepts all kinds that are described
// and checks only the identity of a resource. Use one Reader for streams that
// belong together: see [tree.YAMLDecoder].
type Reader struct {
	// Find returns the description of a kind. It is [kinds.Find] when nil.
	Find func(kind string) (def.Kind, bool)
	// UnknownKinds determines how to treat a document whose kind Find does not
	// find.
	UnknownKinds UnknownKinds
	// Accept lists such kinds whose documents are read anyway, unchecked.
	Accept []string
	// Check is the extent of the checks.
	Check Check
	// OmitsSecrets accepts documents without the sensitive values that are stored.
	OmitsSecrets bool
	// Skip, unless nil, selects documents to ignore: they are neither read nor
	// checked. The kind is empty when the document does not have one, or it is
	// not known yet. Skip is not called for a kind whose name is an error.
	Skip func(kind string, doc map[string]any) bool

	decoder tree.YAMLDecoder
}

// Text reads a stream of YAML or JSON documents. It fails when the text is not
// valid.
func (r *Reader) Text(text []byte) (Result, error) {
	docs, err := r.decoder.Decode(text)
	if err != nil {
		return Result{}, err
	}
	var all Result
	for i, doc := range docs {
		r.read(&all, doc, i+1)
	}
	return all, nil
}

// Value reads one decoded document.
func (r *Reader) Value(doc any) Result {
	var one Result
	r.read(&one, doc, 0)
	return one
}

// Key returns the key of the resource that a partly known document describes;
// false when the key is not known yet, or the document has no name.
func (r *Reader) Key(doc map[string]any) (kuma.Key, bool) {
	names := map[string]any{}
	for _, field := range []string{"type", "kind", "apiVersion", "metadata", "name", "mesh"} {
		if v, ok := doc[field]; ok {
			names[field] = v
		}
	}
	if !identified(names) {
		return kuma.Key{}, false
	}
	res, err := kuma.FromDocument(names, r.form)
	return res.Key(), err == nil
}

func (r *Reader) read(to *Result, v any, number int) {
	to.Count++
	doc := tree.Object(v)
	name := kindName(doc)
	k, described := r.find(name)
	accepted := described || name == "" || r.UnknownKinds == Take || slices.Contains(r.Accept, name)
	if !accepted && (r.UnknownKinds == Reject || misspelled(name)) {
		to.fail(number, "Unknown kind", UnknownKind(name))
		return
	}
	if r.Skip != nil && doc != nil && r.Skip(name, doc) {
		return
	}
	if !identified(doc) {
		to.Unknown = true
		return
	}
	res, err := kuma.FromDocument(v, r.form)
	switch {
	case err != nil:
		to.fail(number, "Invalid document", err)
		return
	case !accepted:
		to.LeftOut = append(to.LeftOut, res.Key())
		return
	}
	to.Documents = append(to.Documents, Document{Kind: k, Described: described, Resource: res, Number: number, OmitsMesh: omitsMesh(doc, res)})
	if !described || r.Check == Envelope {
		return
	}
	checked := res.Document()
	if r.OmitsSecrets {
		checked = k.WithUnknownSecrets(res.Clone().Document())
	}
	for _, p := range r.Check.Problems(k, res, checked) {
		to.Problems = append(to.Problems, Problem{Problem: p, Number: number, Key: res.Key()})
	}
}

// omitsMesh reports whether a document in universal format is in the default mesh because it
// names none. On Kubernetes, resources in that mesh usually name none.
func omitsMesh(doc map[string]any, r kuma.Resource) bool {
	_, kubernetes := doc["apiVersion"]
	_, given := doc["mesh"]
	return r.Mesh != "" && !kubernetes && !given
}

func (r *Reader) find(name string) (def.Kind, bool) {
	find := r.Find
	if find == nil {
		find = kinds.Find
	}
	k, ok := find(name)
	if !ok {
		k.Name = name
	}
	return k, ok
}

func (r *Reader) form(name string) kuma.Form {
	k, _ := r.find(name)
	return k.Form()
}

// kindName returns the kind of a document; empty when it does not have one, or
// it is not known yet.
func kindName(doc map[string]any) string {
	field := "type"
	if _, ok := doc["apiVersion"]; ok {
		field = "kind"
	}
	return tree.Text(doc[field])
}

// identified reports whether the identity and the labels of a resource are
// known.
func identified(doc map[string]any) bool {
	for _, field := range []string{"type", "kind", "apiVersion", "metadata", "name", "mesh", "labels"} {
		if !tree.FullyKnown(doc[field]) {
			return false
		}
	}
	return true
}
