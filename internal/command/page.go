package command

import (
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/access"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// Parts of a page. It contains everything that it needs, and its policy allows nothing else.
var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
	//go:embed page.js
	pageJS string

	pageTemplate = template.Must(template.New("page").Parse(pageHTML))
)

// Limits of a page, which keep that of a large mesh below 10 MB.
const (
	maxPageRows    = 1000
	maxPageCells   = 200 // clients and ports of a matrix
	maxPageText    = 6 << 20
	namesInSummary = 6
)

// page is the data of the template.
type page struct {
	Title     string
	About     []string
	Decision  *pageDecision
	Resources []pageResource
	Meshes    []pageMesh

	hide func(string) string // sensitive values
	text int                 // bytes of explanations so far
}

type pageDecision struct {
	Class, Sentence string
	Findings        []findingResult
	Details         string
}

type pageResource struct{ Action, Address, Resource string }

type pageMesh struct {
	ID, Name        string
	Tiles           []pageTile
	Requests        []pageRequest
	Settings        []pageSetting
	SettingsLeftOut string
	FindingsTitle   string
	Findings        []pageFinding
	FindingsLeftOut string
	Matrix          *pageMatrix
	Groups          []pageGroup
}

type pageTile struct{ Number, Text string }

type pageRequest struct{ Call, Clients, Before, After string }

type pageSetting struct{ Setting, Before, BeforeBy, After, AfterBy, Proxies string }

type pageFinding struct{ Severity, Code, Link, Where, Message, Suggestion string }

type pageMatrix struct {
	ID, LeftOut string
	Compares    bool
	Clients     []string
	Rows        []pageRow
}

type pageRow struct {
	Port  string
	Cells []pageCell
}

type pageCell struct{ Class, Sign string }

type pageGroup struct{ Names, Count, Explanation string }

// write writes the page.
func (p *page) write(w io.Writer) error {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return pageTemplate.Execute(w, map[string]any{
		"Title": p.Title, "About": p.About, "Decision": p.Decision, "Resources": p.Resources, "Meshes": p.Meshes,
		"Style": template.CSS(pageCSS), "Script": template.JS(pageJS), //nolint:gosec // parts of the program
		"Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; style-src " + hash(pageCSS) + "; script-src " + hash(pageJS),
	})
}

// shown makes a text fit for a page: without sensitive values and control characters.
func (p *page) shown(text string) string {
	lines := strings.Split(p.hide(text), "\n")
	return strings.Join(phrase.Each(lines, phrase.Printable), "\n")
}

// line is [page.shown] of a text of one line.
func (p *page) line(text string) string { return phrase.Printable(p.hide(text)) }

// ofReview returns the page of a review.
func ofReview(r *review) (*page, error) {
	p := &page{Title: "Review of a plan", hide: r.mask.hide}
	for line := range strings.Lines(r.introduction()) {
		p.About = append(p.About, p.line(strings.TrimSpace(line)))
	}
	class, sentence := r.decision()
	p.Decision = &pageDecision{Class: class, Sentence: p.line(sentence)}
	for _, f := range r.results() {
		if f.Refused {
			f.Message, f.Suggestion, f.Address, f.ID = p.line(f.Message), p.line(f.Suggestion), p.line(f.Address), p.line(f.ID)
			p.Decision.Findings = append(p.Decision.Findings, f)
		}
	}
	for _, c := range r.shown() {
		key, _ := keyOf(c)
		p.Resources = append(p.Resources, pageResource{string(c.Action), p.line(c.Address), p.line(key.Local())})
	}
	for i, m := range r.meshes {
		mesh := p.mesh(i, m.Mesh)
		for _, f := range m.Findings {
			if f.Effect == answer.MeshDeleted {
				p.About = append(p.About, p.line(fmt.Sprintf("Mesh %s: %s", m.Mesh, f.Message)))
			}
		}
		mesh.addImpact(p, m.Impact)
		mesh.FindingsTitle = "New findings"
		for _, f := range m.Findings {
			if f.Code != "" {
				mesh.addFinding(p, answer.Finding{
					Code: f.Code, Severity: string(f.Effect), Type: f.Type, Name: f.Name, Path: f.Path,
					Message: f.Message, Suggestion: f.Suggestion,
				})
			}
		}
		sides := r.sides[i]
		if err := mesh.addMatrix(p, &sides.before, sides.after); err != nil {
			return nil, err
		}
		if err := mesh.addGroups(p, sides.after); err != nil {
			return nil, err
		}
		p.Meshes = append(p.Meshes, *mesh)
	}
	return p, nil
}

func (p *page) mesh(i int, name string) *pageMesh {
	return &pageMesh{ID: fmt.Sprintf("mesh-%d", i), Name: p.line(name)}
}

func (m *pageMesh) tile(number int, one, many string) {
	m.Tiles = append(m.Tiles, pageTile{fmt.Sprint(number), phrase.Form(number, one, many)})
}

func (m *pageMesh) addImpact(p *page, i answer.Impact) {
	changed, unchanged := len(i.DataplanesChanged), len(i.DataplanesUnchanged)
	m.Tiles = append(m.Tiles, pageTile{fmt.Sprintf("%d of %d", changed, changed+unchanged), "proxies change"})
	m.tile(i.Counts.Frozen, "proxy frozen", "proxies frozen")
	m.tile(i.Counts.AccessLost, "loss of access", "losses of access")
	m.tile(i.Counts.AccessGained, "gain of access", "gains of access")
	m.tile(i.Counts.RequestsChanged, "change of requests", "changes of requests")
	for _, c := range slices.Concat(i.AccessLost, i.AccessGained) {
		m.Requests = append(m.Requests, pageRequest{
			p.line(fmt.Sprintf("any call of %s:%d", c.Service, c.Port)),
			p.line(phrase.Some(c.Clients, namesInSummary, "clients")), c.Before, p.line(c.After + ": " + c.Reason),
		})
	}
	for _, c := range i.RequestsChanged {
		m.Requests = append(m.Requests,
			pageRequest{
				p.line(fmt.Sprintf("%s on %s:%d", phrase.Some(c.Requests, namesInSummary, "requests"), c.Service, c.Port)),
				p.line(phrase.Some(c.Dataplanes, namesInSummary, "dataplanes")), p.line(c.Before), p.line(c.After),
			})
	}
	by := func(e *answer.Entry) string {
		if e == nil {
			return ""
		}
		return p.line(fmt.Sprintf("%s [%d]", e.Name, e.RuleIndex))
	}
	for n, c := range i.Changes {
		if n == maxPageRows {
			m.SettingsLeftOut = phrase.More(len(i.Changes)-n, "settings") + ". The JSON of the review has all."
			break
		}
		m.Settings = append(m.Settings, pageSetting{
			p.line(plain(c.Setting)), p.line(plain(cmp.Or(c.Was, "unset"))), by(c.BeforeSetBy), p.line(plain(cmp.Or(c.Is, "unset"))),
			by(c.AfterSetBy), p.line(phrase.Some(c.Dataplanes, namesInSummary, "dataplanes")),
		})
	}
}

// plain removes the marks of code from words.
func plain(words string) string { return strings.ReplaceAll(words, "`", "") }

func (m *pageMesh) addFinding(p *page, f answer.Finding) {
	if len(m.Findings) == maxPageRows {
		m.FindingsLeftOut = "There are more findings. The JSON has all."
		return
	}
	where := fmt.Sprintf("%s %q", f.Type, f.Name)
	if f.Path != "" {
		where += ", " + f.Path
	}
	m.Findings = append(m.Findings, pageFinding{f.Severity, f.Code, helpOf(f.Code), p.line(where), p.line(f.Message), p.line(f.Suggestion)})
}

// cellsOf returns the signs of a matrix by port and client.
func cellsOf(m input.Mesh) (clients []string, ports []string, signs map[[2]string]string, err error) {
	if !m.Exists() {
		return nil, nil, nil, nil
	}
	found, err := answer.OfAccess(m, access.Filter{}, true)
	if err != nil {
		return nil, nil, nil, err
	}
	signs = map[[2]string]string{}
	for _, a := range found.Access {
		port, sign := fmt.Sprintf("%s:%d", a.Service, a.Port), "✗"
		switch {
		case a.Allowed && a.Reachable:
			sign = "✓"
		case a.Allowed:
			sign = "–"
		case a.Verdict == string(answer.Undecided):
			sign = "?"
		}
		if len(ports) == 0 || ports[len(ports)-1] != port { // they are sorted
			ports = append(ports, port)
		}
		for _, client := range a.Clients {
			signs[[2]string{port, client}] = sign
		}
	}
	for _, c := range found.Clients {
		clients = append(clients, c.Name)
	}
	return clients, ports, signs, nil
}

// addMatrix adds which clients may call which services, compared with another mesh if there is one.
func (m *pageMesh) addMatrix(p *page, before *input.Mesh, after input.Mesh) error {
	clients, ports, now, err := cellsOf(after)
	if err != nil {
		return err
	}
	was := now
	if before != nil {
		moreClients, morePorts, signs, err := cellsOf(*before)
		if err != nil {
			return err
		}
		was = signs
		clients, ports = union(clients, moreClients), union(ports, morePorts)
	}
	if len(clients)*len(ports) == 0 {
		return nil
	}
	matrix := &pageMatrix{ID: m.ID + "-access", Compares: before != nil}
	if len(clients) > maxPageCells || len(ports) > maxPageCells {
		matrix.LeftOut = fmt.Sprintf("The table has the first %d of %d clients and of %d ports.", maxPageCells, len(clients), len(ports))
		clients, ports = clients[:min(maxPageCells, len(clients))], ports[:min(maxPageCells, len(ports))]
	}
	matrix.Clients = phrase.Each(clients, p.line)
	for _, port := range ports {
		row := pageRow{Port: p.line(port)}
		for _, client := range clients {
			at := [2]string{port, client}
			row.Cells = append(row.Cells, cell(cmp.Or(was[at], "–"), cmp.Or(now[at], "–")))
		}
		matrix.Rows = append(matrix.Rows, row)
	}
	m.Matrix = matrix
	return nil
}

func cell(was, now string) pageCell {
	switch {
	case was == now && now == "✓":
		return pageCell{"yes", now}
	case was == now:
		return pageCell{"no", now}
	case now == "✓":
		return pageCell{"gained", was + "→" + now}
	default:
		return pageCell{"lost", was + "→" + now}
	}
}

func union(a, b []string) []string {
	for _, e := range b {
		if !slices.Contains(a, e) {
			a = append(a, e)
		}
	}
	return a
}

// addGroups adds what the proxies of a mesh get.
func (m *pageMesh) addGroups(p *page, mesh input.Mesh) error {
	if !mesh.Exists() {
		return nil
	}
	groups, err := answer.Explain(mesh)
	if err != nil {
		return err
	}
	for _, g := range groups {
		text := p.shown(g.Explanation)
		if p.text += len(text); p.text > maxPageText {
			text = "Left out, because the page would be too large. \"terraform-provider-kuma rules -dataplane " + p.line(g.Dataplanes[0]) +
				"\" shows it."
		}
		m.Groups = append(m.Groups, pageGroup{
			p.line(phrase.Some(g.Dataplanes, namesInSummary, "")),
			phrase.Count(len(g.Dataplanes), "proxy", "proxies"), text,
		})
	}
	return nil
}

// addMesh adds what the commands say about a mesh.
func (p *page) addMesh(mesh input.Mesh) error {
	found := answer.OfLint(mesh, false, nil, true)
	m := p.mesh(len(p.Meshes), mesh.Name)
	for _, severity := range severities {
		m.tile(found.Counts[severity], severity, severity+"s")
	}
	m.FindingsTitle = "Findings"
	for _, f := range found.Findings {
		m.addFinding(p, f)
	}
	if err := errors.Join(m.addMatrix(p, nil, mesh), m.addGroups(p, mesh)); err != nil {
		return err
	}
	p.Meshes = append(p.Meshes, *m)
	return nil
}

func unmasked(text string) string { return text }

// ofRequest returns the page of an answer about a request: the answer, and the mesh.
func ofRequest(mesh input.Mesh, found answer.Request) (*page, error) {
	p := &page{Title: "Answer about a request", hide: unmasked}
	question, details, _ := strings.Cut(strings.TrimSpace(found.Explanation), "\n")
	p.About = []string{p.line(question)}
	lines := strings.Split(details, "\n")
	last := len(lines) - 1
	class := "refused"
	switch {
	case found.Succeeds():
		class = "accepted"
	case found.Verdict == string(request.Unknown):
		class = "undecided"
	}
	p.Decision = &pageDecision{Class: class, Sentence: p.line(lines[last]), Details: p.shown(strings.Join(lines[:last], "\n"))}
	return p, p.addMesh(mesh)
}

// ofUpgrade returns the page about what is left to do before Kuma 3.0.
func ofUpgrade(ready bool, text string) *page {
	p := &page{Title: "Upgrade to Kuma 3.0", hide: unmasked}
	sentence, details, _ := strings.Cut(strings.TrimSpace(text), "\n")
	p.Decision = &pageDecision{Class: "refused", Sentence: p.line(sentence), Details: p.shown(strings.TrimSpace(details))}
	if ready {
		p.Decision.Class = "accepted"
	}
	return p
}

func runPage(ctx context.Context, arguments []string, s streams) (int, error) { //nolint:unparam // called like the others
	o := newOptions("page", "[PATH]", s)
	o.formats = []string{"html"}
	o.format = "html"
	from := o.source()
	paths, err := o.parse(arguments, 0, 1)
	if err != nil {
		return 0, err
	}
	meshes, err := from.meshes(ctx, paths, lint.Kinds())
	if err != nil {
		return 0, err
	}
	p := &page{Title: "Findings, access and settings", hide: unmasked}
	for _, mesh := range meshes {
		if err := p.addMesh(mesh.Mesh); err != nil {
			return 0, err
		}
	}
	return exitOK, p.write(s.out)
}
