package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

const (
	contributing    = "CONTRIBUTING.md"
	glossaryHeading = "## Glossary"
	glossaryTest    = "internal/texts/glossary_test.go" // has the phrases as examples
)

// Glossary holds the phrases that the glossary rules out.
type Glossary struct {
	phrases []phrase
	lines   map[int]bool // those of the glossary itself, in CONTRIBUTING.md
}

type phrase struct {
	name    string // as the glossary writes it
	pattern *regexp.Regexp
}

// Finding is a phrase that the glossary rules out, and where it is.
type Finding struct {
	File   string
	Line   int
	Phrase string
	Found  string // with some words before and after it
}

func (f Finding) String() string {
	return fmt.Sprintf("%s:%d: %q: %s", f.File, f.Line, f.Phrase, f.Found)
}

var (
	glossaryRow  = regexp.MustCompile(`^\|[^|]*\|([^|]*)\|`)
	inBackquotes = regexp.MustCompile("`([^`]+)`")

	// Phrases of plain English that contain "no X".
	plainNo = regexp.MustCompile(`(?i)^there | no (longer|more|less|later|earlier|different|newer|older)\b`)
)

// readGlossary reads the second column of the table in the section Glossary:
// each phrase in backquotes is ruled out. An X in it is any word.
func readGlossary(path string) (*Glossary, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	g := &Glossary{lines: map[int]bool{}}
	inside := false
	for i, s := range strings.Split(string(source), "\n") {
		if strings.HasPrefix(s, "## ") {
			inside = s == glossaryHeading
		}
		if !inside {
			continue
		}
		g.lines[i+1] = true
		row := glossaryRow.FindStringSubmatch(s)
		if row == nil {
			continue
		}
		for _, m := range inBackquotes.FindAllStringSubmatch(row[1], -1) {
			g.phrases = append(g.phrases, phrase{m[1], phrasePattern(m[1])})
		}
	}
	if len(g.phrases) == 0 {
		return nil, fmt.Errorf("%s has no phrases under %q", path, glossaryHeading)
	}
	return g, nil
}

func phrasePattern(name string) *regexp.Regexp {
	words := strings.Fields(name)
	for i, w := range words {
		if words[i] = regexp.QuoteMeta(w); w == "X" {
			words[i] = `\S+`
		}
	}
	return regexp.MustCompile(`(?i)(?:\bthere )?\b` + strings.Join(words, " ") + `(?:\W|$)`)
}

// check returns the phrases of the text that the glossary rules out.
func (g *Glossary) check(t Text) []Finding {
	if t.File == glossaryTest || t.File == contributing && g.lines[t.line(0)] {
		return nil
	}
	var findings []Finding
	s := t.String()
	for _, p := range g.phrases {
		for _, at := range p.pattern.FindAllStringIndex(s, -1) {
			if strings.HasSuffix(p.name, " no X") && plainNo.MatchString(s[at[0]:at[1]]) {
				continue
			}
			findings = append(findings, Finding{t.File, t.line(at[0]), p.name, surroundings(s, at[0], at[1])})
		}
	}
	return findings
}

// surroundings returns a part of s with up to 40 bytes before and after it, cut at words.
func surroundings(s string, from, to int) string {
	const width = 40
	if start := from - width; start > 0 {
		from = start + strings.IndexByte(s[start:from], ' ') + 1
	} else {
		from = 0
	}
	if end := to + width; end < len(s) {
		if space := strings.LastIndexByte(s[to:end], ' '); space >= 0 {
			end = to + space
		}
		to = end
	} else {
		to = len(s)
	}
	return s[from:to]
}
