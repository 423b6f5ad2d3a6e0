package command

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/functions"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// severities of findings, worst first.
var severities = []string{"error", "warning", "info"}

// report is the result of lint.
type report struct {
	mesh, version string
	failing       []string // severities
	documents     *documents
	findings      []finding
}

// finding is an element of the findings of the function.
type finding struct {
	code, severity, resource, path, message string
	file                                    string
	line                                    int
}

func runLint(ctx context.Context, version string, arguments []string, s streams) (int, error) {
	o := newOptions("lint", "PATH", s, "sarif", "junit")
	kuma3 := o.Bool("kuma3", false, "also find what breaks or changes in Kuma 3.0")
	failOn := o.String("fail-on", "error", "the least `severity` of findings for exit code 1: error, warning, info or never")
	paths, err := o.parse(arguments, 1)
	if err != nil {
		return 0, err
	}
	if *failOn != "never" && !slices.Contains(severities, *failOn) {
		return 0, o.wrong("%q is not a severity. Valid values: %s.", *failOn, phrase.Or(append(slices.Clone(severities), "never")...))
	}
	docs, err := s.read(paths[0])
	if err != nil {
		return 0, err
	}
	mesh, err := o.meshOf(docs)
	if err != nil {
		return 0, err
	}
	given := o.given()
	given["kuma3"] = *kuma3
	result, err := functions.Call(ctx, "mesh_lint", docs.texts, mesh, given)
	if err != nil {
		return 0, err
	}
	r := report{mesh: mesh, version: version, failing: severities[:slices.Index(severities, *failOn)+1], documents: docs}
	r.read(result)
	write := map[string]func(io.Writer) error{"json": func(w io.Writer) error { return writeJSON(w, result) }, "sarif": r.writeSARIF, "junit": r.writeJUnit, "text": func(w io.Writer) error {
		_, err := io.WriteString(w, text(result, "summary"))
		return err
	}}[o.format]
	if slices.ContainsFunc(r.findings, r.fails) {
		return exitNegative, write(s.out)
	}
	return exitOK, write(s.out)
}

func (r *report) read(result map[string]any) {
	for _, f := range tree.Root(result).Get("findings").Items() {
		get := func(name string) string { s, _ := f.Get(name).Text(); return s }
		key := kuma.Key{Type: get("type"), Mesh: r.mesh, Name: get("name")}
		if k, ok := kinds.Find(key.Type); ok && k.Form().Global {
			key.Mesh = ""
		}
		one := finding{code: get("code"), severity: get("severity"), resource: key.Type + "/" + key.Name, path: get("path"), message: get("message")}
		if do := get("suggestion"); do != "" {
			one.message += " " + do
		}
		one.file, one.line = r.documents.place(key, one.path)
		r.findings = append(r.findings, one)
	}
}

// fails reports whether a finding is severe enough for exit code 1.
func (r *report) fails(f finding) bool { return slices.Contains(r.failing, f.severity) }

// String describes where a finding is.
func (f finding) String() string {
	if f.path == "" {
		return f.resource
	}
	return fmt.Sprintf("%s %s", f.resource, f.path)
}
