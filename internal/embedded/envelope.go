package embedded

import (
	"fmt"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// checkURL checks that the envelope of a document matches its URL and the control
// plane.
func (i item) checkURL(doc map[string]any) []def.Problem {
	root := tree.Root(doc)
	problems := i.sameAsURL(root.Get("name"), i.name)
	if i.kind.Proto() {
		problems = append(problems, i.sameAsURL(root.Get("type"), i.kind.Name)...)
	}
	if i.kind.Scope == def.InMesh {
		problems = append(problems, i.sameAsURL(root.Get("mesh"), i.mesh)...)
	}
	return append(problems, i.kind.ValidateLabels(doc, i.controlPlane)...)
}

func (i item) sameAsURL(n tree.Node, want string) []def.Problem {
	got, _ := n.Text()
	if got == want {
		return nil
	}
	p := def.ErrorAt(n, "", fmt.Sprintf("the document has %[2]q, but the URL has %[1]q: they must be equal", want, got))
	p.Stage = def.Envelope
	return []def.Problem{p}
}

// immutableLabels compares the stored labels with those that replace them.
func immutableLabels(old, stored kuma.Resource) []violation {
	var changed []violation
	for _, key := range kuma.ImmutableLabels() {
		was, set := old.Labels[key]
		is, kept := stored.Labels[key]
		if !set || kept && is == was {
			continue
		}
		reason := fmt.Sprintf("the label cannot be changed from %q to %q: delete the resource first", was, is)
		if !kept {
			reason = fmt.Sprintf("the label cannot be removed: send %q again, or delete the resource first", was)
		}
		changed = append(changed, violation{Field: fieldPath(tree.Path{"labels", key}), Reason: reason})
	}
	return changed
}

// checkEnvelope checks the fields that all kinds share.
func (i item) checkEnvelope(doc map[string]any) []def.Problem {
	newer := !i.kind.Proto()
	envelope := def.Object{
		{Name: "type", Type: def.String, Required: newer},
		{Name: "name", Type: def.String, Required: newer},
		{Name: "mesh", Type: def.String},
		{Name: "labels", Type: def.StringMap{}},
		{Name: "creationTime", Type: def.String, Checks: def.Checks(dateTime)},
		{Name: "modificationTime", Type: def.String, Checks: def.Checks(dateTime)},
		{Name: "kri", Type: def.String},
	}
	if newer {
		envelope[0].OneOf = []string{i.kind.Name}
	}
	if i.kind.Status {
		envelope = append(envelope, def.Field{Name: "status", Type: def.Object{}})
	}
	return envelope.Validate(doc, i.kind.Proto())
}

var dateTime = def.Check{Test: func(n tree.Node) []def.Problem {
	text, _ := n.Text()
	if _, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return nil
	}
	p := def.ErrorAt(n, "Invalid time", fmt.Sprintf("%q is not a valid time. Use a time such as 2006-01-02T15:04:05Z.", text))
	p.Stage = def.Schema
	return []def.Problem{p}
}}
