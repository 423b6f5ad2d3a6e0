package testworld

import (
	_ "embed"
	"fmt"
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
	return OldStyleOf(tb, mesh, 12)
}

// OldStyleOf returns such a mesh with a number of services, each with six policies and two
// Dataplanes.
func OldStyleOf(tb testing.TB, mesh string, n int) string {
	tb.Helper()
	names := strings.Fields("cart catalog checkout orders payments stock search users reviews shipping invoices mail")
	teams := strings.Fields("shop back shop front money back shop back front shop money front")
	var services, owners []string
	for i := range n {
		name := names[i%len(names)]
		if i >= len(names) {
			name = fmt.Sprintf("%s-%d", name, i/len(names))
		}
		services, owners = append(services, name), append(owners, teams[i%len(teams)])
	}
	data := map[string]any{"Mesh": mesh, "Services": services, "Teams": owners}
	funcs := template.FuncMap{
		"add": func(a, b int) int { return a + b }, "div": func(a, b int) int { return a / b },
		"mod": func(a, b int) int { return a % b },
	}
	var b strings.Builder
	if err := template.Must(template.New("").Funcs(funcs).Parse(oldStyle)).Execute(&b, data); err != nil {
		tb.Fatal(err)
	}
	return b.String()
}
