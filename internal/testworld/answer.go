package testworld

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// NormalAnswer sorts the lists of a decoded answer of the inspect API whose order
// a control plane does not fix, as internal/rules/testdata/golden/README.md says.
// It changes the answer, and returns it.
func NormalAnswer(answer any) any {
	a := tree.Object(answer)
	sortBy(a["httpMatches"], tree.Path{"hash"})
	policies := tree.List(a["rules"])
	for _, v := range policies {
		p := tree.Object(v)
		sortBy(
			p["toResourceRules"], tree.Path{"resourceMeta", "name"}, tree.Path{"resourceMeta", "type"}, tree.Path{"resourceMeta", "mesh"},
			tree.Path{"resourceSectionName"},
		)
		sortBy(p["fromRules"], tree.Path{"inbound", "port"}, tree.Path{})
		sortBy(p["inboundRules"], tree.Path{"inbound", "port"}, tree.Path{})
	}
	return answer
}

// ComparableAnswer is [NormalAnswer] for an answer to compare. It adds the list of
// inbound rules, which control planes before 2.10 omit.
func ComparableAnswer(answer any) any {
	for _, v := range tree.List(tree.Object(answer)["rules"]) {
		if p := tree.Object(v); p != nil && p["inboundRules"] == nil {
			p["inboundRules"] = []any{}
		}
	}
	return NormalAnswer(answer)
}

// sortBy sorts objects by the values at the paths.
func sortBy(list any, paths ...tree.Path) {
	items := tree.List(list)
	slices.SortStableFunc(items, func(a, b any) int {
		for _, p := range paths {
			if c := compareValues(tree.At(a, p), tree.At(b, p)); c != 0 {
				return c
			}
		}
		return 0
	})
}

func compareValues(a, b any) int {
	x, isNumber := a.(json.Number)
	y, areNumbers := b.(json.Number)
	if isNumber && areNumbers {
		i, _ := x.Float64()
		j, _ := y.Float64()
		return cmp.Compare(i, j)
	}
	return cmp.Compare(sortKey(a), sortKey(b))
}

// sortKey puts what is absent first.
func sortKey(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	default:
		return phrase.JSON(v)
	}
}

// AnswerDifferences describes each difference between an answer of the engine
// and that of the control plane, both in normal form. name precedes the paths, and is empty
// for the whole.
func AnswerDifferences(name string, engine, actual any) []string {
	var out []string
	for _, d := range tree.Diff(engine, actual) {
		at := strings.TrimSpace(name + " " + d.Path.String())
		switch {
		case !d.InB:
			out = append(out, fmt.Sprintf("%s: only the engine has %s", at, phrase.JSON(d.A)))
		case !d.InA:
			out = append(out, fmt.Sprintf("%s: only the control plane has %s", at, phrase.JSON(d.B)))
		default:
			out = append(out, fmt.Sprintf("%s: engine %s, control plane %s", at, phrase.JSON(d.A), phrase.JSON(d.B)))
		}
	}
	return out
}
