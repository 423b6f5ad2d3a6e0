package main

import (
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// remaining counts the findings of directories that are not clean yet. It only
// ever shrinks: a directory without an entry has none.
var remaining = map[string]int{
	".":                      8,
	".ci":                    1,
	"examples":               1,
	"examples/modules":       4,
	"examples/shop":          1,
	"internal/analysis":      42,
	"internal/configuration": 2,
	"internal/controlplane":  40,
	"internal/embedded":      20,
	"internal/provider":      96,
	"templates/guides":       21,
}

func TestGlossary(t *testing.T) {
	t.Parallel()
	glossary, err := readGlossary("../../" + contributing)
	if err != nil {
		t.Fatal(err)
	}
	texts, err := collect("../..")
	if err != nil {
		t.Fatal(err)
	}
	if len(texts) < 5000 {
		t.Fatalf("only %d texts found", len(texts))
	}
	found := map[string][]Finding{}
	for _, text := range texts {
		dir := area(text.File)
		found[dir] = append(found[dir], glossary.check(text)...)
	}
	for _, dir := range slices.Sorted(maps.Keys(found)) {
		if len(found[dir]) <= remaining[dir] {
			continue
		}
		if remaining[dir] > 0 {
			t.Errorf("%s: %d findings, there were %d", dir, len(found[dir]), remaining[dir])
		}
		for _, f := range found[dir] {
			t.Error(f)
		}
	}
}

// area returns the first two directories of a file.
func area(file string) string {
	dirs := strings.Split(path.Dir(file), "/")
	return strings.Join(dirs[:min(len(dirs), 2)], "/")
}

func TestGlossaryCheck(t *testing.T) {
	t.Parallel()
	glossary, err := readGlossary("../../" + contributing)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		text string
		want string // the phrase, empty if the text is fine
	}{
		{"The value is no URL.", "is no X"},
		{`"%s" is no %s`, "is no X"},
		{"There is no policy.", ""},
		{"It is no longer supported, and are no more than two.", ""},
		{"in which there are no zones", ""},
		{"Without a word it is dropped.", "without a word"},
		{"Somebody else changed it", "somebody"},
		{"a canew", ""},
		{"what the conf is made of", "made of"},
	} {
		text := Text{File: "a.go", Kind: literal}
		text.add(7, test.text)
		switch findings := glossary.check(text); {
		case test.want == "" && len(findings) > 0:
			t.Errorf("%q: unexpected finding %v", test.text, findings)
		case test.want != "" && (len(findings) != 1 || findings[0].Phrase != test.want || findings[0].Line != 7):
			t.Errorf("%q: got %v, want one finding of %q in line 7", test.text, findings, test.want)
		}
	}
}

// The glossary names the phrases that it rules out, which are no findings.
func TestGlossaryItselfIsNotChecked(t *testing.T) {
	t.Parallel()
	glossary, err := readGlossary("../../" + contributing)
	if err != nil {
		t.Fatal(err)
	}
	for line := range glossary.lines {
		text := Text{File: contributing, Kind: document}
		if text.add(line, "without a word"); len(glossary.check(text)) > 0 {
			t.Fatalf("line %d of the glossary is checked", line)
		}
	}
	text := Text{File: contributing, Kind: document}
	if text.add(1, "without a word"); len(glossary.check(text)) != 1 {
		t.Error("the rest of the file is not checked")
	}
}
