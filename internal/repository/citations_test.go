package repository

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

var (
	heading   = regexp.MustCompile(`(?m)^#{2,6} ([0-9]+(?:\.[0-9]+)?)\b`)
	record    = regexp.MustCompile(`(?m)^#{2,6} .*\bRecord (00[0-9])\b`)
	lineBreak = regexp.MustCompile(`\n[ \t]*(?://|>)?[ \t]*`)

	// A citation of a section, of another document's section, or of a design record.
	citation = regexp.MustCompile(`([\w-]+\.md)(?: §([0-9]+(?:\.[0-9]+)?))?|RFC [0-9]+ §[0-9.]+|§([0-9]+(?:\.[0-9]+)?)|\brecords? (00[0-9])(?: and (00[0-9]))?`)
)

// note is a document about Kuma in the directory of the code that cites it.
type note struct {
	path     string
	sections map[string]bool // "5.3"
	cited    bool
}

// TestCitations checks that the sections of the notes about Kuma that comments
// and documents cite exist, and that each note is cited.
func TestCitations(t *testing.T) {
	t.Parallel()
	files := sources(t)
	notes, records := notesAmong(t, files)
	for path, text := range files {
		own := ""
		if n := notes[filepath.Base(path)]; n != nil && n.path == path {
			own = filepath.Base(path)
		}
		check := func(name, section string) {
			if n := notes[name]; n != nil && !n.sections[section] {
				t.Errorf("%s cites %s §%s, which has no such section: correct the number there, or add the section to %s", path, name, section, n.path)
			}
		}
		last := own // the note that a section without a name belongs to
		for _, m := range citation.FindAllStringSubmatch(lineBreak.ReplaceAllString(text, " "), -1) {
			name, section, bare := m[1], m[2], m[3]
			switch {
			case name != "" && notes[name] != nil:
				notes[name].cited = notes[name].cited || name != own
				if own == "" {
					last = name
				}
				if section != "" {
					check(name, section)
				}
			case name != "" && section != "":
				t.Errorf("%s cites %s §%s, and there is no such note below internal: correct the name there", path, name, section)
			case bare != "":
				check(last, bare)
			}
			for _, r := range m[4:] {
				if r != "" && !records[r] {
					t.Errorf("%s cites design record %s, which no note summarizes", path, r)
				}
			}
		}
	}
	for name, n := range notes {
		if !n.cited {
			t.Errorf("nothing cites %s: cite it where the code follows it, or remove %s", name, n.path)
		}
	}
}

// sources returns the Go files and documents of the repository by path, without
// what is generated from them.
func sources(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != "." && strings.HasPrefix(entry.Name(), ".") || path == "docs" {
			return filepath.SkipDir
		}
		if ext := filepath.Ext(path); ext == ".go" || ext == ".md" {
			text, err := os.ReadFile(path)
			files[filepath.ToSlash(path)] = string(text)
			return err
		}
		return nil
	})
	testworld.NoError(t, err)
	return files
}

// notesAmong returns the notes by name, and the design records that they
// summarize.
func notesAmong(t *testing.T, files map[string]string) (notes map[string]*note, records map[string]bool) {
	t.Helper()
	notes, records = map[string]*note{}, map[string]bool{}
	for path, text := range files {
		if filepath.Ext(path) != ".md" || !strings.HasPrefix(path, "internal/") || strings.Contains(path, "/testdata/") {
			continue
		}
		n := &note{path: path, sections: map[string]bool{}}
		for _, m := range heading.FindAllStringSubmatch(text, -1) {
			n.sections[m[1]] = true
		}
		for _, m := range record.FindAllStringSubmatch(text, -1) {
			records[m[1]] = true
		}
		if len(n.sections) == 0 {
			continue // a document without numbered sections is not a note
		}
		name := filepath.Base(path)
		if other := notes[name]; other != nil {
			t.Errorf("%s and %s have the same name", other.path, path)
		}
		notes[name] = n
	}
	if len(notes) == 0 {
		t.Fatal("there are no notes")
	}
	return notes, records
}
