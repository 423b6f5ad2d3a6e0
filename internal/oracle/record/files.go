package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

type object = map[string]any

// readRows reads a recording that is a list.
func readRows[T any](file string) ([]T, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var rows []T
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&rows); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return rows, nil
}

// rewriteRows records a list with one element in each line.
func rewriteRows[T any](file string, rows []T) error {
	lines := make([]string, len(rows))
	for i, row := range rows {
		var err error
		if lines[i], err = tree.EncodeJSON(row); err != nil {
			return err
		}
	}
	return os.WriteFile(file, []byte("[\n"+strings.Join(lines, ",\n")+"\n]\n"), 0o644)
}

// rewriteAnswer records an answer over several lines. The volatile values of the
// recorded one stay.
func rewriteAnswer(file string, answered any) error {
	data, err := os.ReadFile(file)
	var recorded any
	switch {
	case err == nil:
		if recorded, err = tree.DecodeJSON(data); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return rewrite(file, keep("", recorded, answered))
}

func rewrite(file string, v any) error {
	text, err := oracle.Indented(v)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}

// glob returns the files that match a pattern, and an error if there are none.
func glob(pattern ...string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(pattern...))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("no files match %s", filepath.Join(pattern...))
	}
	return files, err
}
