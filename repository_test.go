package main

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// trackedFiles returns the files that Git tracks, without those that are deleted.
func trackedFiles(t *testing.T) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		t.Skipf("git ls-files: %v", err) // the source of a release is no repository
	}
	return slices.DeleteFunc(strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), func(name string) bool {
		_, err := os.Lstat(name)
		return err != nil
	})
}

// TestTrackedFilesAreSmall checks that no binary is tracked: every clone contains it.
func TestTrackedFilesAreSmall(t *testing.T) {
	const most = 1 << 20
	const corpus = "internal/rules/testdata/golden/corpus.tar.gz" // hundreds of recorded worlds
	for _, name := range trackedFiles(t) {
		if info, err := os.Stat(name); err != nil || info.Size() > most && name != corpus {
			t.Errorf("%s has more than %d bytes (%v)", name, most, err)
		}
	}
}

var (
	glossaryRow  = regexp.MustCompile(`(?m)^\|[^|]*\|([^|]*)\|`)
	inBackquotes = regexp.MustCompile("`([^`]+)`")
	plainNo      = regexp.MustCompile(`(?i)^there | no (longer|more|less|later|earlier|different|newer|older)\b`) // phrases of plain English
)

// glossary returns the phrases that the second column of the table in the section Glossary
// rules out, each in backquotes, with X for any word. A phrase may be in several lines, also
// of a comment.
func glossary(t *testing.T, contributing string) map[string]*regexp.Regexp {
	t.Helper()
	phrases := map[string]*regexp.Regexp{}
	_, section, _ := strings.Cut(contributing, "\n## Glossary\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, row := range glossaryRow.FindAllStringSubmatch(section, -1) {
		for _, m := range inBackquotes.FindAllStringSubmatch(row[1], -1) {
			words := strings.Fields(m[1])
			for i, w := range words {
				if words[i] = regexp.QuoteMeta(w); w == "X" {
					words[i] = `[^\s=]+`
				}
			}
			words[0] = "[" + strings.ToUpper(words[0][:1]) + words[0][:1] + "]" + words[0][1:]
			phrases[m[1]] = regexp.MustCompile(`(?:\b[Tt]here )?\b` + strings.Join(words, `(?: |\s*\n\s*(?://|#)? *)`) + `(?:\W|$)`)
		}
	}
	if len(phrases) < 20 {
		t.Fatalf("%d phrases in the glossary", len(phrases))
	}
	return phrases
}

// TestPackagesAreListed checks that contributors find every package, and what it may
// import.
func TestPackagesAreListed(t *testing.T) {
	t.Parallel()
	contributing, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, name := range trackedFiles(t) {
		dir := path.Dir(name)
		if !strings.HasPrefix(name, "internal/") || !strings.HasSuffix(name, ".go") || listed[dir] {
			continue
		}
		if listed[dir] = true; !strings.Contains(string(contributing), "\n| `"+dir+"` |") {
			t.Errorf("%s is not in the table of packages in CONTRIBUTING.md: add a row, and a rule for depguard to .golangci.yml", dir)
		}
	}
}

// directRequirement is a module that go.mod requires directly, without its host.
var directRequirement = regexp.MustCompile(`(?m)^\t(?:github\.com/)?(\S+) v\S+$`)

// TestDependenciesAreListed checks that contributors find what each direct dependency is for.
func TestDependenciesAreListed(t *testing.T) {
	t.Parallel()
	contributing, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(contributing), "\n## Dependencies\n")
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	modules := directRequirement.FindAllSubmatch(mod, -1)
	if len(modules) == 0 {
		t.Fatal("no direct requirement in go.mod")
	}
	for _, m := range modules {
		if !strings.Contains(section, "`"+string(m[1])+"`") {
			t.Errorf("%s is not in the table of dependencies in CONTRIBUTING.md: add a row that says what it is for", m[1])
		}
	}
}

// TestGlossary checks that nobody reads a phrase that the glossary rules out, neither in a
// message nor in a comment or a page. Recorded and generated files are not checked.
func TestGlossary(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	contributing := read("CONTRIBUTING.md")
	phrases := glossary(t, contributing)
	checked := 0
	for _, name := range trackedFiles(t) {
		recorded := strings.Contains(name, "testdata/") && filepath.Base(name) != "README.md"
		if recorded || strings.HasPrefix(name, "docs/") || name == "repository_test.go" || !slices.Contains([]string{".go", ".md", ".tmpl", ".tf", ".hcl", ".yml", ".yaml", ".sh"}, filepath.Ext(name)) {
			continue
		}
		checked++
		text := read(name)
		if name == "CONTRIBUTING.md" {
			before, section, _ := strings.Cut(text, "\n## Glossary\n")
			_, after, _ := strings.Cut(section, "\n## ")
			text = before + after
		}
		for phrase, pattern := range phrases {
			longest := slices.MaxFunc(strings.Fields(phrase), func(a, b string) int { return len(a) - len(b) })
			if !strings.Contains(text, longest[1:]) { // much faster than the pattern
				continue
			}
			for _, at := range pattern.FindAllStringIndex(text, -1) {
				if found := text[at[0]:at[1]]; !strings.HasSuffix(phrase, " no X") || !plainNo.MatchString(found) {
					t.Errorf("%s:%d: %q, because the glossary of CONTRIBUTING.md rules out %q and says what to write instead", name, 1+strings.Count(text[:at[0]], "\n"), found, phrase)
				}
			}
		}
	}
	if checked < 500 {
		t.Errorf("%d files checked", checked)
	}
}
