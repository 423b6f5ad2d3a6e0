package main

import (
	"strings"
	"testing"
)

// TestGlossary checks that no text of the repository has a phrase that the glossary
// rules out.
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
	for _, text := range texts {
		for _, f := range glossary.check(text) {
			t.Error(f)
		}
	}
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

// TestSurroundings checks the words around a phrase, also where there are no spaces.
func TestSurroundings(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100)
	for text, want := range map[string]string{
		"anew": "anew",
		"It is read anew, and then written again, until nothing differs anymore.": "It is read anew, and then written again, until nothing",
		"The control plane reads all of its resources anew.":                      "plane reads all of its resources anew.",
		long + "/anew/" + long + " and more":                                      long[:39] + "/anew/" + long[:39],
	} {
		at := strings.Index(text, "anew")
		if got := surroundings(text, at, at+len("anew")); got != want {
			t.Errorf("got %q, want %q", got, want)
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
