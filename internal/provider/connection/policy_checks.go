package connection

import (
	"context"
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// PolicyChecks is the severity of problems that a document has only according to
// Kuma's design.
type PolicyChecks string

// The values of the argument `policy_checks`.
const (
	ChecksError   PolicyChecks = "error"
	ChecksWarning PolicyChecks = "warning"
	ChecksOff     PolicyChecks = "off"
)

// apply sets the severity of the design problems of a document, or removes them. The mesh
// is the zero value if it is not known.
func (c PolicyChecks) apply(k def.Kind, doc map[string]any, mesh kuma.Resource, r kuma.Release) []def.Problem {
	if c == ChecksOff {
		return nil
	}
	problems := k.ValidateDesign(doc, r)
	if mesh.Name != "" {
		problems = append(problems, k.ValidateInMesh(doc, mesh, r)...)
	}
	for i := range problems {
		problems[i].Warning = problems[i].Warning || c == ChecksWarning
	}
	return problems
}

// Problems returns the problems of a document that is to be written to this control
// plane. create is true if the resource does not exist yet.
func (c *Connection) Problems(ctx context.Context, k def.Kind, doc map[string]any, create bool) []def.Problem {
	problems := c.Store.Problems(k, doc)
	design := c.Checks.apply(k, doc, c.meshOf(ctx, k, doc), c.Capabilities().ControlPlane.Release)
	problems = append(problems, slices.DeleteFunc(design, func(p def.Problem) bool { // the control plane reports the place itself
		return slices.ContainsFunc(problems, func(other def.Problem) bool { return tree.ComparePaths(other.Path, p.Path) == 0 })
	})...)
	if name := tree.Root(doc).Get("name"); c.LongestName > 0 && len(tree.Text(name.Value())) > c.LongestName {
		problems = append(problems, def.ErrorAt(name, "Name too long for a file",
			fmt.Sprintf("The name is part of a file name of the embedded control plane, and must have at most %d characters.", c.LongestName)))
	}
	if create {
		problems = append(problems, k.ValidateCreation(doc)...)
	}
	return problems
}

// meshOf returns the mesh of a planned document, as this plan or else the control plane
// has it; the zero value if that is not known. It records a planned mesh.
func (c *Connection) meshOf(ctx context.Context, k def.Kind, doc map[string]any) kuma.Resource {
	if k.Contains {
		c.Run.RecordMesh(kuma.Resource{Type: k.Name, Name: tree.Text(doc["name"]), Body: doc})
	}
	name := tree.Text(doc["mesh"])
	if k.InMesh == nil || name == "" {
		return kuma.Resource{}
	}
	if planned, ok := c.Run.PlannedMesh(name); ok {
		return planned
	}
	stored, err := c.Store.Resources(kinds.Mesh).Get(ctx, kuma.MeshKey(name))
	if err != nil {
		return kuma.Resource{} // the creation reports it
	}
	return stored
}
