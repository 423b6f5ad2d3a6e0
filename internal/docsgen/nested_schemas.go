package main

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// shorten rewrites the pages that tfplugindocs wrote into a directory, so that none repeats
// what it, or the page of the same resource, already says.
func shorten(docs string) error {
	files, err := filepath.Glob(filepath.Join(docs, "*", "*.md"))
	if err != nil || len(files) == 0 {
		return errors.Join(err, errors.New("there are no pages in "+docs))
	}
	pages := map[string]schemaPage{}
	for _, file := range append(files, filepath.Join(docs, "index.md")) {
		if filepath.Base(filepath.Dir(file)) == "guides" {
			continue
		}
		text, err := os.ReadFile(file) //nolint:gosec // a page that was just written
		if err != nil {
			return err
		}
		pages[file] = parsePage(string(text))
	}
	linked := map[string]bool{} // anchors of nested schemas, by file
	for file, p := range pages {
		resource := filepath.Join(docs, "resources", filepath.Base(file))
		if r, ok := pages[resource]; ok && resource != file {
			p.linkTo(path.Join("..", "resources", filepath.Base(file)), r)
			pages[file] = p
			for _, l := range linkToResource.FindAllStringSubmatch(p.String(), -1) {
				linked[resource+l[1]] = true
			}
		}
	}
	for file, p := range pages {
		p.mergeEqual()
		p.shortenCommonBlocks()
		p.inlineSmall(func(anchor string) bool { return linked[file+"#"+anchor] })
		if err := os.WriteFile(file, []byte(concise(p.String())), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// A schemaPage is a page with descriptions of nested blocks or attributes.
type schemaPage struct {
	before string
	nested []nestedSchema
	after  string
}

// A nestedSchema describes the blocks or attributes at one or more paths.
type nestedSchema struct {
	anchors, paths []string
	body           string
}

var (
	nestedHeading  = regexp.MustCompile("(?m)^<a id=\"(nested(?:block|att)--[^\"]+)\"></a>\n### Nested Schema for `([^`\n]+)`\n")
	endOfNested    = regexp.MustCompile(`(?m)^(?:## |<!-- )`)
	linkToNested   = regexp.MustCompile(`\(see \[below for nested schema\]\(#([^)]+)\)\)`)
	linkToResource = regexp.MustCompile(`\(see \[the resource\]\([^#)]+(#[^)]+)\)\)`)
	listItem       = regexp.MustCompile("(?m)^- `([^`]+)` \\([^)]*\\)(.*)$")
)

func parsePage(text string) schemaPage {
	headings := nestedHeading.FindAllStringSubmatchIndex(text, -1)
	if len(headings) == 0 {
		return schemaPage{before: text}
	}
	p := schemaPage{before: text[:headings[0][0]]}
	for i, h := range headings {
		end := len(text)
		if i+1 < len(headings) {
			end = headings[i+1][0]
		} else if next := endOfNested.FindStringIndex(text[h[1]:]); next != nil {
			end = h[1] + next[0]
			p.after = text[end:]
		}
		p.nested = append(p.nested, nestedSchema{
			anchors: []string{text[h[2]:h[3]]},
			paths:   []string{text[h[4]:h[5]]},
			body:    strings.TrimSpace(text[h[1]:end]),
		})
	}
	return p
}

func (p *schemaPage) String() string {
	alike := map[string]bool{}
	for _, n := range p.nested {
		for _, dotted := range n.paths[:len(n.paths)-1] {
			alike[dotted] = true
		}
	}
	var b strings.Builder
	b.WriteString(p.before)
	for i, n := range p.nested {
		if i > 0 {
			b.WriteString("\n")
		}
		for _, a := range n.anchors {
			b.WriteString("<a id=\"" + a + "\"></a>\n")
		}
		// The heading of what contains them names the others.
		paths := slices.DeleteFunc(slices.Clone(n.paths), func(dotted string) bool { return isIn(dotted, alike) })
		b.WriteString("### Nested Schema for " + phrase.And(phrase.Code(paths)...) + "\n\n" + n.body + "\n")
	}
	if p.after != "" {
		b.WriteString("\n" + p.after)
	}
	return b.String()
}

// isIn reports whether one of the objects that contain a path is among others.
func isIn(dotted string, others map[string]bool) bool {
	for i, c := range dotted {
		if c == '.' && others[dotted[:i]] {
			return true
		}
	}
	return false
}

// mergeEqual leaves one of the nested schemas that are equal, with all that is nested in
// them.
func (p *schemaPage) mergeEqual() {
	byAnchor := p.byAnchor()
	first := map[string]int{}
	var kept []nestedSchema
	for _, n := range p.nested {
		whole := wholeText(n, byAnchor)
		if i, ok := first[whole]; ok {
			kept[i].anchors = append(kept[i].anchors, n.anchors...)
			kept[i].paths = append(kept[i].paths, n.paths...)
			continue
		}
		first[whole] = len(kept)
		kept = append(kept, n)
	}
	p.nested = kept
}

// linkTo removes the nested schemas that the page of a resource contains, and links to it.
func (p *schemaPage) linkTo(file string, resource schemaPage) {
	byPath := map[string]nestedSchema{}
	for _, n := range resource.nested {
		byPath[n.paths[0]] = n
	}
	byAnchor := p.byAnchor()
	kept := map[string]bool{}
	link := func(text string) string {
		return linkToNested.ReplaceAllStringFunc(text, func(match string) string {
			anchor := linkToNested.FindStringSubmatch(match)[1]
			n := byAnchor[anchor]
			if contains(byPath, n, byAnchor) {
				return "(see [the resource](" + file + "#" + byPath[n.paths[0]].anchors[0] + "))"
			}
			kept[anchor] = true
			return match
		})
	}
	p.before = link(p.before)
	var nested []nestedSchema
	for _, n := range p.nested { // what contains others comes first
		if kept[n.anchors[0]] {
			n.body = link(n.body)
			nested = append(nested, n)
		}
	}
	p.nested = nested
}

// contains reports whether the nested schemas of a resource say everything that the nested
// schema of a data source says.
func contains(resource map[string]nestedSchema, n nestedSchema, byAnchor map[string]nestedSchema) bool {
	r, ok := resource[n.paths[0]]
	if !ok {
		return false
	}
	described := map[string]string{}
	for _, item := range listItem.FindAllStringSubmatch(r.body, -1) {
		described[item[1]] = item[2]
	}
	for _, item := range listItem.FindAllStringSubmatch(n.body, -1) {
		doc, ok := described[item[1]]
		if !ok || !strings.Contains(doc, strings.TrimSpace(linkToNested.ReplaceAllString(item[2], ""))) {
			return false
		}
	}
	for _, l := range linkToNested.FindAllStringSubmatch(n.body, -1) {
		if !contains(resource, byAnchor[l[1]], byAnchor) {
			return false
		}
	}
	return true
}

func (p *schemaPage) byAnchor() map[string]nestedSchema {
	m := map[string]nestedSchema{}
	for _, n := range p.nested {
		m[n.anchors[0]] = n
	}
	return m
}

// wholeText returns the text of a nested schema with, instead of links, the text that they
// lead to.
func wholeText(n nestedSchema, byAnchor map[string]nestedSchema) string {
	return linkToNested.ReplaceAllStringFunc(n.body, func(match string) string {
		return "(" + wholeText(byAnchor[linkToNested.FindStringSubmatch(match)[1]], byAnchor) + ")"
	})
}

// showRequired marks the blocks and attributes of a resource that validation
// requires, so that pages list them under "Required". The schema for Terraform
// cannot require them, so only their descriptions say so.
func showRequired(b *tfjson.SchemaBlock, o def.Object) {
	for _, f := range o {
		name := tfschema.AttributeName(f.Name)
		if a, ok := b.Attributes[name]; ok {
			if doc, found := tfschema.TrimRequired(a.Description); found {
				a.Description, a.Required, a.Optional = doc, true, false
			}
		}
		n, ok := b.NestedBlocks[name]
		if !ok {
			continue
		}
		showRequired(n.Block, def.ObjectOf(f.Type))
		if doc, found := tfschema.TrimRequired(n.Block.Description); found {
			n.Block.Description, n.MinItems = doc, 1
		}
	}
}
