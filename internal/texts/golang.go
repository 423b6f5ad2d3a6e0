package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
)

// goTexts returns the comments and the string literals that are prose. Literals
// joined by + are one text, with "…" for every other operand.
func goTexts(source []byte) ([]Text, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", source, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	var texts []Text
	for _, group := range file.Comments {
		texts = append(texts, goComment(files, group)...)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			n.Tag = nil // not prose
		case *ast.BinaryExpr:
			if n.Op == token.ADD && hasString(n) {
				t := Text{Kind: literal}
				operands(files, n, &t)
				texts = appendProse(texts, t)
				return false
			}
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				t := Text{Kind: literal}
				addLiteral(files, n, &t)
				texts = appendProse(texts, t)
			}
		}
		return true
	})
	return texts, nil
}

// goComment returns the paragraphs of a comment.
func goComment(files *token.FileSet, group *ast.CommentGroup) []Text {
	var texts []Text
	t := Text{Kind: comment}
	for _, c := range group.List {
		line := files.Position(c.Pos()).Line
		for i, s := range strings.Split(c.Text, "\n") {
			s = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(s, "//"), "/*"), "*/"))
			if s == "" && len(t.Parts) > 0 {
				texts = append(texts, t)
				t = Text{Kind: comment}
			}
			t.add(line+i, s)
		}
	}
	return appendProse(texts, t)
}

// hasString reports whether a sum has a string literal.
func hasString(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		return e.Op == token.ADD && (hasString(e.X) || hasString(e.Y))
	case *ast.BasicLit:
		return e.Kind == token.STRING
	}
	return false
}

// operands adds the literals of a sum to the text, in order.
func operands(files *token.FileSet, e ast.Expr, t *Text) {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		operands(files, e.X, t)
		operands(files, e.Y, t)
	case *ast.BasicLit:
		addLiteral(files, e, t)
	case *ast.CallExpr:
		t.add(files.Position(e.Pos()).Line, "…")
		for _, arg := range e.Args {
			if hasString(arg) {
				operands(files, arg, t)
			}
		}
	default:
		t.add(files.Position(e.Pos()).Line, "…")
	}
}

func addLiteral(files *token.FileSet, l *ast.BasicLit, t *Text) {
	s, err := strconv.Unquote(l.Value)
	if err != nil {
		return
	}
	line := files.Position(l.Pos()).Line
	if !strings.HasPrefix(l.Value, "`") {
		t.add(line, s)
		return
	}
	for i, part := range strings.Split(s, "\n") {
		t.add(line+i, part)
	}
}

func appendProse(texts []Text, t Text) []Text {
	if !prose.MatchString(t.String()) {
		return texts
	}
	return append(texts, t)
}
