package main

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
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

// keep returns the answer to record: the recorded one if both are equal, or the new one
// with the volatile values of the recorded one.
func keep(recorded, answered any) any {
	merged := keepVolatile("", recorded, answered)
	if equal(recorded, merged) {
		return recorded
	}
	return merged
}

func keepVolatile(name string, recorded, answered any) any {
	switch answered := answered.(type) {
	case object:
		old, _ := recorded.(object)
		if old != nil && name == background {
			return old
		}
		merged := slices.Clone(answered)
		for i, m := range answered {
			if j := old.index(m.name); j >= 0 {
				merged[i].value = keepVolatile(m.name, old[j].value, m.value)
			}
		}
		return merged
	case []any:
		old, _ := recorded.([]any)
		if slices.Contains(unordered, name) && samePermutation(old, answered) {
			return old
		}
		merged := slices.Clone(answered)
		for i := range min(len(old), len(answered)) {
			merged[i] = keepVolatile(name, old[i], answered[i])
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
		i := slices.IndexFunc(rest, func(other any) bool { return equal(v, other) })
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

// equal compares JSON values. The order of fields does not count.
func equal(a, b any) bool {
	switch a := a.(type) {
	case object:
		b, ok := b.(object)
		return ok && len(a) == len(b) && equalMaps(a.fields(), b.fields())
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	default:
		return a == b
	}
}

func equalMaps(a, b map[string]any) bool { return maps.EqualFunc(a, b, equal) }

func (o object) fields() map[string]any {
	m := map[string]any{}
	for _, e := range o {
		m[e.name] = e.value
	}
	return m
}
