package tfschema

import "strings"

// Texts reads the sections of a Markdown document, such as the descriptions of a package that
// are longer than a line. The returned function returns the text below a heading, in one line.
// It panics if there is no such heading.
func Texts(markdown string) func(heading string) string {
	sections := map[string]string{}
	for _, section := range strings.Split(markdown, "\n## ")[1:] {
		heading, text, _ := strings.Cut(section, "\n")
		sections[heading] = strings.Join(strings.Fields(text), " ")
	}
	return func(heading string) string {
		text, ok := sections[heading]
		if !ok {
			panic("no text " + heading)
		}
		return text
	}
}
