package main

import (
	"regexp"
	"strings"
)

// What begins a separate text: a heading, a list item, a row of a table, a
// quotation, a fence.
var markdownStart = regexp.MustCompile("^\\s*(#|[-*] |\\d+\\. |\\||>|```)")

// markdownTexts returns the headings, paragraphs, list items and rows.
func markdownTexts(source []byte) []Text {
	var texts []Text
	t := Text{Kind: document}
	for i, s := range strings.Split(string(source), "\n") {
		if strings.TrimSpace(s) == "" || markdownStart.MatchString(s) {
			texts = appendProse(texts, t)
			t = Text{Kind: document}
		}
		t.add(i+1, s)
	}
	return appendProse(texts, t)
}
