package proxies_test

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/command"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// reviewOf reviews a plan, and returns the impact; nil if there is none.
func (s *reviewedShop) reviewOf(t *testing.T, plan []byte, options ...string) object {
	t.Helper()
	var out, errs bytes.Buffer
	arguments := slices.Concat([]string{"review", "-format=json", "-fail-on=never", "-endpoint", s.cp.Endpoint}, options, []string{"-"})
	if code := command.Run(t.Context(), "test", arguments, bytes.NewReader(plan), &out, &errs); code != 0 {
		t.Fatalf("exit code %d: %s%s", code, out.String(), errs.String())
	}
	meshes := tree.Objects(decode(t, out.Bytes())["meshes"])
	if len(meshes) == 0 {
		return nil
	}
	return tree.Object(meshes[0]["impact"])
}

func decode(t *testing.T, data []byte) object {
	t.Helper()
	v, err := tree.DecodeJSON(data)
	if err != nil {
		t.Fatal(err, string(data))
	}
	return tree.Object(v)
}

// change plans and applies the other side of a change, and compares the review with what it does.
func (s *reviewedShop) change(t *testing.T, before sideOfChange, version, added string, edits ...[]string) sideOfChange {
	t.Helper()
	s.write(t, added, edits...)
	s.must(t, "get")
	s.must(t, "plan", "-out=plan.bin", version)
	plan := s.must(t, "show", "-json", "plan.bin")
	review := s.reviewOf(t, plan)
	compareWithDataSource(t, review, decode(t, plan))
	s.must(t, "apply", "plan.bin")
	after := s.observe(t)
	compareConfigurations(t, review, after.stored, before.configs, after.configs)
	compareCalls(t, review, before.calls(t), after.calls(t))
	return after
}

// TestReviews compares reviews of changes of the shop, there and back, with what they do to the configuration of
// proxies, and with the impact that the data source in the same plan computes.
func TestReviews(t *testing.T) {
	terraform := needTerraform(t)
	cp := start(t)
	run, dir := newTerraformIn(t, terraform, "")
	version := "-var=kuma_version=" + cp.Info.Release.String()
	for name, c := range reviewedChanges {
		if c.older && cp.Info.Release.Kuma3() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := reviewedShop{cp, name, filepath.Join(dir, name), run}
			s.write(t, c.added[0], c.base)
			s.must(t, "get")
			s.must(t, "apply", "-auto-approve", version)
			before := s.observe(t)
			if c.forget != "" {
				s.must(t, "state", "rm", c.forget)
			}
			after := s.change(t, before, version, c.added[1], c.base, c.edits)
			if name != "moved" { // back, it would be destroyed and created in any order
				s.change(t, after, version, c.added[0], c.base)
			}
		})
	}
}

// TestReviewOfUpgrade compares the review of the plan for Kuma 3.0 with what proxies do on both releases.
func TestReviewOfUpgrade(t *testing.T) {
	terraform := needTerraform(t)
	old, newer := start(t), startBinary(t, "KUMA3_CP")
	if old.Info.Release.Kuma3() {
		t.Skip("KUMA_CP is of Kuma 3.0")
	}
	run, dir := newTerraformIn(t, terraform, "")
	version := func(cp *oracle.Site) string { return "-var=kuma_version=" + cp.Info.Release.String() }
	s := reviewedShop{old, "upgrade", filepath.Join(dir, "upgrade"), run}
	s.write(t, "")
	s.must(t, "get")
	s.must(t, "apply", "-auto-approve", version(old))
	before := s.observe(t)
	s.must(t, "plan", "-out=plan.bin", version(newer))
	plan := s.must(t, "show", "-json", "plan.bin")
	review := s.reviewOf(t, plan, "-kuma-version", newer.Info.Release.String())
	compareWithDataSource(t, review, decode(t, plan))
	s.cp = newer
	s.write(t, "")
	s.must(t, "apply", "-auto-approve", "-state=newer.tfstate", version(newer))
	after := s.observe(t)
	compareConfigurations(t, review, after.stored, before.does(t), after.does(t))
	compareCalls(t, review, before.calls(t), after.calls(t))
}

// compareWithDataSource compares a review with the data source in the same plan.
func compareWithDataSource(t *testing.T, review, plan object) {
	t.Helper()
	for _, n := range tree.Root(plan).Find("prior_state.values.root_module.resources[]") {
		r := tree.Object(n.Value())
		if r["address"] != "data.kuma_policy_impact.planned" {
			continue
		}
		values := tree.Object(r["values"])
		for name, value := range review {
			testworld.Equal(t, name+" of the review and of the data source", withoutNulls(value), withoutNulls(values[name]))
		}
		if review == nil && !strings.Contains(tree.Text(values["summary"]), "no dataplane changes") {
			t.Errorf("the review has no impact, and the data source: %s", values["summary"])
		}
		return
	}
	t.Error("the plan has no impact of the data source")
}

// withoutNulls returns a value without null: attributes that JSON does not have.
func withoutNulls(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			if withoutNulls(value) == nil {
				delete(v, name)
			}
		}
	case []any:
		for _, value := range v {
			withoutNulls(value)
		}
	}
	return v
}

// compareConfigurations compares a review with how proxies are configured on both sides.
func compareConfigurations(t *testing.T, review object, after []kuma.Resource, was, is map[string]object) {
	t.Helper()
	names := func(list string) map[string]bool {
		out := map[string]bool{}
		for _, name := range tree.List(review[list]) {
			out[tree.Text(name)] = true
		}
		return out
	}
	changed, added, removed := names("dataplanes_changed"), names("dataplanes_added"), names("dataplanes_removed")
	silent := map[string]bool{} // they may reach everything
	for _, r := range after {
		networking := tree.Object(r.Body["networking"])
		silent[r.Name] = networking["outbound"] == nil && networking["listeners"] == nil
	}
	all := maps.Clone(was)
	maps.Copy(all, is)
	for name := range all {
		if isNew, isGone := was[name] == nil, is[name] == nil; isNew || isGone || added[name] || removed[name] {
			if isNew != added[name] || isGone != removed[name] {
				t.Errorf("%s: the review adds %v and removes %v", name, added, removed)
			}
			continue
		}
		var different []string
		for _, d := range tree.Diff(was[name], is[name]) {
			different = append(different, fmt.Sprintf("%s: %.300v, before %.300v", d.Path, phrase.JSON(d.B), phrase.JSON(d.A)))
		}
		if changes := different != nil; changes && !changed[name] || changed[name] && !changes && !silent[name] {
			t.Errorf("%s changes by the review: %t, by the configuration:\n%s", name, changed[name], strings.Join(different, "\n"))
		}
	}
}

// compareCalls compares who gains or loses access by a review with the calls that services accept on both sides.
func compareCalls(t *testing.T, review object, was, is map[call]bool) {
	t.Helper()
	reviewed := map[call]bool{}
	for list, gained := range map[string]bool{"access_gained": true, "access_lost": false} {
		for _, change := range tree.Objects(review[list]) {
			for _, client := range tree.List(change["clients"]) {
				name, _, _ := strings.Cut(tree.Text(client), "/") // further services
				c := call{name, tree.Text(change["service"])}
				reviewed[c] = true
				if accepted, ok := is[c]; ok && (accepted != gained || was[c] == gained) {
					t.Errorf("%s: %v, which the service accepted before: %t, after: %t", list, c, was[c], accepted)
				}
			}
		}
	}
	for c, accepted := range was {
		if now, ok := is[c]; ok && accepted != now && !reviewed[c] {
			t.Errorf("%v is accepted before: %t, after: %t, which the review does not name", c, accepted, now)
		}
	}
	t.Logf("review: %v\naccepted before: %v\nafter: %v", review["summary"], was, is)
}
