// Command docsgen generates the inputs of the documentation that are not
// written by hand: the schema of the provider, the templates of the pages of
// resources and data sources, the lists in guides that are derived from the
// code, and the inputs and outputs of example modules. With the argument
// shorten, it removes repetitions from the pages that tfplugindocs wrote. It
// runs in the root of the module.
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
)

const (
	schemaFile   = ".build/schema.json"
	templatesDir = ".build/templates"
)

func main() {
	var err error
	if len(os.Args) == 2 && os.Args[1] == "shorten" {
		err = shorten("docs")
	} else {
		err = write(context.Background(), os.DirFS("."))
	}
	if err != nil {
		log.Fatal(err)
	}
}

func write(ctx context.Context, root fs.FS) error {
	schema, err := readSchema(ctx)
	if err != nil {
		return err
	}
	text, err := schemaJSON(schema)
	if err != nil {
		return err
	}
	if err := os.WriteFile(schemaFile, text, 0o600); err != nil {
		return err
	}
	pages, err := generatedPages(root)
	if err != nil {
		return err
	}
	for file, text := range pages {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return err
		}
	}
	return writeTemplates(root, schema)
}

// writeTemplates copies the templates and the guides that have none, which tfplugindocs
// copies back, and adds the templates of pages that are derived from the code.
func writeTemplates(root fs.FS, provider *tfjson.ProviderSchema) error {
	if err := os.RemoveAll(templatesDir); err != nil {
		return err
	}
	written, err := fs.Sub(root, "templates")
	if err != nil {
		return err
	}
	if err := os.CopyFS(templatesDir, written); err != nil {
		return err
	}
	templates, err := untemplatedGuides(root)
	if err != nil {
		return err
	}
	for category, blocks := range map[string]map[string]*tfjson.Schema{
		"resources":           provider.ResourceSchemas,
		"data-sources":        provider.DataSourceSchemas,
		"ephemeral-resources": provider.EphemeralResourceSchemas,
	} {
		pages, err := pageTemplates(root, category, blocks)
		if err != nil {
			return err
		}
		maps.Copy(templates, pages)
	}
	for file, text := range templates {
		file = filepath.Join(templatesDir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
			return err
		}
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// untemplatedGuides returns the guides in docs/guides without a template, by file below the
// directory of templates.
func untemplatedGuides(root fs.FS) (map[string][]byte, error) {
	files, err := fs.Glob(root, "docs/guides/*.md")
	if err != nil {
		return nil, err
	}
	guides := map[string][]byte{}
	for _, file := range files {
		guide := strings.TrimPrefix(file, "docs/")
		if _, err := fs.Stat(root, "templates/"+guide+".tmpl"); err == nil {
			continue
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if guides[guide], err = fs.ReadFile(root, file); err != nil {
			return nil, err
		}
	}
	return guides, nil
}

// replaceSection returns the page of a file with the text between the comments that
// begin and end a section replaced.
func replaceSection(page []byte, file, section, text string) ([]byte, error) {
	begin, end := "<!-- begin "+section+" -->\n", "<!-- end "+section+" -->\n"
	before, rest, _ := strings.Cut(string(page), begin)
	_, after, found := strings.Cut(rest, end)
	if !found {
		return nil, fmt.Errorf("%s has no section for %s", file, section)
	}
	return []byte(before + begin + text + end + after), nil
}

// generatedPages returns the pages with generated parts, by file. They are read
// from the root of the module and returned with current content.
func generatedPages(root fs.FS) (map[string][]byte, error) {
	generators := map[string]func(root fs.FS, file string) ([]byte, error){
		lintGuideFile:  lintGuide,
		kuma3GuideFile: kuma3Guide,
	}
	for _, g := range lint.Groups() {
		generators[path.Join(guidesDir, g.Page+".md")] = lintPage(g)
	}
	for _, g := range lint.Kuma3Groups() {
		generators[path.Join(guidesDir, g.Page+".md")] = kuma3Page(g)
	}
	readmes, err := fs.Glob(root, moduleReadmes)
	if err != nil {
		return nil, err
	}
	for _, file := range readmes {
		generators[file] = moduleReadme
	}
	pages := map[string][]byte{}
	for file, generate := range generators {
		if pages[file], err = generate(root, file); err != nil {
			return nil, err
		}
	}
	return pages, nil
}
