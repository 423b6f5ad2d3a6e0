package embedded

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// receive reads the document of a PUT. It fails with the problems of the first stage
// that has any; it returns warnings, and problems that depend on other resources.
func (i item) receive(body io.Reader) (kuma.Resource, []def.Problem, error) {
	data, err := io.ReadAll(body)
	if err != nil {
		return kuma.Resource{}, nil, fmt.Errorf("read the request: %w", err)
	}
	doc, err := i.decode(data)
	if err != nil {
		return kuma.Resource{}, nil, badRequest(fmt.Sprintf("invalid %s object: %q", i.kind.Name, err.Error()))
	}
	problems := slices.Concat(i.checkEnvelope(doc), i.validate(doc), i.checkURL(doc))
	if err := i.refusal(problems); err != nil {
		return kuma.Resource{}, nil, err
	}
	r, err := kuma.FromDocument(doc, func(string) kuma.Form { return i.kind.Form() })
	return r, problems, err
}

// decode returns the document without the fields that its format ignores.
func (i item) decode(data []byte) (map[string]any, error) {
	v, err := tree.DecodeJSON(data)
	if err != nil {
		return nil, err
	}
	doc, ok := v.(map[string]any)
	if !ok && (v != nil || !i.kind.Proto()) {
		return nil, fmt.Errorf("the document must be a JSON object")
	}
	if doc == nil {
		doc = map[string]any{}
	}
	delete(doc, "apiVersion") // not a field of this format
	if i.kind.Scope == def.Global {
		delete(doc, "mesh")
	}
	if i.kind.Proto() {
		nullIsAbsent(doc)
		i.kind.DropUnsupported(doc, i.controlPlane.Release)
	}
	if _, ok := doc["mesh"]; !ok && i.kind.Scope == def.InMesh && !i.kind.Proto() {
		doc["mesh"] = kuma.DefaultMesh
	}
	return doc, nil
}

func nullIsAbsent(doc map[string]any) {
	maps.DeleteFunc(doc, func(_ string, v any) bool { return v == nil })
	labels := tree.Object(doc["labels"])
	for key, v := range labels {
		if v == nil {
			labels[key] = ""
		}
	}
}

// validate checks a document as the release of the control plane does. Since Kuma 3.0, that
// includes unknown fields of newer kinds (release3.md §2).
func (i item) validate(doc map[string]any) []def.Problem {
	problems := i.kind.ValidateIn(doc, i.controlPlane.Release)
	if i.kind.Proto() || !i.controlPlane.Release.Kuma3() {
		return problems
	}
	for n, p := range problems {
		if p.Topic == def.Unsupported {
			problems[n].Stage = def.Schema // which does not have it
		}
	}
	for _, p := range i.kind.UnknownFields(kuma.Resource{Body: map[string]any{"spec": doc["spec"]}}) {
		p.Stage, p.Detail = def.Schema, "unknown field"
		problems = append(problems, p)
	}
	return problems
}

// refusal selects the problems to report, nil if none of them is reported at this
// stage.
func (i item) refusal(problems []def.Problem) error {
	problems = def.Errors(problems)
	first := def.Objects
	for _, p := range problems {
		first = min(first, p.Stage)
	}
	if first == def.Objects {
		return nil
	}
	problems = slices.DeleteFunc(problems, func(p def.Problem) bool { return p.Stage != first })
	if first == def.Decode {
		p := problems[0]
		return badRequest(fmt.Sprintf("invalid %s object: %q", i.kind.Name, p.Path.String()+": "+reason(p)))
	}
	return invalid("", violations(problems)...)
}
