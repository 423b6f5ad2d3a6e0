// Command docsgen writes what the documentation is made of beside the examples and
// the templates that people write: the schema of the provider, and the lists in
// the guides that follow from the code. It runs in the root of the module.
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
	for file, guide := range guides {
		text, err := guide(root)
		if err != nil {
			return err
		}
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// guides are the guides that are written in part, by file. A guide is read from
// the root of the module and returned as it should be.
var guides = map[string]func(root fs.FS) ([]byte, error){
	lintGuideFile:  lintGuide,
	kuma3GuideFile: kuma3Guide,
}
