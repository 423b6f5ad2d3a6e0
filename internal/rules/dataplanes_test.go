package rules_test

import (
	"errors"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

func TestSelectDataplanes(t *testing.T) {
	t.Parallel()
	s := snapshotOf(t, aMesh, `
type: Dataplane
name: web-1
labels: {team: a, kuma.io/zone: east}
networking:
  address: 10.0.0.1
  inbound:
    - {port: 80, tags: {kuma.io/service: web, version: v1}}
    - {port: 81, tags: {kuma.io/service: admin, version: v2}}
---
type: Dataplane
name: web-2
labels: {team: b, kuma.io/zone: west}
networking: {address: 10.0.0.2, inbound: [{port: 80, tags: {kuma.io/service: web, version: v2}}]}
---
type: Dataplane
name: edge
labels: {team: a}
networking: {address: 10.0.0.3, gateway: {type: DELEGATED, tags: {kuma.io/service: edge}}}
---
type: Dataplane
name: job
labels: {team: a}
networking: {address: 10.0.0.4}
---
type: MeshService
name: web-x1
labels: {kuma.io/display-name: web, kuma.io/zone: east}
spec: {selector: {dataplaneTags: {kuma.io/service: web}}, ports: [{port: 80}]}
---
type: MeshService
name: jobs
spec: {selector: {dataplaneLabels: {matchLabels: {team: a}}}, ports: [{port: 80}]}
`)
	for name, tt := range map[string]struct {
		by   rules.DataplaneSelector
		want []string
	}{
		"everything":                  {rules.DataplaneSelector{}, []string{"edge", "job", "web-1", "web-2"}},
		"labels":                      {rules.DataplaneSelector{Labels: map[string]string{"team": "a"}}, []string{"edge", "job", "web-1"}},
		"tags of an inbound":          {rules.DataplaneSelector{Tags: map[string]string{"version": "v2"}}, []string{"web-1", "web-2"}},
		"any value of a tag":          {rules.DataplaneSelector{Tags: map[string]string{"version": "*"}}, []string{"web-1", "web-2"}},
		"tags of one inbound":         {rules.DataplaneSelector{Tags: map[string]string{"kuma.io/service": "web", "version": "v2"}}, []string{"web-2"}},
		"tags of a gateway":           {rules.DataplaneSelector{Tags: map[string]string{"kuma.io/service": "edge"}}, []string{"edge"}},
		"service of its zone":         {rules.DataplaneSelector{Service: "web"}, []string{"web-1"}},
		"service by its own name":     {rules.DataplaneSelector{Service: "web-x1"}, []string{"web-1"}},
		"service by labels":           {rules.DataplaneSelector{Service: "jobs"}, []string{"edge", "job", "web-1"}},
		"service that is only a tag":  {rules.DataplaneSelector{Service: "admin"}, []string{"web-1"}},
		"tags of an inbound of it":    {rules.DataplaneSelector{Service: "web", Tags: map[string]string{"version": "v2"}}, []string{"web-1"}},
		"service, labels and tags":    {rules.DataplaneSelector{Service: "web", Tags: map[string]string{"version": "v1"}, Labels: map[string]string{"team": "a"}}, []string{"web-1"}},
		"label that no dataplane has": {rules.DataplaneSelector{Labels: map[string]string{"team": "c"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := s.SelectDataplanes("default", tt.by)
			testworld.NoError(t, err)
			testworld.Equal(t, "dataplanes", tt.want, got)
		})
	}
	if _, err := s.SelectDataplanes("nowhere", rules.DataplaneSelector{}); !errors.Is(err, rules.ErrUnknownMesh) {
		t.Errorf("unknown mesh: got %v, want %v", err, rules.ErrUnknownMesh)
	}
}
