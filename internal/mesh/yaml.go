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
	var merged []any
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
			merged = append(merged, v)
			continue
		}
		if _, twice := out[key.Value]; twice {
			return nil, fmt.Errorf("yaml: line %d: key %q appears twice", key.Line, key.Value)
		}
		out[key.Value] = v
	}
	for _, m := range merged {
		list, ok := m.([]any)
		if !ok {
			list = []any{m}
		}
		for _, e := range list {
			for k, v := range asMap(e) {
				if _, set := out[k]; !set {
					out[k] = CloneValue(v)
				}
			}
		}
	}
	return out, nil
}

func asMap(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
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
			n.Content = append(n.Content, text2node(k), e)
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
		return text2node(v), nil
	default:
		n := &yaml.Node{}
		return n, n.Encode(v)
	}
}

func text2node(s string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(s)
	if n.Style == 0 {
		// Encode quotes what would otherwise be read back as another type.
		_ = n.Encode(s)
	}
	return n
}

func rank(first []string, key string) int {
	if i := slices.Index(first, key); i >= 0 {
		return i
	}
	return len(first)
}

func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	case string:
		return "text"
	case bool:
		return "a boolean"
	default:
		return "a number"
	}
}
