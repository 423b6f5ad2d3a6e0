package tree

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// EncodeJSON writes a value on one line, without escaping "<", ">" and "&". It
// fails if the value is not valid JSON, such as a [json.Number] that is not a
// number.
func EncodeJSON(v any) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// DecodeJSON reads one JSON value; numbers keep their digits. It fails if data
// is not valid JSON, or contains more than one value.
func DecodeJSON(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("unexpected data after the JSON value")
	}
	return v, nil
}
