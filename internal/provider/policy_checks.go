package provider

import (
	"context"
	"fmt"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// policyChecks is the severity of problems that a document has only according to
// Kuma's design.
type policyChecks string

const (
	checksError   policyChecks = "error"
	checksWarning policyChecks = "warning"
	checksOff     policyChecks = "off"
)

// apply sets the severity of the design problems of a document, or removes them. The mesh
// is the zero value if it is not known.
func (c policyChecks) apply(k def.Kind, doc map[string]any, mesh kuma.Resource) []def.Problem {
	if c == checksOff {
		return nil
	}
	problems := k.ValidateDesign(doc)
	if mesh.Name != "" {
		problems = append(problems, k.ValidateInMesh(doc, mesh)...)
	}
	for i := range problems {
		problems[i].Warning = problems[i].Warning || c == checksWarning
	}
	return problems
}

// problems returns the problems of a document that is to be written to this control
// plane. create is true if the resource does not exist yet.
func (c *connection) problems(ctx context.Context, k def.Kind, doc map[string]any, create bool) []def.Problem {
	problems := append(c.store.Problems(k, doc), c.checks.apply(k, doc, c.meshOf(ctx, k, doc))...)
	if name := tree.Root(doc).Get("name"); c.longestName > 0 && len(tree.Text(name.Value())) > c.longestName {
		problems = append(problems, def.ErrorAt(name, "Name too long for a file", fmt.Sprintf("The name is part of a file name of the embedded control plane, and must have at most %d characters.", c.longestName)))
	}
	if create {
		problems = append(problems, k.ValidateCreation(doc)...)
	}
	return problems
}

// meshOf returns the mesh of a planned document, as this plan or else the control plane
// has it; the zero value if that is not known. It records a planned mesh.
func (c *connection) meshOf(ctx context.Context, k def.Kind, doc map[string]any) kuma.Resource {
	if k.Name == kuma.KindMesh {
		c.run.recordMesh(kuma.Resource{Type: kuma.KindMesh, Name: tree.Text(doc["name"]), Body: doc})
	}
	name := tree.Text(doc["mesh"])
	if k.InMesh == nil || name == "" {
		return kuma.Resource{}
	}
	if planned, ok := c.run.plannedMesh(name); ok {
		return planned
	}
	stored, err := c.store.Resources(kinds.Mesh).Get(ctx, kuma.Key{Type: kuma.KindMesh, Name: name})
	if err != nil {
		return kuma.Resource{} // the creation reports it
	}
	return stored
}
