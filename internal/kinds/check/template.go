package check

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/template"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// ParseTemplate reads a Go template with the functions that control planes
// provide. It fails if the syntax is not valid, or if the template uses another
// function.
func ParseTemplate(text string) (*template.Template, error) {
	return template.New("").Funcs(template.FuncMap{
		TemplateLabel: func(string) string { return "label" },
	}).Parse(text)
}

// UnusableTemplate is the problem with a string that [ParseTemplate] cannot
// parse.
func UnusableTemplate(n tree.Node, err error) def.Problem {
	return def.ErrorAt(n, "Invalid template",
		fmt.Sprintf("The template cannot be parsed: %s. Use the syntax of Go templates, such as \"{{ .Mesh }}\".", cause(err)))
}

// UnrenderedTemplate is the problem with a template that uses something else than what is
// provided.
func UnrenderedTemplate(n tree.Node, err error, provided ...string) def.Problem {
	return def.ErrorAt(n, "Invalid template",
		fmt.Sprintf("The template cannot be rendered: %s. It can use %s.", cause(err), phrase.And(provided...)))
}

// cause returns the last part of an error of a template, without positions and Go types.
func cause(err error) string {
	text, _, _ := strings.Cut(err.Error(), " in type ")
	parts := strings.Split(text, ": ")
	return parts[len(parts)-1]
}

// TemplateLabel is the function of templates that returns the value of a label.
const TemplateLabel = "label"

// TemplateFields checks that a template uses only what a control plane provides, which
// are fields such as ".Mesh", and [TemplateLabel]. With others it cannot be rendered.
func TemplateFields(provided ...string) def.Check {
	fields := map[string]string{}
	for _, name := range provided {
		fields[strings.TrimPrefix(name, ".")] = name
	}
	return def.Check{Test: func(n tree.Node) []def.Problem {
		text, _ := n.Text()
		t, err := ParseTemplate(text)
		if err != nil {
			return nil // the control plane reports this itself
		}
		if fields[TemplateLabel] == "" {
			t.Funcs(template.FuncMap{TemplateLabel: func(string) (string, error) { return "", errors.New("labels are not available here") }})
		}
		if err := t.Option("missingkey=error").Execute(io.Discard, fields); err != nil {
			return []def.Problem{UnrenderedTemplate(n, err, provided...)}
		}
		return nil
	}}
}
