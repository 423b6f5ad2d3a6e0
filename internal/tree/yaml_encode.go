package tree

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// EncodeYAML writes one document: the envelope first, all other fields in
// alphabetical order. It fails if a value has a type that decoded documents do
// not have.
func EncodeYAML(doc map[string]any) ([]byte, error) {
	n, err := node(doc, "type", "mesh", "name", "labels", "creationTime", "modificationTime")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(n); err != nil {
		return nil, err
	}
	if err := enc.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func node(v any, first ...string) (*yaml.Node, error) {
	switch v := v.(type) {
	case map[string]any:
		n := &yaml.Node{Kind: yaml.MappingNode}
		keys := slices.Sorted(maps.Keys(v))
		slices.SortStableFunc(keys, func(a, b string) int { return rank(first, a) - rank(first, b) })
		for _, k := range keys {
			e, err := node(v[k])
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, textNode(k), e)
		}
		return n, nil
	case []any:
		n := &yaml.Node{Kind: yaml.SequenceNode}
		for _, e := range v {
			c, err := node(e)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, c)
		}
		return n, nil
	case json.Number:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: v.String()}, nil
	case string:
		return textNode(v), nil
	default:
		n := &yaml.Node{}
		return n, n.Encode(v)
	}
}

// oldBooleans are text in YAML 1.2, and booleans to readers of YAML 1.1, of which
// kumactl is one.
var oldBooleans = []string{"y", "n", "yes", "no", "on", "off"}

// textNode writes several lines as a block, unless white space would be lost or
// misread there.
func textNode(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	switch {
	case slices.Contains(oldBooleans, strings.ToLower(s)):
		n.Style = yaml.DoubleQuotedStyle
	case !strings.Contains(s, "\n"):
	case strings.ContainsAny(s, "\t\r") || strings.HasPrefix(s, " ") || strings.HasPrefix(s, "\n"):
		n.Style = yaml.DoubleQuotedStyle
	default:
		n.Style = yaml.LiteralStyle
	}
	return n
}

func rank(first []string, key string) int {
	if i := slices.Index(first, key); i >= 0 {
		return i
	}
	return len(first)
}
