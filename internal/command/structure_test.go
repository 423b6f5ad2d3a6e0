package command_test

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// odd has a meaning in every format and on a terminal.
const odd = "a\n```\n\x1b[31m\a<!-- `` --> | # \u202e\u009b- *b*\r\n</testsuite>"

// TestDocumentsDoNotChangeTheStructureOfResults writes an odd string into documents, instead of
// each string in turn: the results and the errors must have as many lines as with another string,
// and no control characters.
func TestDocumentsDoNotChangeTheStructureOfResults(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs each command for many strings; make test runs one in seven of them")
	}
	worlds := []struct{ file, text string }{
		{"new.yaml", testworld.Text(t, filepath.Join("testdata", "rehearsal.yaml"))}, {"old.yaml", testworld.OldStyleOf(t, "shop", 2)},
	}
	t.Chdir(t.TempDir())
	n := 0
	for _, world := range worlds {
		file, text := world.file, world.text
		write(t, file, text)
		for place := 0; ; place++ {
			usual, was := withString(t, text, place, "a (b) ü?")
			if usual == "" {
				break
			}
			unusual, _ := withString(t, text, place, odd)
			commands := []string{
				"lint changed.yaml -fail-on never -kuma3", "lint changed.yaml -fail-on never -format junit",
				"lint changed.yaml -fail-on never -format sarif",
				"impact changed.yaml " + file, "impact -format json changed.yaml " + file, "access changed.yaml",
				"rules changed.yaml", "rules -format json changed.yaml", "request changed.yaml -dataplane web-1 -service db",
			}
			if file == "new.yaml" { // an upgrade takes long
				commands = append(commands, "upgrade -details changed.yaml")
			}
			for _, arguments := range commands {
				if n++; !testworld.Runs(n) {
					continue
				}
				write(t, "changed.yaml", usual)
				wantOut, _, wantCode := run(t, "", strings.Fields(arguments)...)
				write(t, "changed.yaml", unusual)
				out, errs, code := run(t, "", strings.Fields(arguments)...)
				if at := strings.IndexFunc(out+errs, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); at >= 0 {
					t.Errorf("%s writes a control character of %q: %.100q", arguments, was, (out + errs)[at:])
				}
				if got, want := linesOf(out), linesOf(wantOut); code == wantCode && got != want {
					t.Errorf("%s with another %q has %d lines, want %d:\n%s", arguments, was, got, want, out)
				}
				if rest := withoutCode(out); strings.HasPrefix(arguments, "impact changed") && strings.ContainsAny(rest, "`<") {
					t.Errorf("%s with another %q has Markdown of the documents: %s", arguments, was, rest)
				}
				switch {
				case strings.Contains(arguments, "json"), strings.Contains(arguments, "sarif"):
					if code != 2 && !json.Valid([]byte(out)) {
						t.Errorf("%s with another %q is not valid JSON:\n%s", arguments, was, out)
					}
				case strings.Contains(arguments, "junit"):
					if err := xml.Unmarshal([]byte(out), new(any)); code != 2 && err != nil {
						t.Errorf("%s with another %q: %v\n%s", arguments, was, err, out)
					}
				}
				for line := range strings.Lines(errs) {
					if !strings.HasPrefix(line, "Error: ") && !strings.HasPrefix(line, "Note: ") {
						t.Errorf("%s with another %q has the error %s", arguments, was, line)
					}
				}
			}
		}
	}
}

// withoutCode returns Markdown without its code spans.
func withoutCode(text string) string {
	var rest strings.Builder
	for text != "" {
		before, after, _ := strings.Cut(text, "`")
		rest.WriteString(before)
		ticks := "`" + after[:len(after)-len(strings.TrimLeft(after, "`"))]
		if _, text, _ = strings.Cut(strings.TrimLeft(after, "`"), ticks); strings.HasPrefix(text, "`") {
			return "`" // the span ends with more backticks
		}
	}
	return rest.String()
}

// linesOf returns the number of lines of a result, without the one that explains how long values are shortened.
func linesOf(text string) int {
	return strings.Count(text, "\n") - strings.Count(text, "\n… means that")
}

func write(t *testing.T, file, text string) {
	t.Helper()
	testworld.NoError(t, os.WriteFile(file, []byte(text), 0o600))
}

// withString returns documents with another value of their nth string, which may be a key,
// and what it was. The documents are empty if there is no such string.
func withString(t *testing.T, documents string, nth int, value string) (changed, was string) {
	t.Helper()
	var out strings.Builder
	encoder := yaml.NewEncoder(&out)
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
			if nth == 0 {
				was, n.Value, n.Style = n.Value, value, yaml.DoubleQuotedStyle
			}
			nth--
		}
		for _, c := range n.Content {
			walk(c)
		}
	}
	for decoder := yaml.NewDecoder(strings.NewReader(documents)); ; {
		var n yaml.Node
		if decoder.Decode(&n) != nil {
			break
		}
		walk(&n)
		testworld.NoError(t, encoder.Encode(&n))
	}
	if nth >= 0 {
		return "", ""
	}
	return out.String(), was
}
