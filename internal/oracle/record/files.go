package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// readJSON reads a recording.
func readJSON(file string) (any, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	v, err := decodeJSON(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return v, nil
}

// readList reads a recording that is a list of objects.
func readList(file string) ([]object, error) {
	v, err := readJSON(file)
	if err != nil {
		return nil, err
	}
	return objects(v), nil
}

func objects(v any) []object {
	list, _ := v.([]any)
	out := make([]object, len(list))
	for i, e := range list {
		out[i], _ = e.(object)
	}
	return out
}

func values(list []object) []any {
	out := make([]any, len(list))
	for i, o := range list {
		out[i] = o
	}
	return out
}

// rewrite records an answer in a file, unless the file already contains an equal one.
func rewrite(file string, answered any, format func(any) string) error {
	recorded, err := readJSON(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil && equal(recorded, keep(recorded, answered)) {
		return nil
	}
	return os.WriteFile(file, []byte(format(keep(recorded, answered))), 0o644)
}

// rowPerLine formats a list with one element in each line.
func rowPerLine(v any) string {
	var rows []string
	list, _ := v.([]any)
	for _, row := range list {
		rows = append(rows, oneLine(row))
	}
	return "[\n" + strings.Join(rows, ",\n") + "\n]\n"
}

// pretty formats a document over several lines.
func pretty(v any) string { return indented(v) + "\n" }

// glob returns the files that match a pattern, and an error if there are none.
func glob(pattern ...string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(pattern...))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("no files match %s", filepath.Join(pattern...))
	}
	return files, err
}
