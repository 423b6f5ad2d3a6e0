package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReaders(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, file, source string
		want               []string // line, kind and text of each
	}{
		{
			"go: literals joined by + are one text", "a.go",
			"package a\n\nimport \"some long path\"\n\nvar a = \"must be \" +\n\t\"a string\" + name\n\nvar b = \"spec\"\n",
			[]string{"5 literal must be a string …"},
		},
		{
			"go: words in code are words", "a.go",
			"package a\n\nvar a = \"`file` requires `path`.\"\n\nvar b = \"a.b c-d\"\n",
			[]string{"3 literal `file` requires `path`."},
		},
		{
			"go: paragraphs of comments", "a.go",
			"// Package a is short.\n//\n// It has two\n// paragraphs.\npackage a\n",
			[]string{"1 comment Package a is short.", "3 comment It has two paragraphs."},
		},
		{
			"markdown: headings, items and paragraphs", "a.md",
			"# A page\nof two lines\n\n- first item\n- second item,\n  longer\n",
			[]string{"1 document # A page of two lines", "4 document - first item", "5 document - second item, longer"},
		},
		{
			"hcl: comments and strings", "a.tf",
			"# What it does,\n# on two lines.\nvariable \"a\" {\n  description = \"The name of ${var.b}.\"\n}\n",
			[]string{"1 comment What it does, on two lines.", "4 literal The name of … ."},
		},
		{
			"hcl: strings in the interpolation of a string", "a.tf",
			"a = \"Set one of ${join(\"or then\", var.b)} and then apply.\"\n",
			[]string{"1 literal or then", "1 literal Set one of … and then apply."},
		},
		{
			"yaml: names and comments", "a.yml",
			"on: push # every branch\njobs:\n  - name: Run the tests\n    run: make test all\n",
			[]string{"1 comment every branch", "3 literal Run the tests"},
		},
		{
			"shell: comments and output", "a.sh",
			"#!/bin/sh\n# Apply it twice.\necho \"nothing to do\" >&2\nsleep 1\n",
			[]string{"2 comment Apply it twice.", "3 literal nothing to do"},
		},
		{
			"make: help and comments", "GNUmakefile",
			"# Slow.\ntest: build ## run all tests\n\techo 'no tests left'\n",
			[]string{"1 comment Slow. run all tests", "3 literal no tests left"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, test.file), []byte(test.source), 0o600); err != nil {
				t.Fatal(err)
			}
			texts, err := collect(dir)
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			printTexts(&out, texts)
			var got []string
			for line := range strings.SplitSeq(out.String(), "\n") {
				if strings.HasPrefix(line, " ") {
					got = append(got, strings.Join(strings.Fields(line), " "))
				}
			}
			if g, w := strings.Join(got, "\n"), strings.Join(test.want, "\n"); g != w {
				t.Errorf("got\n%s\nwant\n%s", g, w)
			}
		})
	}
}

func TestRecordedDataIsSkipped(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a/testdata/world.md", "a/testdata/README.md", "docs/index.md", ".build/a.md", ".github/a.md"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("Some words here.\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	texts, err := collect(dir)
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, text := range texts {
		files = append(files, text.File)
	}
	if got, want := strings.Join(files, " "), ".github/a.md a/testdata/README.md"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
