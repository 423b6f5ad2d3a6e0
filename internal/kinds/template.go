package kinds

import (
	"fmt"
	"io"
	"text/template"

	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// parseTemplate reads a Go template with the functions that control planes
// offer.
func parseTemplate(text string) (*template.Template, error) {
	return template.New("").Funcs(template.FuncMap{
		"label": func(string) string { return "label" },
	}).Parse(text)
}

func unusableTemplate(n spec.Node, err error) spec.Problem {
	return n.Problem("The template cannot be used", fmt.Sprintf("The template cannot be read: %s. Correct it, or write plain text.", err))
}

// templateFields checks that a template uses no other fields than a control
// plane offers, because it cannot be rendered then.
func templateFields(names ...string) spec.Check {
	fields, written := map[string]string{}, []string{"label"}
	for _, name := range names {
		fields[name] = name
		written = append(written, "."+name)
	}
	return spec.Check{Test: func(n spec.Node) []spec.Problem {
		text, _ := n.Text()
		t, err := parseTemplate(text)
		if err != nil {
			return nil // the control plane says so itself
		}
		if err := t.Option("missingkey=error").Execute(io.Discard, fields); err != nil {
			return []spec.Problem{n.Problem("The template cannot be rendered", fmt.Sprintf("Rendering it fails: %s. It can use %s.", err, spec.And(written...)))}
		}
		return nil
	}}
}
