// Command docsgen writes what the documentation is made of beside the examples and
// the templates that people write: the schema of the provider, the lists in the
// guides that follow from the code, and the inputs and outputs of example modules.
// It runs in the root of the module.
package main

import (
	"context"
	"io/fs"
	"log"
	"os"
)

const schemaFile = ".build/schema.json"

func main() {
	if err := write(context.Background(), os.DirFS(".")); err != nil {
		log.Fatal(err)
	}
}

func write(ctx context.Context, root fs.FS) error {
	schema, err := schemaJSON(ctx)
	if err != nil {
		return err
	}
	if err := os.WriteFile(schemaFile, schema, 0o600); err != nil {
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
	return nil
}

// generatedPages returns the pages that are written in part, by file. They are read
// from the root of the module and returned as they should be.
func generatedPages(root fs.FS) (map[string][]byte, error) {
	generators := map[string]func(root fs.FS, file string) ([]byte, error){
		lintGuideFile:  lintGuide,
		kuma3GuideFile: kuma3Guide,
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
