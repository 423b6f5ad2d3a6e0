package main

import (
	"regexp"
	"strings"
)

var (
	hashComment = regexp.MustCompile(`(?:^|\s)#+ (.*)$`)
	echoed      = regexp.MustCompile(`(?:echo|printf) (?:"([^"]*)"|'([^']*)')`)
	// A key of YAML whose value is shown to people.
	yamlTitle = regexp.MustCompile(`^[\s-]*(?:name|desc|description|msg|title|label|about|value|placeholder): *([^|>].*)$`)
)

// scriptTexts returns the comments of a shell script or makefile, and what it prints.
func scriptTexts(source []byte) []Text {
	return lineTexts(source, echoed)
}

// yamlTexts returns the comments, names and descriptions.
func yamlTexts(source []byte) []Text {
	return lineTexts(source, yamlTitle)
}

// lineTexts returns the comments that a hash begins, and the first group of the pattern that is set.
func lineTexts(source []byte, pattern *regexp.Regexp) []Text {
	var texts []Text
	for i, s := range strings.Split(string(source), "\n") {
		if m := hashComment.FindStringSubmatch(s); m != nil {
			texts = appendComment(texts, i+1, m[1])
			continue
		}
		for _, m := range pattern.FindAllStringSubmatch(s, -1) {
			t := Text{Kind: literal}
			t.add(i+1, strings.Join(m[1:], ""))
			texts = appendProse(texts, t)
		}
	}
	return texts
}
