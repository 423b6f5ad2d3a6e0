package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

func line(text string, n int) string { return strings.Split(text, "\n")[n] }

func parse(t *testing.T, text string) any {
	t.Helper()
	v, err := tree.DecodeJSON([]byte(text))
	testworld.NoError(t, err)
	return v
}

func TestKeep(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ recorded, answered, want string }{
		"same":                      {`{"a": 1, "b": [true, null]}`, `{"a": 1, "b": [true, null]}`, `{"a": 1, "b": [true, null]}`},
		"order of elements":         {`{"a": [1, 2]}`, `{"a": [2, 1]}`, `{"a": [2, 1]}`},
		"other value":               {`{"a": 1, "b": 2}`, `{"b": 3, "a": 1}`, `{"b": 3, "a": 1}`},
		"time":                      {`{"t": "2026-11-20T19:42:41.51Z"}`, `{"t": "2027-01-01T00:00:00Z"}`, `{"t": "2026-11-20T19:42:41.51Z"}`},
		"time beside another value": {`{"a": 1, "t": "2026-11-20T19:42:41.51Z"}`, `{"a": 2, "t": "2027-01-01T00:00:00Z"}`, `{"a": 2, "t": "2026-11-20T19:42:41.51Z"}`},
		"no time any more":          {`{"t": "2026-11-20T19:42:41.51Z"}`, `{"t": "yesterday"}`, `{"t": "yesterday"}`},
		"identifier":                {`["9de5e2b4-d57b-45f7-8029-5600fef6f28d"]`, `["00000000-d57b-45f7-8029-5600fef6f28d"]`, `["9de5e2b4-d57b-45f7-8029-5600fef6f28d"]`},
		"version":                   {`{"version": "unknown"}`, `{"version": "2.15.0"}`, `{"version": "unknown"}`},
		"number elsewhere":          {`{"port": 1}`, `{"port": 2}`, `{"port": 2}`},
		"field gone":                {`{"a": 1, "b": 2}`, `{"a": 1}`, `{"a": 1}`},
		"background":                {`{"status": {"addresses": []}}`, `{"status": {}}`, `{"status": {"addresses": []}}`},
		"status of a rejection":     {`{"status": 400}`, `{"status": 404}`, `{"status": 404}`},
		"order of violations":       {`{"causes": [{"field": "a"}, {"field": "b"}]}`, `{"causes": [{"field": "b"}, {"field": "a"}]}`, `{"causes": [{"field": "a"}, {"field": "b"}]}`},
		"other violations":          {`{"causes": [{"field": "a"}]}`, `{"causes": [{"field": "a"}, {"field": "a"}]}`, `{"causes": [{"field": "a"}, {"field": "a"}]}`},
		"spelling of numbers":       {`{"a": 1.0}`, `{"a": 1}`, `{"a": 1}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(parse(t, tt.want), keep("", parse(t, tt.recorded), parse(t, tt.answered))); diff != "" {
				t.Errorf("keep(%s, %s) (-want +got):\n%s", tt.recorded, tt.answered, diff)
			}
		})
	}
}
