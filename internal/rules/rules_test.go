package rules_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// aMesh is the mesh of all documents without a mesh.
const aMesh = `
type: Mesh
name: default
`

// answerFor matches YAML documents in universal format with a dataplane.
func answerFor(t *testing.T, dataplane string, documents ...string) rules.Answer {
	t.Helper()
	s := rules.NewSnapshot(testworld.Resources(t, documents...))
	answer, err := s.Dataplane("default", dataplane)
	testworld.NoError(t, err)
	return answer
}

func stream(documents ...string) string { return strings.Join(documents, "\n---\n") }

// rulesOf returns the rules of one kind; none when the answer has none.
func rulesOf(a rules.Answer, kind string) rules.PolicyRules {
	for _, r := range a.Rules {
		if r.Type == kind {
			return r
		}
	}
	return rules.PolicyRules{}
}

// The functions below format rules, one per line, so that a test can show what
// it expects: target | conf | origin in merge order.

func resourceRules(rs []rules.ResourceRule) []string {
	var out []string
	for _, r := range rs {
		about := r.ResourceMeta.Type + " " + r.ResourceMeta.Name
		if r.ResourceSectionName != "" {
			about += " " + r.ResourceSectionName
		}
		out = append(out, fmt.Sprintf("%s | %s | %s", about, confs(r.Conf), origins(r.Origin)))
	}
	return out
}

func tagRules(rs []rules.Rule) []string {
	var out []string
	for _, r := range rs {
		var matchers []string
		for _, m := range r.Matchers {
			text := m.Key + "=" + m.Value
			if m.Not {
				text = "!" + text
			}
			matchers = append(matchers, text)
		}
		out = append(out, fmt.Sprintf("%s | %s | %s", strings.Join(matchers, " "), compact(r.Conf), metas(r.Origin)))
	}
	return out
}

func inboundRules(rs []rules.InboundRule) []string {
	var out []string
	for _, r := range rs {
		about := "all"
		if r.Match != nil {
			about = compact(r.Match)
		}
		out = append(out, fmt.Sprintf("%s | %s | %s", about, confs(r.Conf), origins(r.Origin)))
	}
	return out
}

func confs(list []any) string {
	var out []string
	for _, conf := range list {
		out = append(out, compact(conf))
	}
	return strings.Join(out, " ")
}

func metas(list []rules.Meta) string {
	var out []string
	for _, m := range list {
		out = append(out, m.Name)
	}
	return strings.Join(out, " ")
}

// origins formats each origin as policy#index.
func origins(list []rules.Origin) string {
	var out []string
	for _, o := range list {
		out = append(out, fmt.Sprintf("%s#%d", o.ResourceMeta.Name, o.RuleIndex))
	}
	return strings.Join(out, " ")
}
