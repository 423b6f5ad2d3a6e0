package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"text/template"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma3"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

// oldestRelease is the oldest release of Kuma that the provider supports.
const oldestRelease = "2.9"

// page is the data of the template of a page, in addition to that of
// tfplugindocs.
type page struct {
	File     string    // of the page
	IsKind   bool      // whether it is about a kind
	Use      string    // when to use the kind
	Facts    []fact    // about the kind
	Examples []example // all but the first one
}

type fact struct{ Name, Text string }

type example struct{ Title, Text, Code string }

// pageTemplates returns the templates of the pages of a category, such as resources,
// by file below the directory of templates. Each is the common template after its
// actions between [[ and ]] are executed; tfplugindocs executes the others.
func pageTemplates(root fs.FS, category string, blocks map[string]*tfjson.Schema) (map[string][]byte, error) {
	source, err := fs.ReadFile(root, "templates/"+category+".md.tmpl")
	if err != nil {
		return nil, err
	}
	common, err := template.New(category).Delims("[[", "]]").Parse(string(source))
	if err != nil {
		return nil, err
	}
	byPage, err := tasks(root)
	if err != nil {
		return nil, err
	}
	templates := map[string][]byte{}
	for name := range blocks {
		file := strings.TrimPrefix(name, "kuma_") + ".md"
		p := page{File: file}
		if k, ok := tfvalue.ResourceTypes()[name]; ok {
			p.IsKind, p.Use, p.Facts = true, k.Use, facts(k.Kind)
		}
		if links := byPage[path.Join(category, file)]; len(links) > 0 {
			p.Facts = append(p.Facts, fact{"Tasks", strings.Join(links, ", ") + "."})
		}
		if p.Examples, err = furtherExamples(root, path.Join("examples", category, name)); err != nil {
			return nil, err
		}
		var b bytes.Buffer
		if err := common.Execute(&b, p); err != nil {
			return nil, err
		}
		templates[path.Join(category, file+".tmpl")] = b.Bytes()
	}
	return templates, nil
}

var (
	pageTitle  = regexp.MustCompile(`(?m)^page_title: "(.+)"$`)
	linkToPage = regexp.MustCompile(`\]\(\.\./([a-z-]+/[a-z_]+\.md)\)`)
)

// tasks returns links to the guides of tasks, by the pages that these link to.
func tasks(root fs.FS) (map[string][]string, error) {
	files, err := fs.Glob(root, "templates/guides/*.tmpl")
	if err != nil {
		return nil, err
	}
	byPage := map[string][]string{}
	for _, file := range files {
		source, err := fs.ReadFile(root, file)
		if err != nil {
			return nil, err
		}
		title := pageTitle.FindSubmatch(source)
		if title == nil || !bytes.Contains(source, []byte("\nsubcategory: \"Tasks\"\n")) {
			continue
		}
		link := fmt.Sprintf("[%s](../guides/%s)", title[1], strings.TrimSuffix(path.Base(file), ".tmpl"))
		for _, target := range linkToPage.FindAllSubmatch(source, -1) {
			if page := string(target[1]); !slices.Contains(byPage[page], link) {
				byPage[page] = append(byPage[page], link)
			}
		}
	}
	return byPage, nil
}

var (
	// leadingComment are the lines of a comment at the beginning of a file.
	leadingComment = regexp.MustCompile(`^(?:#[^\n]*\n)+\n*`)
	commentMark    = regexp.MustCompile(`(?m)^# ?`)
)

// furtherExamples returns the examples in a directory that have a topic in their
// name, such as resource-deny.tf. The comment at the beginning of the file
// introduces the example.
func furtherExamples(root fs.FS, dir string) ([]example, error) {
	files, err := fs.Glob(root, dir+"/*-*.tf")
	if err != nil {
		return nil, err
	}
	first, err := firstExample(root, dir)
	if err != nil {
		return nil, err
	}
	var examples []example
	for _, file := range files {
		topic, found := topicOf(path.Base(file))
		if !found {
			continue
		}
		source, err := fs.ReadFile(root, file)
		if err != nil {
			return nil, err
		}
		lead := leadingComment.FindString(string(source))
		if lead == "" {
			return nil, fmt.Errorf("%s does not begin with a comment about the example", file)
		}
		examples = append(examples, example{
			Title: titleOf(topic),
			Text:  literal(commentMark.ReplaceAllString(lead, "")),
			Code:  literal(withoutBlocksOf(first, string(source)[len(lead):])),
		})
	}
	return examples, nil
}

// firstExample returns the example in a directory that has no topic.
func firstExample(root fs.FS, dir string) (string, error) {
	for _, name := range []string{"resource.tf", "data-source.tf"} {
		source, err := fs.ReadFile(root, path.Join(dir, name))
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return string(source), err
		}
	}
	return "", nil
}

// sharedResource is a resource in an example.
var sharedResource = regexp.MustCompile(`(?ms)^resource "\w+" "\w+" \{\n.*?^\}\n\n?`)

// withoutBlocksOf returns an example without the resources that another example on the same
// page contains.
func withoutBlocksOf(first, source string) string {
	source = sharedResource.ReplaceAllStringFunc(source, func(block string) string {
		if !strings.Contains(first, strings.TrimRight(block, "\n")+"\n") {
			return block
		}
		return ""
	})
	return strings.TrimLeft(source, "\n")
}

// topicOf returns the topic in the name of an example, such as own-ca in
// resource-own-ca.tf.
func topicOf(file string) (topic string, found bool) {
	for _, kind := range []string{"ephemeral-resource-", "data-source-", "resource-"} {
		if topic, found := strings.CutPrefix(strings.TrimSuffix(file, ".tf"), kind); found {
			return topic, true
		}
	}
	return "", false
}

// literal escapes text so that tfplugindocs does not execute actions in it.
func literal(text string) string {
	return strings.ReplaceAll(strings.TrimSpace(text), "{{", `{{ "{{" }}`)
}

// acronyms are words of topics that are not written in lowercase.
var acronyms = map[string]string{
	"tcp": "TCP", "tls": "TLS", "mtls": "Mutual TLS", "ca": "CA", "spire": "SPIRE", "http": "HTTP",
	"kafka": "Kafka", "prometheus": "Prometheus", "kuma": "Kuma", "api": "API",
}

// titleOf returns a topic as a heading: "own-ca" as "Own CA".
func titleOf(topic string) string {
	words := strings.Split(topic, "-")
	for i, w := range words {
		if a, ok := acronyms[w]; ok {
			words[i] = a
		}
	}
	words[0] = strings.ToUpper(words[0][:1]) + words[0][1:]
	return strings.Join(words, " ")
}

// facts returns the facts that the declaration of a kind contains.
func facts(k def.Kind) []fact {
	all := []fact{
		{"Kuma documentation", documentation(k)},
		{"Releases", releases(k)},
		{"Control planes", controlPlanes(k)},
		{"Set by the control plane", setByControlPlane(k)},
		{"Several policies", severalPolicies(k)},
		{"Kuma 3.0", inKuma3(k)},
	}
	return slices.DeleteFunc(all, func(f fact) bool { return f.Text == "" })
}

// severalPolicies links to what several policies of a kind mean for a proxy.
func severalPolicies(k def.Kind) string {
	if k.Policy == nil {
		return ""
	}
	return "[How policies combine](../guides/how-policies-combine.md)."
}

func documentation(k def.Kind) string {
	const root = "https://kuma.io/docs/latest/"
	if page := k.DocumentationPage(); page != "" {
		return fmt.Sprintf("[%s](%s%s/)", k.Name, root, page)
	}
	return "[kuma.io](" + root + ")"
}

func releases(k def.Kind) string {
	if k.Since == "" {
		return "Kuma " + oldestRelease + " and later."
	}
	return "Kuma " + k.Since + " and later."
}

func controlPlanes(k def.Kind) string {
	switch {
	case k.ZoneOwned == kuma.Always() && k.GlobalOwned:
		return "Zone and global."
	case k.ZoneOwned == kuma.Always():
		return "Zone only."
	default:
		return "Global, or a zone without a global one."
	}
}

// setByControlPlane lists what a control plane adds to resources of the kind besides
// labels, and the resources of the kind that it creates.
func setByControlPlane(k def.Kind) string {
	var sentences []string
	if fields := serverOwned(k.Fields); len(fields) > 0 {
		sentences = append(sentences, phrase.And(phrase.Code(fields)...)+".")
	}
	var names []string
	for _, i := range k.Initial {
		if !i.Preview {
			names = append(names, strings.ReplaceAll(i.Name, "%s", "MESH"))
		}
	}
	switch {
	case len(names) > 0 && k.Scope == def.InMesh:
		sentences = append(sentences, "Kuma 2 creates "+phrase.And(phrase.Code(names)...)+
			" with a mesh, unless its `skip_creating_initial_policies` lists the kind.")
	case len(names) > 0:
		ofZone := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !strings.HasPrefix(name, "local-") })
		sentences = append(sentences, "A zone control plane creates "+phrase.And(phrase.Code(ofZone)...)+
			", a global one others whose names begin with `synced-`.")
	}
	return strings.Join(sentences, " ")
}

// serverOwned returns the attributes and blocks that a control plane updates.
func serverOwned(o def.Object) []string {
	var names []string
	for _, f := range o {
		name := tfschema.AttributeName(f.Name)
		if f.ServerOwned {
			names = append(names, name)
			continue
		}
		for _, n := range serverOwned(def.ObjectOf(f.Type)) {
			names = append(names, name+"."+n)
		}
	}
	return names
}

// inKuma3 describes whether Kuma 3.0 still has the kind, and what changes.
func inKuma3(k def.Kind) string {
	changes := false
	for _, c := range kuma3.Conditions() {
		for _, p := range c.Paths {
			if p.Kind == k.Name && p.Path == "" && c.When == nil {
				page, anchor, _ := strings.Cut(lint.PageOf(c.ID), "#")
				return fmt.Sprintf("%s %s ([%s](../guides/%s.md#%s))", c.Doc, c.Suggestion(), c.ID, page, anchor)
			}
			changes = changes || p.Kind == k.Name && !strings.HasPrefix(p.Path, "labels") // which all kinds have
		}
	}
	if !changes {
		return "No changes known."
	}
	return "[Changes](../guides/kuma-3-findings.md)."
}
