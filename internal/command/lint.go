package command

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// severities of findings, worst first.
var severities = []string{"error", "warning", "info"}

// report is the result of lint.
type report struct {
	command, mesh, version string
	failing                []string // severities
	documents              *documents
	findings               []finding
}

// finding is an element of the findings of the function.
type finding struct {
	code, severity, resource, path, message string
	file                                    string
	line                                    int
}

func runLint(_ context.Context, version string, arguments []string, s streams) (int, error) {
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
	mesh, docs, err := o.meshAt(paths[0], s, lint.Kinds())
	if err != nil {
		return 0, err
	}
	found := answer.OfLint(mesh, *kuma3, func(lint.Finding) bool { return false }, true)
	r := report{command: "lint", mesh: mesh.Name, version: version, failing: severities[:slices.Index(severities, *failOn)+1], documents: docs}
	r.read(found.Findings)
	write := func(w io.Writer) error { return o.write(w, found, found.Summary) }
	switch o.format {
	case "sarif":
		write = r.writeSARIF
	case "junit":
		write = r.writeJUnit
	}
	if slices.ContainsFunc(r.findings, r.fails) {
		return exitNegative, write(s.out)
	}
	return exitOK, write(s.out)
}

func (r *report) read(findings []answer.Finding) {
	for _, f := range findings {
		key := kuma.Key{Type: f.Type, Mesh: r.mesh, Name: f.Name}
		if k, ok := kinds.Find(key.Type); ok && k.Form().Global {
			key.Mesh = ""
		}
		one := finding{code: f.Code, severity: f.Severity, resource: key.Type + "/" + key.Name, path: f.Path, message: strings.TrimSpace(f.Message + " " + f.Suggestion)}
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
