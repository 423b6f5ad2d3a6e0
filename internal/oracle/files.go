package oracle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// EncodeWorld returns the files of a world by name, as [testworld.ParseWorld] reads them.
// about contains the fields of case.yaml that are not in the world, such as how it was
// recorded; without them, the file is omitted.
func EncodeWorld(w testworld.World, about map[string]any) (files map[string][]byte, err error) {
	files = map[string][]byte{}
	counts := map[string]any{}
	for _, r := range w.Resources {
		text, err := tree.EncodeYAML(r.Document())
		if err != nil {
			return nil, fmt.Errorf("encode %s: %w", r.Key(), err)
		}
		files[testworld.ResourcesFile] = append(append(files[testworld.ResourcesFile], "---\n"...), text...)
		n, _ := counts[r.Type].(int)
		counts[r.Type] = n + 1
	}
	dataplanes := []any{}
	for _, name := range slices.Sorted(maps.Keys(w.Answers)) {
		dataplanes = append(dataplanes, name)
		if files[testworld.AnswerFile(name)], err = Indented(w.Answers[name]); err != nil {
			return nil, fmt.Errorf("encode the answer for %s: %w", name, err)
		}
	}
	if about == nil {
		return files, nil
	}
	about = maps.Clone(about)
	about["mesh"], about["dataplanes"], about["resourceCounts"] = w.Mesh, dataplanes, counts
	files[testworld.CaseFile], err = tree.EncodeYAML(about)
	return files, err
}

// Indented encodes a value as JSON over several lines, as in recordings.
func Indented(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err := e.Encode(v)
	return b.Bytes(), err
}

// WriteFiles writes files by name to a directory.
func WriteFiles(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// WriteArchive writes files by name to a gzipped tar archive. The same files
// result in the same bytes.
func WriteArchive(file string, files map[string][]byte) error {
	var b bytes.Buffer
	zipped, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(zipped)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		header := tar.Header{Name: name, Mode: 0o644, Size: int64(len(files[name]))}
		if err := archive.WriteHeader(&header); err != nil {
			return err
		}
		if _, err := archive.Write(files[name]); err != nil {
			return err
		}
	}
	if err := errors.Join(archive.Close(), zipped.Close()); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}
