package mesh

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxNodes bounds what one YAML stream may grow to when aliases are expanded.
const maxNodes = 4_000_000

// DecodeYAML reads a stream of YAML (or JSON) documents into JSON trees.
// Numbers keep their digits, time stamps stay texts, empty documents are left
// out. Errors name the line.
func DecodeYAML(data []byte) ([]any, error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var docs []any
	for {
		var n yaml.Node
		err := dec.Decode(&n)
		if errors.Is(err, io.EOF) {
			return docs, nil
		}
		if err != nil {
			return nil, err
		}
		c := yamlConverter{budget: maxNodes}
		v, err := c.value(&n, 0)
		if err != nil {
			return nil, err
		}
		if v != nil {
			docs = append(docs, v)
		}
	}
}

type yamlConverter struct{ budget int }

func (c *yamlConverter) value(n *yaml.Node, depth int) (any, error) {
	const deepest = 200
	c.budget--
	if c.budget < 0 || depth > deepest {
		return nil, fmt.Errorf("yaml: line %d: the document is nested too deeply or expands too much", n.Line)
	}
	switch n.Kind {
	case yaml.DocumentNode:
		return c.value(n.Content[0], depth+1)
	case yaml.AliasNode:
		return c.value(n.Alias, depth+1)
	case yaml.SequenceNode:
		out := make([]any, len(n.Content))
		for i, e := range n.Content {
			v, err := c.value(e, depth+1)
			if err != nil {
				return nil, err
			}
			out[i] = v
		}
		return out, nil
	case yaml.MappingNode:
		return c.mapping(n, depth)
	case yaml.ScalarNode:
		return scalar(n)
	default:
		return nil, nil
	}
}

func (c *yamlConverter) mapping(n *yaml.Node, depth int) (any, error) {
	out := make(map[string]any, len(n.Content)/2)
	var merged []map[string]any
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		if key.Kind != yaml.ScalarNode {
			return nil, fmt.Errorf("yaml: line %d: a key must be text", key.Line)
		}
		v, err := c.value(value, depth+1)
		if err != nil {
			return nil, err
		}
		if key.ShortTag() == "!!merge" {
			sources, err := mergeSources(v, key.Line)
			if err != nil {
				return nil, err
			}
			merged = append(merged, sources...)
			continue
		}
		if _, twice := out[key.Value]; twice {
			return nil, fmt.Errorf("yaml: line %d: key %q appears twice", key.Line, key.Value)
		}
		out[key.Value] = v
	}
	for _, m := range merged {
		for k, v := range m {
			if _, set := out[k]; !set {
				out[k] = CloneValue(v)
			}
		}
	}
	return out, nil
}

// mergeSources returns the objects that a merge key names: one or a list.
func mergeSources(v any, line int) ([]map[string]any, error) {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	out := make([]map[string]any, len(list))
	for i, e := range list {
		m, ok := e.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("yaml: line %d: \"<<\" takes an object or a list of objects, not %s", line, Describe(e))
		}
		out[i] = m
	}
	return out, nil
}

func scalar(n *yaml.Node) (any, error) {
	switch n.ShortTag() {
	case "!!null":
		return nil, nil
	case "!!bool":
		var b bool
		err := n.Decode(&b)
		return b, err
	case "!!int":
		if json.Valid([]byte(n.Value)) {
			return json.Number(n.Value), nil
		}
		var i int64
		if err := n.Decode(&i); err != nil {
			return nil, err
		}
		return json.Number(strconv.FormatInt(i, 10)), nil
	case "!!float":
		if json.Valid([]byte(n.Value)) {
			return json.Number(n.Value), nil
		}
		var f float64
		if err := n.Decode(&f); err != nil {
			return nil, err
		}
		b, err := json.Marshal(f)
		if err != nil {
			return nil, fmt.Errorf("yaml: line %d: %s is not a number that JSON knows", n.Line, n.Value)
		}
		return json.Number(b), nil
	default:
		return n.Value, nil
	}
}

// EncodeYAML writes one document: the envelope first, all other members in
// alphabetical order.
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

// textNode writes several lines as a block, unless white space would be lost or
// misread there.
func textNode(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	switch {
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
