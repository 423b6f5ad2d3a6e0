package tree

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v3"
)

const (
	// maxRepeated limits how much aliases may add to the streams that one
	// decoder reads, in bytes. Everything else needs no limit: it takes memory
	// in proportion to the stream.
	maxRepeated = 16 << 20
	// valueSize is the size that a value counts for, in addition to its text.
	valueSize = 40
	// maxDepth limits how deeply values may be nested.
	maxDepth = 200
)

// DecodeYAML reads a stream of YAML (or JSON) documents into JSON trees.
// Numbers keep their digits, timestamps remain strings, and empty documents are
// omitted. Errors contain the line if the decoder reports it, and never a
// value.
func DecodeYAML(data []byte) ([]any, error) {
	var d YAMLDecoder
	return d.Decode(data)
}

// YAMLDecoder is [DecodeYAML] for several streams that belong together: one
// limit on the expansion of aliases applies to all of them. The zero value is
// ready to use.
type YAMLDecoder struct {
	repeated int // bytes that aliases have added so far
}

// Decode reads one stream of documents, as [DecodeYAML] does.
func (d *YAMLDecoder) Decode(data []byte) ([]any, error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var docs []any
	for {
		var n yaml.Node
		err := dec.Decode(&n)
		if errors.Is(err, io.EOF) {
			return docs, nil
		}
		if err != nil {
			return nil, withoutValue(err)
		}
		c := yamlConverter{decoder: d}
		v, err := c.value(&n, 0)
		if err != nil {
			return nil, withoutValue(err)
		}
		if v != nil {
			docs = append(docs, v)
		}
	}
}

// quotedValue finds the value that the decoder quotes in an error.
var quotedValue = regexp.MustCompile("(?s)(unknown anchor|cannot decode !!\\w+) ['`].*['`]")

// withoutValue removes quoted values from an error of the decoder: one may be a
// password that begins with "*".
func withoutValue(err error) error {
	return errors.New(quotedValue.ReplaceAllString(err.Error(), "$1"))
}

// yamlConverter reads one document.
type yamlConverter struct {
	decoder *YAMLDecoder
	aliases int // through which the current value was reached
}

// spend counts size bytes for a node, if it is there because of an alias.
func (c *yamlConverter) spend(n *yaml.Node, size int) error {
	if c.aliases == 0 {
		return nil
	}
	c.decoder.repeated += size
	if c.decoder.repeated > maxRepeated {
		return fmt.Errorf("yaml: line %d: the document expands too much: its aliases may add at most %d MB; use fewer aliases or shorter anchors",
			n.Line, maxRepeated>>20)
	}
	return nil
}

func (c *yamlConverter) value(n *yaml.Node, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("yaml: line %d: the document is nested too deeply: at most %d levels are allowed", n.Line, maxDepth)
	}
	if err := c.spend(n, valueSize+len(n.Value)); err != nil {
		return nil, err
	}
	switch n.Kind {
	case yaml.DocumentNode:
		return c.value(n.Content[0], depth+1)
	case yaml.AliasNode:
		c.aliases++
		defer func() { c.aliases-- }()
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
		key, err := c.key(n.Content[i])
		if err != nil {
			return nil, err
		}
		v, err := c.value(n.Content[i+1], depth+1)
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
				out[k] = Clone(v)
			}
		}
	}
	return out, nil
}

func (c *yamlConverter) key(n *yaml.Node) (*yaml.Node, error) {
	if n.Kind == yaml.AliasNode {
		c.aliases++
		defer func() { c.aliases-- }()
		n = n.Alias
	}
	if n.Kind != yaml.ScalarNode {
		return nil, fmt.Errorf("yaml: line %d: a key must be a string", n.Line)
	}
	return n, c.spend(n, len(n.Value))
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
			return nil, fmt.Errorf("yaml: line %d: \"<<\" must be an object or a list of objects, not %s", line, Describe(e))
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
			return nil, fmt.Errorf("yaml: line %d: %s is not a valid JSON number", n.Line, n.Value)
		}
		return json.Number(b), nil
	default:
		return n.Value, nil
	}
}
