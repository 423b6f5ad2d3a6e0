package tfschema

import (
	"regexp"
	"strings"
)

var wrapped = regexp.MustCompile(`([^\n])\n *([^\n -])`)

// Texts reads the sections of a Markdown document, such as the descriptions of a package that
// are longer than a line. The returned function returns the text below a heading, with each paragraph in one line.
// It panics if there is no such heading.
func Texts(markdown string) func(heading string) string {
	texts := sections(markdown)
	for heading, text := range texts {
		texts[heading] = wrapped.ReplaceAllString(strings.TrimSpace(text), "$1 $2")
	}
	return func(heading string) string {
		text, ok := texts[heading]
		if !ok {
			panic("no text " + heading)
		}
		return text
	}
}

// sections returns the text below each heading of level two.
func sections(markdown string) map[string]string {
	out := map[string]string{}
	for _, section := range strings.Split(markdown, "\n## ")[1:] {
		heading, text, _ := strings.Cut(section, "\n")
		out[heading] = text
	}
	return out
}
