package main

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Kinds of texts.
const (
	literal  = "literal"  // a string in code
	comment  = "comment"  // a comment in code
	document = "document" // a paragraph, list item or heading of Markdown
)

// Text is something that people read.
type Text struct {
	File  string // relative to the root of the repository, with slashes
	Kind  string
	Parts []Part
}

// Part is the part of a text that is on one line.
type Part struct {
	Line  int
	Words string // separated by single spaces
}

// add appends a line to the text, if there is anything on it.
func (t *Text) add(line int, words string) {
	if words = strings.Join(strings.Fields(words), " "); words != "" {
		t.Parts = append(t.Parts, Part{line, words})
	}
}

// String returns the text on one line.
func (t Text) String() string {
	words := make([]string, len(t.Parts))
	for i, p := range t.Parts {
		words[i] = p.Words
	}
	return strings.Join(words, " ")
}

// line returns the line of the byte at an offset in String.
func (t Text) line(offset int) int {
	for _, p := range t.Parts {
		if offset <= len(p.Words) {
			return p.Line
		}
		offset -= len(p.Words) + 1
	}
	return t.Parts[len(t.Parts)-1].Line
}

// Two words in a row are prose; names, paths and patterns have none.
var prose = regexp.MustCompile("[A-Za-z]{2,}[`,;:]* [`\"'(]?[A-Za-z%]{2,}")

// readers turn the source of a file into texts, without the file.
var readers = map[string]func(source []byte) ([]Text, error){
	".go":      goTexts,
	".md":      always(markdownTexts),
	".tmpl":    always(markdownTexts),
	".tf":      hclTexts,
	".hcl":     hclTexts,
	".sh":      always(scriptTexts),
	"makefile": always(scriptTexts),
	".yml":     always(yamlTexts),
	".yaml":    always(yamlTexts),
}

// always adapts a reader that does not return errors.
func always(read func(source []byte) []Text) func(source []byte) ([]Text, error) {
	return func(source []byte) ([]Text, error) { return read(source), nil }
}

// collect returns the texts of the repository at root, by file and line.
func collect(root string) ([]Text, error) {
	var all []Text
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if entry.IsDir() {
			if skipped(name) {
				return filepath.SkipDir
			}
			return nil
		}
		read := readers[extension(name)]
		if read == nil || strings.Contains(name, "/testdata/") && entry.Name() != "README.md" {
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		texts, err := read(source)
		if err != nil {
			return err
		}
		for _, t := range texts {
			t.File = name
			all = append(all, t)
		}
		return nil
	})
	slices.SortStableFunc(all, func(a, b Text) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.line(0), b.line(0)))
	})
	return all, err
}

// skipped reports whether a directory contains nothing that is written by hand.
func skipped(name string) bool {
	base := name[strings.LastIndex(name, "/")+1:]
	return name == "docs" || name == "dist" || strings.HasPrefix(base, ".") && name != "." && name != ".github" && name != ".ci"
}

func extension(name string) string {
	switch base := name[strings.LastIndex(name, "/")+1:]; base {
	case "GNUmakefile":
		return "makefile"
	case "run": // .ci/run
		return ".sh"
	default:
		return filepath.Ext(base)
	}
}
