package main

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// hclTexts returns the comments and the quoted strings that are prose, with "…"
// for interpolations.
func hclTexts(source []byte) ([]Text, error) {
	tokens, problems := hclsyntax.LexConfig(source, "", hcl.InitialPos)
	if problems.HasErrors() {
		return nil, problems
	}
	var texts []Text
	var quoted []Text // the strings that the token is in, outermost first
	add := func(line int, s string) {
		if n := len(quoted); n > 0 {
			quoted[n-1].add(line, s)
		}
	}
	for _, token := range tokens {
		line, s := token.Range.Start.Line, string(token.Bytes)
		switch token.Type {
		case hclsyntax.TokenComment:
			texts = appendComment(texts, line, strings.TrimLeft(strings.TrimSpace(s), "#/* "))
		case hclsyntax.TokenOQuote:
			quoted = append(quoted, Text{Kind: literal})
		case hclsyntax.TokenCQuote:
			if n := len(quoted); n > 0 {
				texts = appendProse(texts, quoted[n-1])
				quoted = quoted[:n-1]
			}
		case hclsyntax.TokenQuotedLit:
			add(line, s)
		case hclsyntax.TokenTemplateInterp:
			add(line, "…")
		default:
		}
	}
	return texts, nil
}

// appendComment appends a line of a comment, to the comment on the line before if there is one.
func appendComment(texts []Text, line int, s string) []Text {
	if n := len(texts) - 1; n >= 0 && texts[n].Kind == comment && texts[n].Parts[len(texts[n].Parts)-1].Line == line-1 {
		texts[n].add(line, s)
		return texts
	}
	t := Text{Kind: comment}
	if t.add(line, s); len(t.Parts) == 0 {
		return texts
	}
	return append(texts, t)
}
