package document

import (
	"errors"
	"fmt"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// Result is what a [Reader] finds.
type Result struct {
	Documents []Document // those that identify a resource, including those with problems
	Problems  []Problem  // of all documents, in their order
	Count     int        // of documents, including those that cannot be read
	LeftOut   []kuma.Key // see [LeaveOut]
	Unknown   bool       // a document is missing, because its identity is not known yet
}

// Document is a resource with the description of its kind.
type Document struct {
	Kind      def.Kind // its name only when it is not described
	Described bool
	Resource  kuma.Resource
	Number    int  // in its stream, from 1; 0 if it was given decoded
	OmitsMesh bool // and is in the default mesh
}

// In returns an error if the document omits its mesh, and is read for another one than the default.
func (d Document) In(mesh string) error {
	if !d.OmitsMesh || mesh == kuma.DefaultMesh {
		return nil
	}
	return fmt.Errorf("%s does not have the field \"mesh\", so it is in mesh %q and does not affect mesh %q. Set \"mesh\" to one of them",
		d.Resource.Key().Local(), kuma.DefaultMesh, mesh)
}

// Stored returns the resource as a control plane of unknown mode and zone
// stores it; unchanged when its kind is not described.
func (d Document) Stored() kuma.Resource {
	if !d.Described {
		return d.Resource
	}
	return d.Kind.Store(d.Resource, def.StoreContext{})
}

// fail adds the problem that a document cannot be read.
func (r *Result) fail(number int, summary string, err error) {
	r.Problems = append(r.Problems, Problem{Problem: def.Problem{Summary: summary, Detail: phrase.Sentence(err)}, Number: number})
}

// Err returns the first problem that is not a warning, nil when there is none.
func (r Result) Err() error {
	for _, p := range r.Problems {
		if !p.Warning {
			return p
		}
	}
	return nil
}

// Ignored returns a sentence about each field that the kind of its document does not have, and
// that a control plane drops.
func (r Result) Ignored() []string {
	var texts []string
	for _, p := range r.Problems {
		if p.Warning && p.Topic == def.Unknown {
			p.Number = 0
			texts = append(texts, phrase.Sentence(p))
		}
	}
	return texts
}

// ErrUnknown reports that a plan does not know the identity of a resource yet.
var ErrUnknown = errors.New("the identity of the resource is not known yet")

// Only returns the one document of a result. It fails with the first problem,
// with [ErrUnknown], and when there is no document or more than one.
func (r Result) Only() (Document, error) {
	if r.Count != 1 {
		return Document{}, fmt.Errorf("exactly one document is required, got %d", r.Count)
	}
	if err := r.Err(); err != nil {
		return Document{}, err
	}
	if r.Unknown {
		return Document{}, ErrUnknown
	}
	if len(r.Documents) == 0 {
		return Document{}, errors.New("the document is ignored")
	}
	return r.Documents[0], nil
}
