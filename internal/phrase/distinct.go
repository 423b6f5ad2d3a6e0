package phrase

import "strings"

// Distinct formats values like [Value] with a maximum number of characters, but keeps
// what distinguishes them: it omits what a long value has in common with another one.
func Distinct(most int, values ...any) []string {
	texts := make([][]rune, len(values))
	for i, v := range values {
		texts[i] = []rune(Value(v, unlimited))
	}
	out := make([]string, len(values))
	for i, text := range texts {
		common := 0
		for j, other := range texts {
			if n := commonPrefix(text, other); i != j && n < max(len(text), len(other)) {
				common = max(common, n)
			}
		}
		out[i] = window(text, common, most)
	}
	return out
}

const unlimited = 1 << 30

func commonPrefix(a, b []rune) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// window shortens a text so that it contains the characters at a position.
func window(text []rune, position, most int) string {
	if len(text) <= most {
		return string(text)
	}
	const parts = 3
	start := 0
	if position > most*(parts-1)/parts {
		start = min(position-most/parts, len(text)-most+1)
	}
	var b strings.Builder
	if start > 0 {
		b.WriteRune('…')
		most--
	}
	if end := start + most; end < len(text) {
		b.WriteString(string(text[start : end-1]))
		b.WriteRune('…')
	} else {
		b.WriteString(string(text[start:]))
	}
	return b.String()
}
