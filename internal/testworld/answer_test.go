package testworld

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNormalForm(t *testing.T) {
	t.Parallel()
	const one = `{"httpMatches": [{"hash": "b"}, {"hash": "a"}], "rules": [{
		"toResourceRules": [{"resourceMeta": {"name": "b"}}, {"resourceMeta": {"name": "a"}, "resourceSectionName": "x"}, {"resourceMeta": {"name": "a"}}],
		"fromRules": [{"inbound": {"port": 90}}, {"inbound": {"port": 800}, "rules": [2]}, {"inbound": {"port": 800}, "rules": [1]}]}]}`
	const other = `{"httpMatches": [{"hash": "a"}, {"hash": "b"}], "rules": [{
		"toResourceRules": [{"resourceMeta": {"name": "a"}}, {"resourceMeta": {"name": "a"}, "resourceSectionName": "x"}, {"resourceMeta": {"name": "b"}}],
		"fromRules": [{"inbound": {"port": 90}}, {"inbound": {"port": 800}, "rules": [1]}, {"inbound": {"port": 800}, "rules": [2]}]}]}`
	if got := AnswerDifferences("", NormalAnswer(JSON(t, one)), JSON(t, other)); got != nil {
		t.Errorf("not in normal form: %v", got)
	}
}

func TestDifferences(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		engine, actual string
		want           []string
	}{
		"equal":               {`{"a": [1, {"b": null}]}`, `{"a": [1.0, {"b": null}]}`, nil},
		"null and absent":     {`{"a": null}`, `{}`, []string{`a: only the engine has null`}},
		"field missing":       {`{}`, `{"a": {"b": 1}}`, []string{`a: only the control plane has {"b":1}`}},
		"value":               {`{"a": [1, "50"]}`, `{"a": [1, 50]}`, []string{`a[1]: engine "50", control plane 50`}},
		"length":              {`{"a": [1]}`, `{"a": [1, 2]}`, []string{`a: engine [1], control plane [1,2]`}},
		"order where it says": {`{"rules": [1, 2]}`, `{"rules": [2, 1]}`, []string{`rules[0]: engine 1, control plane 2`, `rules[1]: engine 2, control plane 1`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, AnswerDifferences("", JSON(t, tt.engine), JSON(t, tt.actual))); diff != "" {
				t.Errorf("differences (-want +got):\n%s", diff)
			}
		})
	}
}
