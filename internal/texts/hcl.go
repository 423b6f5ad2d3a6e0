package main

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// hclTexts returns the comments and the quoted strings that are prose, with "…"
// for what is interpolated.
func hclTexts(source []byte) ([]Text, error) {
	tokens, problems := hclsyntax.LexConfig(source, "", hcl.InitialPos)
	if problems.HasErrors() {
		return nil, problems
	}
	var texts []Text
	var quoted *Text
	for _, token := range tokens {
		line, s := token.Range.Start.Line, string(token.Bytes)
		switch token.Type {
		case hclsyntax.TokenComment:
			texts = appendComment(texts, line, strings.TrimLeft(strings.TrimSpace(s), "#/* "))
		case hclsyntax.TokenOQuote:
			quoted = &Text{Kind: literal}
		case hclsyntax.TokenCQuote:
			if quoted != nil {
				texts = appendProse(texts, *quoted)
			}
			quoted = nil
		case hclsyntax.TokenQuotedLit:
			if quoted != nil {
				quoted.add(line, s)
			}
		case hclsyntax.TokenTemplateInterp:
			if quoted != nil {
				quoted.add(line, "…")
			}
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
