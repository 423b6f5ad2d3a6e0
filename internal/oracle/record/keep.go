package main

import (
	"encoding/json"
	"regexp"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// volatile are the values that differ from run to run although the control plane
// does the same. A recording keeps the ones it has.
var volatile = []struct {
	field   string         // the name of the field; of any field when empty
	pattern *regexp.Regexp // of the value as a whole
}{
	{"", regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$`)},                      // times
	{"", regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)}, // UUIDs
	{"data", regexp.MustCompile(`^<redacted`)},                                                 // keys and certificates in secrets
	{"hostname", regexp.MustCompile(``)},                                                       // of the machine
	{"instanceId", regexp.MustCompile(``)},                                                     // of the process
	{"version", regexp.MustCompile(`^(unknown|\d+\.\d+\.\d+.*)$`)},                             // of the control plane
	{"exp", regexp.MustCompile(`^\d+$`)},                                                       // times in tokens
	{"nbf", regexp.MustCompile(`^\d+$`)},                                                       //
	{"iat", regexp.MustCompile(`^\d+$`)},                                                       //
}

// unordered are the fields whose lists have a random order: the violations that
// a control plane reports.
var unordered = []string{"invalid_parameters", "causes"}

// background is the field that a control plane writes a few seconds after it
// has stored a resource. The status of a response is a number, and is not
// affected.
const background = "status"

// keep returns the answer with the volatile values of the recorded one. name is the name
// of the field; empty for the answer as a whole.
func keep(name string, recorded, answered any) any {
	switch answered := answered.(type) {
	case object:
		old := tree.Object(recorded)
		if old != nil && name == background {
			return old
		}
		merged := make(object, len(answered))
		for field, v := range answered {
			merged[field] = keep(field, old[field], v)
		}
		return merged
	case []any:
		old := tree.List(recorded)
		if slices.Contains(unordered, name) && samePermutation(old, answered) {
			return old
		}
		merged := slices.Clone(answered)
		for i := range min(len(old), len(answered)) {
			merged[i] = keep(name, old[i], answered[i])
		}
		return merged
	}
	for _, v := range volatile {
		if (v.field == "" || v.field == name) && matches(v.pattern, recorded) && matches(v.pattern, answered) {
			return recorded
		}
	}
	return answered
}

// samePermutation reports whether two lists differ at most in their order.
func samePermutation(a, b []any) bool {
	rest := slices.Clone(b)
	for _, v := range a {
		i := slices.IndexFunc(rest, func(other any) bool { return tree.Equal(v, other) })
		if i < 0 {
			return false
		}
		rest = slices.Delete(rest, i, i+1)
	}
	return len(rest) == 0
}

func matches(pattern *regexp.Regexp, v any) bool {
	switch v := v.(type) {
	case string:
		return pattern.MatchString(v)
	case json.Number:
		return pattern.MatchString(v.String())
	default:
		return false
	}
}
