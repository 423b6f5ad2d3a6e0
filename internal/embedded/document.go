package embedded

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// object is a JSON object with ordered fields.
type object []field

type field struct {
	name  string
	value any
}

// MarshalJSON writes the fields in order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// encodeDocument returns the response to a GET of r: the envelope in the order of the
// contract, then the body.
func encodeDocument(k def.Kind, r kuma.Resource) object {
	o := object{{"type", r.Type}}
	if r.Mesh != "" {
		o = append(o, field{"mesh", r.Mesh})
	}
	o = append(o,
		field{"name", r.Name},
		field{"creationTime", stamp(r.CreationTime)},
		field{"modificationTime", stamp(r.ModificationTime)})
	if len(r.Labels) > 0 {
		o = append(o, field{"labels", r.Labels})
	}
	if kri := k.KRI(r); kri != "" {
		o = append(o, field{"kri", kri})
	}
	for _, name := range slices.Sorted(maps.Keys(r.Body)) {
		o = append(o, field{name, r.Body[name]})
	}
	if k.Status {
		o = append(o, field{"status", struct{}{}})
	}
	return o
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

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
