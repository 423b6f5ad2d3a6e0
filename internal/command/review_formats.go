package command

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfplan"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Limits of texts. JSON contains everything.
const (
	maxListed   = 50
	maxMarkdown = 60_000 // GitHub takes 65,536 characters, and GitLab more
)

// write writes the review in a format, without sensitive values.
func (r *review) write(o *options) error {
	switch o.format {
	case "json":
		return writeJSON(o.out, r.mask.hideIn(tree.Of(r.result())))
	case "html":
		p, err := ofReview(r)
		if err != nil {
			return err
		}
		return p.write(o.out)
	case "sarif":
		return r.report(o.version).writeSARIF(o.out)
	case "junit":
		return r.report(o.version).writeJUnit(o.out)
	}
	text := r.text()
	if o.format == "markdown" {
		text = r.markdown()
	}
	return writeText(o.out, r.mask.hide(text))
}

// decision is the first line.
func (r *review) decision() (word, sentence string) {
	refused, unknown := r.refused()
	switch {
	case len(refused) > 0:
		return "refused", "Refused: " + countEffects(refused) + "."
	case len(unknown) > 0:
		return "undecided", fmt.Sprintf("Not decided: the effect of %s is not known before the apply.",
			phrase.Count(len(unknown), "resource", "resources"))
	case r.plan.RefreshOnly:
		return "accepted", "The plan only updates the state: it changes no resource of Kuma."
	case r.writes() == 0:
		return "accepted", "The plan changes no resource of Kuma."
	case len(r.failOn) == 0:
		return "accepted", "Accepted: -fail-on refuses nothing."
	default:
		return "accepted", fmt.Sprintf("Accepted: no finding has an effect of -fail-on (%s).",
			strings.Join(phrase.Each(r.failOn, func(e answer.Effect) string { return string(e) }), ","))
	}
}

// countEffects counts findings by effect, such as "2 access-lost and 1 error".
func countEffects(findings []answer.ReviewFinding) string {
	var parts []string
	for _, e := range answer.Effects() {
		n := 0
		for _, f := range findings {
			if f.Effect == e {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, e))
		}
	}
	return phrase.And(parts...)
}

// introduction says what is compared.
func (r *review) introduction() string {
	counts := map[tfplan.Action]int{}
	for _, c := range r.changes {
		counts[c.Action]++
	}
	var parts []string
	for _, a := range []struct {
		tfplan.Action
		verb string
	}{
		{tfplan.Create, "creates"},
		{tfplan.Update, "updates"},
		{tfplan.Replace, "replaces"},
		{tfplan.Delete, "deletes"},
		{tfplan.Forget, "forgets"},
	} {
		if n := counts[a.Action]; n > 0 {
			parts = append(parts, a.verb+" "+phrase.Count(n, "resource", "resources"))
		}
	}
	text := "Compared with " + phrase.Printable(r.compared) + ".\n"
	if parts != nil {
		text = fmt.Sprintf("The plan of %s %s of Kuma. %s", phrase.Printable(r.plan.Program), phrase.And(parts...), text)
	}
	if r.plan.Partial {
		text += "The plan does not cover the whole configuration, because of -target or of deferred changes.\n"
	}
	for _, note := range r.notes {
		text += "Note: " + phrase.Printable(note) + "\n"
	}
	return text
}

var symbols = map[tfplan.Action]string{
	tfplan.Create: "+", tfplan.Update: "~", tfplan.Replace: "-/+", tfplan.Delete: "-",
	tfplan.Forget: ".",
}

// shown returns the changes without the resources for which the plan does nothing.
func (r *review) shown() []tfplan.Change {
	return slices.DeleteFunc(slices.Clone(r.changes),
		func(c tfplan.Change) bool { return c.Action == tfplan.NoOp && !c.Imported && c.Moved == "" })
}

// resourceLines lists the resources that the plan changes, with their addresses.
func (r *review) resourceLines() string {
	var lines []string
	for _, c := range r.shown() {
		line := fmt.Sprintf("  %3s %s", symbols[c.Action], phrase.Printable(c.Address))
		if key, known := keyOf(c); known {
			line += " (" + phrase.Printable(key.Local()) + ")"
		}
		if c.Imported {
			line += ", imported"
		}
		if c.Moved != "" {
			line += ", moved from " + phrase.Printable(c.Moved)
		}
		if c.Action == tfplan.Forget {
			line += ", stays on the control plane"
		}
		lines = append(lines, line)
	}
	if n := len(lines); n > maxListed+1 {
		lines = append(lines[:maxListed], "      "+phrase.More(n-maxListed, "resources"))
	}
	return ended(strings.Join(lines, "\n"))
}

func keyOf(c tfplan.Change) (kuma.Key, bool) {
	if key, known := tfplan.Key(c.After); known {
		return key, true
	}
	return tfplan.Key(c.Before)
}

// address returns the address of a resource in the plan, empty if the plan does not manage it.
func (r *review) address(mesh string, f answer.ReviewFinding) string {
	for _, c := range r.changes {
		if key, known := keyOf(c); known && key.Type == f.Type && key.Name == f.Name && (key.Mesh == mesh || key.Mesh == "") {
			return c.Address
		}
	}
	return ""
}

// findingLines describes findings, with the addresses of the resources and, if asked, the identifiers.
func (r *review) findingLines(findings []answer.ReviewFinding, ids bool) string {
	var b strings.Builder
	for i, f := range findings {
		if i == maxListed {
			fmt.Fprintf(&b, "  %s\n", phrase.More(len(findings)-i, "findings"))
			break
		}
		head := string(f.Effect)
		if f.Code != "" {
			head += " " + f.Code
		}
		if f.Type != "" {
			head += fmt.Sprintf(": %s %q", f.Type, f.Name)
		}
		if f.Path != "" {
			head += ", " + f.Path
		}
		fmt.Fprintf(&b, "%s\n  %s\n", phrase.Printable(head), phrase.Printable(f.Message))
		if f.Suggestion != "" {
			fmt.Fprintf(&b, "  %s\n", phrase.Printable(f.Suggestion))
		}
		if address := r.address(meshOfID(f.ID), f); address != "" {
			fmt.Fprintf(&b, "  Resource: %s\n", phrase.Printable(address))
		}
		if ids {
			fmt.Fprintf(&b, "  id: %s\n", f.ID)
		}
	}
	return b.String()
}

// meshOfID returns the mesh of a finding.
func meshOfID(id string) string {
	_, rest, _ := strings.Cut(id, "/")
	mesh, _, _ := strings.Cut(rest, "/")
	return mesh
}

// moreFindings are those that neither the impact describes nor the refused ones contain.
func (r *review) moreFindings(m answer.Review) []answer.ReviewFinding {
	refused, _ := r.refused()
	return slices.DeleteFunc(slices.Clone(m.Findings), func(f answer.ReviewFinding) bool {
		return f.Code == "" && f.Effect != answer.MeshDeleted || contains(refused, f)
	})
}

func contains(findings []answer.ReviewFinding, f answer.ReviewFinding) bool {
	return slices.ContainsFunc(findings, func(o answer.ReviewFinding) bool { return o.ID == f.ID })
}

// sections returns the parts of the review under their titles, the decision first.
func (r *review) sections() (sections []section) {
	refused, unknown := r.refused()
	if len(refused)+len(unknown) > 0 {
		sections = append(sections, section{"Refused or not decided", r.findingLines(append(refused, unknown...), true), true})
	}
	if lines := r.resourceLines(); lines != "" {
		sections = append(sections, section{"Resources", lines, false})
	}
	for _, m := range r.meshes {
		headline, rest, _ := strings.Cut(m.Impact.Summary, "\n")
		sections = append(sections, section{strings.TrimSuffix(headline, "."), strings.TrimLeft(rest, "\n"), false})
		if findings := r.moreFindings(m); len(findings) > 0 {
			sections = append(sections, section{
				fmt.Sprintf("New findings in mesh %s", phrase.Printable(m.Mesh)), r.findingLines(findings, false),
				false,
			})
		}
	}
	var agreed []string
	for _, f := range r.findings() {
		if reason, ok := r.allowed[f.ID]; ok {
			agreed = append(agreed, fmt.Sprintf("%s\n  %s\n  Reason: %s", f.ID, phrase.Printable(f.Message), phrase.Printable(reason)))
		}
	}
	if agreed != nil {
		sections = append(sections, section{"Allowed by -allow", strings.Join(agreed, "\n") + "\n", false})
	}
	return sections
}

// section is a part of a review. An open one is not folded.
type section struct {
	title, text string
	open        bool
}

func (r *review) text() string {
	_, decision := r.decision()
	var b strings.Builder
	b.WriteString(decision + "\n" + r.introduction())
	for _, s := range r.sections() {
		fmt.Fprintf(&b, "\n%s\n%s\n%s", s.title, strings.Repeat("-", len([]rune(s.title))), s.text)
	}
	return b.String()
}

// markdown is the text as a comment of a pull request. Everything that may come from the plan is in
// fences, which it cannot end.
func (r *review) markdown() string {
	_, decision := r.decision()
	text := fmt.Sprintf("### Kuma: %s\n\n%s\n", decision, fenced(r.introduction()))
	for _, s := range r.sections() {
		left := maxMarkdown - len(text)
		body := s.text
		if len(body) > left {
			body = strings.ToValidUTF8(body[:max(0, left)], "") + "\n… shortened"
		}
		if s.open {
			text += fmt.Sprintf("\n%s\n", fenced(body))
		} else {
			text += fmt.Sprintf("\n<details><summary>%s</summary>\n\n%s\n</details>\n", inHTML.Replace(s.title), fenced(body))
		}
	}
	return text
}

var inHTML = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "@", "&#64;", "`", "&#96;", "[", "&#91;", "*", "&#42;", "_",
	"&#95;")

var backticks = regexp.MustCompile("`+")

// fenced quotes a text so that nothing in it ends the quotation.
func fenced(text string) string {
	fence := "```"
	for _, run := range backticks.FindAllString(text, -1) {
		if len(run) >= len(fence) {
			fence = run + "`"
		}
	}
	return fence + "text\n" + ended(text) + fence
}

// reviewResult is the review as JSON.
type reviewResult struct {
	FormatVersion string          `json:"format_version"`
	Decision      string          `json:"decision"`
	Message       string          `json:"message"`
	ComparedWith  string          `json:"compared_with"`
	Program       string          `json:"program"`
	Partial       bool            `json:"partial"`
	Notes         []string        `json:"notes"`
	FailOn        []answer.Effect `json:"fail_on"`
	Changes       []changeResult  `json:"changes"`
	Findings      []findingResult `json:"findings"`
	Meshes        []meshResult    `json:"meshes"`
}

type changeResult struct {
	Address  string        `json:"address"`
	Action   tfplan.Action `json:"action"`
	Type     string        `json:"type"`
	Mesh     string        `json:"mesh"`
	Name     string        `json:"name"`
	Imported bool          `json:"imported"`
	Moved    string        `json:"moved_from"`
}

type findingResult struct {
	answer.ReviewFinding
	Mesh          string `json:"mesh"`
	Address       string `json:"address"`
	Refused       bool   `json:"refused"`
	AllowedReason string `json:"allowed_reason"`
}

type meshResult struct {
	Mesh   string        `json:"mesh"`
	Impact answer.Impact `json:"impact"`
}

// formatVersion of the JSON grows in its minor part when something is added, and in its major part
// when something changes or goes.
const formatVersion = "1.0"

func (r *review) result() reviewResult {
	out := reviewResult{
		FormatVersion: formatVersion, ComparedWith: r.compared, Program: r.plan.Program, Partial: r.plan.Partial,
		Notes: r.notes, FailOn: r.failOn, Findings: r.results(),
	}
	out.Decision, out.Message = r.decision()
	for _, c := range r.shown() {
		key, _ := keyOf(c)
		out.Changes = append(out.Changes, changeResult{c.Address, c.Action, key.Type, key.Mesh, key.Name, c.Imported, c.Moved})
	}
	for _, m := range r.meshes {
		out.Meshes = append(out.Meshes, meshResult{m.Mesh, m.Impact})
	}
	return out
}

func (r *review) results() (out []findingResult) {
	refused, unknown := r.refused()
	refused = append(refused, unknown...)
	for _, f := range r.findings() {
		mesh := meshOfID(f.ID)
		out = append(out, findingResult{f, mesh, r.address(mesh, f), contains(refused, f), r.allowed[f.ID]})
	}
	return out
}

// report returns the findings as those of the linter, for its formats: what is refused is an error.
func (r *review) report(version string) *report {
	out := &report{
		command: "review", version: version, failing: severities[:1],
		meshes: phrase.Each(r.meshes, func(m answer.Review) string { return m.Mesh }),
	}
	for _, f := range r.results() {
		severity := "warning"
		switch {
		case f.Refused:
			severity = "error"
		case f.Effect == answer.NewInfo || f.Effect == answer.SettingsChanged:
			severity = "info"
		}
		out.findings = append(out.findings, finding{
			code: cmp.Or(f.Code, string(f.Effect)), severity: severity, path: r.mask.hide(f.Path),
			message:  r.mask.hide(phrase.Paragraph(f.Message, f.Suggestion)),
			resource: cmp.Or(f.Address, f.Type+"/"+f.Name),
		})
	}
	return out
}
