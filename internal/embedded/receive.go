package embedded

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// receive reads the document of a PUT. It fails with the problems of the first
// stage that has any; left over are warnings and what needs a look at other
// objects.
func (i item) receive(body io.Reader) (mesh.Resource, []spec.Problem, error) {
	data, err := io.ReadAll(body)
	if err != nil {
		return mesh.Resource{}, nil, fmt.Errorf("read the request: %w", err)
	}
	doc, err := i.decode(data)
	if err != nil {
		return mesh.Resource{}, nil, badRequest(fmt.Sprintf("invalid %s object: %q", i.kind.Name, err.Error()))
	}
	problems := slices.Concat(i.shape(doc), i.kind.Validate(doc), i.agreement(doc))
	if err := i.refusal(problems); err != nil {
		return mesh.Resource{}, nil, err
	}
	r, err := mesh.FromDocument(doc, func(string) mesh.Form { return i.kind.Form() })
	return r, problems, err
}

// decode returns the document with what this kind of document does not look at
// taken out.
func (i item) decode(data []byte) (map[string]any, error) {
	v, err := mesh.DecodeJSON(data)
	if err != nil {
		return nil, err
	}
	doc, ok := v.(map[string]any)
	if !ok && (v != nil || !i.kind.Flat) {
		return nil, fmt.Errorf("the document must be a JSON object")
	}
	if doc == nil {
		doc = map[string]any{}
	}
	delete(doc, "apiVersion") // no member of this format
	if i.kind.Scope == spec.Global {
		delete(doc, "mesh")
	}
	if i.kind.Flat {
		nullIsAbsent(doc)
	}
	if _, ok := doc["mesh"]; !ok && i.kind.Scope == spec.InMesh && !i.kind.Flat {
		doc["mesh"] = mesh.DefaultMesh
	}
	return doc, nil
}

func nullIsAbsent(doc map[string]any) {
	for name, v := range doc {
		if v == nil {
			delete(doc, name)
		}
	}
	labels, _ := doc["labels"].(map[string]any)
	for key, v := range labels {
		if v == nil {
			labels[key] = ""
		}
	}
}

// refusal picks the problems to report, nil when none of them stands in the
// way yet.
func (i item) refusal(problems []spec.Problem) error {
	problems = spec.Errors(problems)
	first := spec.Objects
	for _, p := range problems {
		first = min(first, p.Stage)
	}
	if first == spec.Objects {
		return nil
	}
	problems = slices.DeleteFunc(problems, func(p spec.Problem) bool { return p.Stage != first })
	if first == spec.Decode {
		p := problems[0]
		return badRequest(fmt.Sprintf("invalid %s object: %q", i.kind.Name, p.Path.String()+": "+reason(p)))
	}
	return invalid("", violations(problems)...)
}

// shape checks the members that all kinds have.
func (i item) shape(doc map[string]any) []spec.Problem {
	newer := !i.kind.Flat
	envelope := spec.Object{
		{Name: "type", Type: spec.String, Required: newer},
		{Name: "name", Type: spec.String, Required: newer},
		{Name: "mesh", Type: spec.String},
		{Name: "labels", Type: spec.Map{Elem: spec.String}},
		{Name: "creationTime", Type: spec.String, Checks: spec.Checks(dateTime)},
		{Name: "modificationTime", Type: spec.String, Checks: spec.Checks(dateTime)},
		{Name: "kri", Type: spec.String},
	}
	if newer {
		envelope[0].OneOf = []string{i.kind.Name}
	}
	if i.kind.Status {
		envelope = append(envelope, spec.Field{Name: "status", Type: spec.Object{}})
	}
	return envelope.Validate(doc, i.kind.Flat)
}

var dateTime = spec.Check{Test: func(n spec.Node) []spec.Problem {
	text, _ := n.Text()
	if _, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return nil
	}
	p := n.Problem("Invalid time", fmt.Sprintf("%q is no time like 2006-01-02T15:04:05Z.", text))
	p.Stage = spec.Schema
	return []spec.Problem{p}
}}
