package command

import (
	"encoding/xml"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma3"
)

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
			rules = append(rules, map[string]any{"id": f.code, "shortDescription": map[string]any{"text": titles[f.code]}, "helpUri": helpOf(f.code)})
		}
		location := map[string]any{"logicalLocations": []any{map[string]any{"fullyQualifiedName": f.String()}}}
		if f.file != "" && f.file != stdin {
			uri := url.URL{Path: filepath.ToSlash(f.file)}
			location["physicalLocation"] = map[string]any{
				"artifactLocation": map[string]any{"uri": uri.String()}, "region": map[string]any{"startLine": f.line},
			}
		}
		results = append(results, map[string]any{
			"ruleId": f.code, "level": levels[f.severity], "message": map[string]any{"text": f.String() + ": " + f.message}, "locations": []any{location},
		})
	}
	tool := map[string]any{"driver": map[string]any{"name": "terraform-provider-kuma", "version": r.version, "informationUri": project, "rules": rules}}
	return writeJSON(w, map[string]any{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": []any{map[string]any{"tool": tool, "results": results}},
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
