package main

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// settling is the time that a control plane needs to write values that it computes in
// the background: addresses, the state of services, the status of workloads.
const settling = 30 * time.Second

// recordExamples stores the documents of internal/kinds/testdata/catalog/examples,
// and reads them half a minute later.
func recordExamples(ctx context.Context, s *oracle.Site, dir string) error {
	files, err := glob(dir, "*.yaml")
	if err != nil {
		return err
	}
	// Dataplanes come last, because the control plane creates Workloads for them.
	slices.SortStableFunc(files, func(a, b string) int { return cmp.Compare(dataplanes(a), dataplanes(b)) })
	paths := map[string][]string{}
	for _, file := range files {
		documents, err := readDocuments(file)
		if err != nil {
			return err
		}
		var answers []any
		for _, document := range documents {
			path, err := oracle.DocumentPath(document)
			if err != nil {
				return err
			}
			got, err := s.PutDocument(ctx, document)
			if err != nil {
				return err
			}
			paths[file] = append(paths[file], path)
			answers = append(answers, object{"name": document["name"], "status": got.Status, "body": redact("", got.Body)})
		}
		if err := rewriteAnswer(strings.TrimSuffix(file, ".yaml")+".put.json", answers); err != nil {
			return err
		}
	}
	if err := oracle.Pause(ctx, settling); err != nil {
		return err
	}
	for _, file := range files {
		var stored []any
		for _, path := range paths[file] {
			got, err := s.Get(ctx, path)
			if err != nil {
				return err
			}
			stored = append(stored, redact("", got.Body))
		}
		if err := rewriteAnswer(strings.TrimSuffix(file, ".yaml")+".stored.json", stored); err != nil {
			return err
		}
	}
	return nil
}

// dataplanes is 1 for the file of the Dataplanes, and 0 for the others.
func dataplanes(file string) int {
	if filepath.Base(file) == kuma.KindDataplane+".yaml" {
		return 1
	}
	return 0
}

// recordInvalid sends the documents of internal/kinds/testdata/catalog/invalid, each
// while no resource with its name exists.
func recordInvalid(ctx context.Context, s *oracle.Site, dir string) error {
	files, err := glob(dir, "*.yaml")
	if err != nil {
		return err
	}
	for _, file := range files {
		documents, err := readDocuments(file)
		if err != nil {
			return err
		}
		got, _, err := try(ctx, s, documents[0])
		if err != nil {
			return err
		}
		answered := got.Body
		if got.Accepted() {
			answered = object{"status": got.Status}
		}
		if err := rewriteAnswer(strings.TrimSuffix(file, ".yaml")+".error.json", answered); err != nil {
			return err
		}
	}
	return nil
}

// readDocuments reads a file of YAML documents.
func readDocuments(file string) ([]object, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	documents, err := tree.DecodeYAML(data)
	return tree.Objects(documents), err
}
