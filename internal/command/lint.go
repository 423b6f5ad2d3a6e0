package command

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma3"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// severities of findings, worst first.
var severities = []string{"error", "warning", "info"}

// report is the result of lint.
type report struct {
	command, version string
	meshes           []string
	failing          []string // severities
	findings         []finding
}

// finding is an element of the findings of the function.
type finding struct {
	code, severity, resource, path, message string
	file                                    string
	line                                    int
}

// Findings about documents, which the functions report as errors.
const (
	invalidDocument   = "invalid-document"
	duplicateDocument = "duplicate-document"
)

func runLint(ctx context.Context, arguments []string, s streams) (int, error) {
	o := newOptions("lint", "[PATH]", s, "sarif", "junit")
	withKuma3 := o.Bool("kuma3", false, "also find what breaks or changes in Kuma 3.0")
	failOn := o.String("fail-on", "error", "the least `severity` of findings for exit code 1: error, warning, info or never")
	from := o.source()
	paths, err := o.parse(arguments, 0, 1)
	if err != nil {
		return 0, err
	}
	if *failOn != "never" && !slices.Contains(severities, *failOn) {
		return 0, o.wrong("%q is not a severity. Valid values: %s.", *failOn, phrase.Or(append(slices.Clone(severities), "never")...))
	}
	r := report{command: "lint", version: s.version, failing: severities[:slices.Index(severities, *failOn)+1]}
	var all answers
	from.read = func(path string, of []def.Kind) (*documents, error) {
		docs, err := s.read(path, of)
		if err == nil {
			r.readDocuments(docs)
		}
		return docs, err
	}
	meshes, err := from.meshes(ctx, paths, lint.Kinds())
	if err != nil {
		return 0, err
	}
	for _, mesh := range meshes {
		found := answer.OfLint(mesh.Mesh, *withKuma3, nil, true)
		r.meshes = append(r.meshes, mesh.Name)
		r.read(mesh, found.Findings)
		all.add(mesh.Name, found, found.Summary)
	}
	if len(meshes) == 0 { // no document is valid
		all.add("", answer.Lint{Counts: map[string]int{}, CountsPerCode: map[string]int{}}, "")
	}
	all.negative = slices.ContainsFunc(r.findings, r.fails)
	switch o.format {
	case "sarif":
		err = r.writeSARIF(s.out)
	case "junit":
		err = r.writeJUnit(s.out)
	default:
		r.addDocuments(&all)
		return all.write(o, s.out)
	}
	if all.negative {
		return exitNegative, err
	}
	return exitOK, err
}

// readDocuments adds the findings about documents themselves.
func (r *report) readDocuments(docs *documents) {
	for _, p := range docs.problems {
		f := finding{code: invalidDocument, severity: "error", resource: p.fileError.path, path: p.path, message: phrase.Sentence(p.error) +
			p.consequence(), file: p.fileError.path, line: docs.placeOf(p)}
		if p.key != (kuma.Key{}) {
			f.resource = p.key.Type + "/" + p.key.Name
		}
		r.findings = append(r.findings, f)
	}
	for _, again := range docs.again {
		f := finding{
			code: duplicateDocument, severity: "warning", resource: again.key.Type + "/" + again.key.Name,
			message: phrase.Sentence(errors.New(again.String())),
		}
		f.file, f.line = docs.place(again.key, "")
		r.findings = append(r.findings, f)
	}
}

// addDocuments adds the findings about documents to the answers about the meshes.
func (r *report) addDocuments(to *answers) {
	var b strings.Builder
	for i, f := range r.findings {
		if f.code != invalidDocument && f.code != duplicateDocument {
			break
		}
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s %s: %s:%d\n  %s\n", f.severity, f.code, phrase.Printable(f.file), f.line, phrase.Printable(f.message))
		if found, ok := to.results[0].(answer.Lint); ok {
			found.Findings = slices.Insert(found.Findings, i,
				answer.Finding{Code: f.code, Severity: f.severity, Path: f.path, Name: f.file, Message: f.message})
			found.Counts[f.severity]++
			found.CountsPerCode[f.code]++
			to.results[0] = found
		}
	}
	if b.Len() > 0 {
		to.texts = append([]string{b.String()}, to.texts...)
	}
}

func (r *report) read(mesh analyzed, findings []answer.Finding) {
	for _, f := range findings {
		key := kuma.Key{Type: f.Type, Mesh: mesh.Name, Name: f.Name}
		if k, ok := kinds.Find(key.Type); ok && k.Form().Global {
			key.Mesh = ""
		}
		one := finding{
			code: f.Code, severity: f.Severity, resource: key.Type + "/" + key.Name, path: f.Path,
			message: strings.TrimSpace(f.Message + " " + f.Suggestion),
		}
		if mesh.documents != nil {
			one.file, one.line = mesh.documents.place(key, one.path)
		}
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

const (
	project = "https://github.com/kuma-universal/terraform-provider-kuma"
	// guides is where the pages are that describe the codes.
	guides = "https://registry.terraform.io/providers/kuma-universal/kuma/latest/docs/guides/"
)

// writeSARIF writes findings in the format of code scanning, SARIF 2.1.0.
func (r *report) writeSARIF(w io.Writer) error {
	levels := map[string]string{"error": "error", "warning": "warning", "info": "note"}
	titles := map[string]string{}
	for _, c := range lint.Codes() {
		titles[c.Code] = c.Title
	}
	for _, c := range kuma3.Conditions() {
		titles[c.ID] = c.Doc
	}
	titles[invalidDocument], titles[duplicateDocument] = "Invalid document", "Resource in several documents"
	for _, e := range answer.Effects() {
		titles[string(e)] = "Effect of a plan: " + string(e)
	}
	rules, results := []any{}, []any{}
	var known []string
	for _, f := range r.findings {
		if !slices.Contains(known, f.code) {
			known = append(known, f.code)
			rules = append(rules, map[string]any{
				"id": f.code, "shortDescription": map[string]any{"text": titles[f.code]},
				"helpUri": helpOf(f.code),
			})
		}
		location := map[string]any{"logicalLocations": []any{map[string]any{"fullyQualifiedName": f.String()}}}
		if f.file != "" && f.file != stdin {
			uri := url.URL{Path: filepath.ToSlash(f.file)}
			location["physicalLocation"] = map[string]any{
				"artifactLocation": map[string]any{"uri": uri.String()}, "region": map[string]any{"startLine": f.line},
			}
		}
		results = append(results, map[string]any{
			"ruleId": f.code, "level": levels[f.severity], "message": map[string]any{"text": f.String() + ": " + f.message},
			"locations": []any{location},
		})
	}
	tool := map[string]any{"driver": map[string]any{
		"name": "terraform-provider-kuma", "version": r.version, "informationUri": project,
		"rules": rules,
	}}
	return writeJSON(w, map[string]any{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
		"runs": []any{map[string]any{"tool": tool, "results": results}},
	})
}

// helpOf returns the address of the description of a code.
func helpOf(code string) string {
	switch page := lint.PageOf(code); {
	case page != "":
		return guides + page
	case code == invalidDocument || code == duplicateDocument:
		return guides + "command-line#find-errors"
	default:
		return guides + "preview-a-change"
	}
}

// These are elements of a JUnit report.
type (
	testSuite struct {
		XMLName  xml.Name   `xml:"testsuite"`
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Skipped  int        `xml:"skipped,attr"`
		Cases    []testCase `xml:"testcase"`
	}
	testCase struct {
		Class   string   `xml:"classname,attr"`
		Name    string   `xml:"name,attr"`
		File    string   `xml:"file,attr,omitempty"`
		Failure *outcome `xml:"failure,omitempty"`
		Skipped *outcome `xml:"skipped,omitempty"`
	}
	outcome struct {
		Message string `xml:"message,attr"`
	}
)

// writeJUnit writes findings as test cases: failures, or skipped if they are not severe
// enough. Without findings, there is one test case that passes.
func (r *report) writeJUnit(w io.Writer) error {
	suite := testSuite{Name: r.command + " " + strings.Join(r.meshes, ", "), Tests: max(1, len(r.findings))}
	for _, f := range r.findings {
		c := testCase{Class: f.resource, Name: f.code, File: f.file}
		if f.path != "" {
			c.Name += " " + f.path
		}
		if r.fails(f) {
			c.Failure = &outcome{f.message}
			suite.Failures++
		} else {
			c.Skipped = &outcome{f.message}
			suite.Skipped++
		}
		suite.Cases = append(suite.Cases, c)
	}
	if suite.Cases == nil {
		suite.Cases = []testCase{{Class: strings.Join(r.meshes, ", "), Name: "no findings"}}
	}
	document, err := xml.MarshalIndent(suite, "", "  ")
	if err != nil {
		return err
	}
	return writeVisible(w, xml.Header+string(document)+"\n", func(r rune) string { return fmt.Sprintf("&#x%X;", r) })
}
