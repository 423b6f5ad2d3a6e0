package kinds

import (
	"fmt"
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
