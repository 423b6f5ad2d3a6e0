package main

import (
	"maps"
	"regexp"
	"slices"
)

// secrets are the values that must not be recorded.
var secrets = []struct {
	field    string // the name of the field; empty for the answer as a whole
	pattern  *regexp.Regexp
	redacted string
}{
	{"", regexp.MustCompile(`^eyJ[\w-]+\.[\w-]+\.[\w-]+$`), "<redacted JWT>"},
	{"data", regexp.MustCompile(`^[A-Za-z0-9+/]{200,}=*$`), "<redacted base64>"},
}

// redact replaces the secrets in an answer.
func redact(name string, v any) any {
	switch v := v.(type) {
	case object:
		v = maps.Clone(v)
		for field, e := range v {
			v[field] = redact(field, e)
		}
		return v
	case []any:
		v = slices.Clone(v)
		for i, e := range v {
			v[i] = redact(name, e)
		}
		return v
	}
	for _, s := range secrets {
		if s.field == name && matches(s.pattern, v) {
			return s.redacted
		}
	}
	return v
}
