package repository

import (
	"os"
	"os/exec"
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
		t.Skipf("git ls-files: %v", err) // the source of a release is not a repository
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

// between matches what is between two words of a sentence.
const between = `(?: |\s*\n\s*(?://|#)? *)`

var (
	glossaryRow  = regexp.MustCompile(`(?m)^\|[^|]*\|([^|]*)\|`)
	inBackquotes = regexp.MustCompile("`([^`]+)`")
	lineEnd      = regexp.MustCompile(between)
	plainNo      = regexp.MustCompile(`(?i)^there | no (longer|more|less|later|earlier|different|newer|older)\b`) // phrases of plain English
)

// glossaryPage is the table of words to write, and of phrases not to write.
const glossaryPage = "internal/repository/glossary.md"

// glossary returns the phrases that the second column of the table rules out, each in
// backquotes, with X for any word. A phrase may be in several lines, also of a comment.
func glossary(t *testing.T) map[string]*regexp.Regexp {
	t.Helper()
	phrases := map[string]*regexp.Regexp{}
	for _, row := range glossaryRow.FindAllStringSubmatch(read(t, glossaryPage), -1) {
		for _, m := range inBackquotes.FindAllStringSubmatch(row[1], -1) {
			words := strings.Fields(m[1])
			for i, w := range words {
				if words[i] = regexp.QuoteMeta(w); w == "X" {
					words[i] = `[^\s=]+`
				}
			}
			words[0] = "[" + strings.ToUpper(words[0][:1]) + words[0][:1] + "]" + words[0][1:]
			phrases[m[1]] = regexp.MustCompile(`(?:\b[Tt]here )?\b` + strings.Join(words, between) + `(?:\W|$)`)
		}
	}
	if len(phrases) < 20 {
		t.Fatalf("%d phrases in the glossary", len(phrases))
	}
	return phrases
}

// directRequirement is a module that go.mod requires directly, and the comment behind it.
var directRequirement = regexp.MustCompile(`(?m)^\t(\S+) v\S+(?: // (.*))?$`)

// TestDependenciesHavePurposes checks that go.mod says what each direct dependency is for.
func TestDependenciesHavePurposes(t *testing.T) {
	t.Parallel()
	direct := 0
	for _, m := range directRequirement.FindAllStringSubmatch(read(t, "go.mod"), -1) {
		if direct++; m[2] == "" {
			t.Errorf("go.mod does not say what %s is for: add a comment behind it", m[1])
		}
	}
	if direct == 0 {
		t.Fatal("no direct requirement in go.mod")
	}
}

// TestGlossary checks that messages, comments and pages contain no phrase that the glossary
// rules out. Recorded and generated files are not checked.
func TestGlossary(t *testing.T) {
	t.Parallel()
	phrases := glossary(t)
	checked := 0
	for _, name := range trackedFiles(t) {
		recorded := strings.Contains(name, "testdata/") && filepath.Base(name) != "README.md"
		generated := strings.HasPrefix(name, "docs/") && !strings.HasPrefix(name, "docs/guides/")
		if recorded || generated || name == glossaryPage || !slices.Contains([]string{".go", ".md", ".tmpl", ".tf", ".hcl", ".yml", ".yaml", ".sh"}, filepath.Ext(name)) {
			continue
		}
		checked++
		text := read(t, name)
		joined := lineEnd.ReplaceAllString(text, " ")
		for phrase, pattern := range phrases {
			if literal, _, _ := strings.Cut(phrase, "X"); !strings.Contains(joined, literal[1:]) { // much faster than the pattern
				continue
			}
			for _, at := range pattern.FindAllStringIndex(text, -1) {
				if found := text[at[0]:at[1]]; !strings.HasSuffix(phrase, " no X") || !plainNo.MatchString(found) {
					t.Errorf("%s:%d: %q, because %s rules out %q and says what to write instead", name, 1+strings.Count(text[:at[0]], "\n"), found, glossaryPage, phrase)
				}
			}
		}
	}
	if checked < 500 {
		t.Errorf("%d files checked", checked)
	}
}
