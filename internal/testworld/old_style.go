package testworld

import (
	_ "embed"
	"strings"
	"testing"
	"text/template"
)

//go:embed old_style.yaml.tmpl
var oldStyle string

// OldStyle returns the documents of a mesh of more than 100 resources in the form of Kuma
// 2.14: with tags, names in references, `from`, gateways and settings of the Mesh.
func OldStyle(tb testing.TB, mesh string) string {
	tb.Helper()
	services := strings.Fields("cart catalog checkout orders payments stock search users reviews shipping invoices mail")
	teams := strings.Fields("shop back shop front money back shop back front shop money front")
	add := template.FuncMap{"add": func(a, b int) int { return a + b }}
	var b strings.Builder
	t := template.Must(template.New("").Funcs(add).Parse(oldStyle))
	if err := t.Execute(&b, map[string]any{"Mesh": mesh, "Services": services, "Teams": teams}); err != nil {
		tb.Fatal(err)
	}
	return b.String()
}
