package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	kind := flag.String("kind", "", "print only texts of this `kind`: literal, comment or document")
	findings := flag.Bool("findings", false, "print only phrases that the glossary rules out")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: texts [-kind KIND] [-findings] [PATH…]")
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := run(os.Stdout, *kind, *findings, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "texts:", err)
		os.Exit(1)
	}
}

// run prints the texts below the paths, of all paths if there are none.
func run(out io.Writer, kind string, findings bool, paths []string) error {
	all, err := collect(".")
	if err != nil {
		return err
	}
	texts := all[:0]
	for _, t := range all {
		if (kind == "" || t.Kind == kind) && below(t.File, paths) {
			texts = append(texts, t)
		}
	}
	w := bufio.NewWriter(out)
	if findings {
		glossary, err := readGlossary(contributing)
		if err != nil {
			return err
		}
		for _, t := range texts {
			for _, f := range glossary.check(t) {
				fmt.Fprintln(w, f)
			}
		}
		return w.Flush()
	}
	printTexts(w, texts)
	return w.Flush()
}

// printTexts prints each file, with its texts below it.
func printTexts(w io.Writer, texts []Text) {
	file := ""
	for _, t := range texts {
		if t.File != file {
			file = t.File
			fmt.Fprintf(w, "\n%s\n", file)
		}
		fmt.Fprintf(w, "%5d %-8s %s\n", t.line(0), t.Kind, t)
	}
}

// below reports whether the file is one of the paths or in one of them.
func below(file string, paths []string) bool {
	for _, p := range paths {
		p = strings.TrimSuffix(strings.TrimPrefix(p, "./"), "/")
		if file == p || strings.HasPrefix(file, p+"/") {
			return true
		}
	}
	return len(paths) == 0
}
