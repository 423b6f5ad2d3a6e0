package kinds_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestReleases compares the releases of kinds, fields and values with those
// that were read from the releases 2.9 to 2.14.
func TestReleases(t *testing.T) {
	t.Parallel()
	entries, ok := testworld.Document(t, testworld.Text(t, "testdata/versions.yaml"))["kinds"].(map[string]any)
	if !ok {
		t.Fatal("versions.yaml lists no kinds")
	}
	for _, k := range kinds.All() {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			entry, ok := entries[k.Name].(map[string]any)
			if !ok {
				t.Fatalf("internal/kinds/testdata/versions.yaml has no %s: add it to kinds, with the release since which it exists", k.Name)
			}
			if diff := cmp.Diff(recordedReleases(entry), describedReleases(k)); diff != "" {
				t.Errorf(`internal/kinds/testdata/versions.yaml and Since, SinceOf in the declaration of %s do not agree (-file +declaration):
%s
A field that is missing in the file: add it to fields_added of the kind, a value to enum_changes, a kind of reference to target_ref.
A line that only the file has: set Since in the declaration.`, k.Name, diff)
			}
		})
	}
}

// recordedReleases returns lines like "2.14 spec.rules[].matches" for what came after 2.9,
// and like "3.0 without spec.from" for what was removed.
func recordedReleases(entry map[string]any) []string {
	var lines []string
	add := func(since any, what string) {
		if since != "2.9" {
			lines = append(lines, fmt.Sprintf("%v %s", since, what))
		}
	}
	remove := func(in any, what string) {
		if in != nil {
			lines = append(lines, fmt.Sprintf("%v without %s", in, what))
		}
	}
	add(entry["since"], "kind")
	remove(entry["removed_in"], "kind")
	if entry["removed_in"] != nil {
		return lines
	}
	refs, _ := entry["target_ref"].(map[string]any)
	for position, path := range map[string]string{"top": "spec.targetRef", "to": "spec.to[].targetRef"} {
		taken, _ := refs[position].(map[string]any)
		for kind, e := range taken {
			add(e.(map[string]any)["since"], path+".kind="+kind)
			remove(e.(map[string]any)["removed_in"], path+".kind="+kind)
		}
	}
	list := func(key string) []any {
		l, _ := entry[key].([]any)
		return l
	}
	for _, e := range list("fields_added") {
		field := e.(map[string]any)
		if path := field["path"].(string); !strings.HasPrefix(path, "status") {
			add(field["since"], path)
		}
	}
	for _, e := range list("fields_removed") {
		field := e.(map[string]any)
		remove(field["removed_in"], field["path"].(string))
	}
	for _, e := range list("enum_changes") {
		change := e.(map[string]any)
		for _, value := range change["added"].([]any) {
			add(change["in"], fmt.Sprintf("%s=%s", change["path"], value))
		}
		for _, value := range change["removed"].([]any) {
			remove(change["in"], fmt.Sprintf("%s=%s", change["path"], value))
		}
	}
	slices.Sort(lines)
	return lines
}

func describedReleases(k def.Kind) []string {
	var lines []string
	if k.Since != "" {
		lines = append(lines, k.Since+" kind")
	}
	if k.Removed.In != "" {
		return append(lines, k.Removed.In+" without kind")
	}
	root, within := "spec", k.Since
	if k.Flat {
		root = ""
	}
	describedIn(k.Fields, root, within, false, &lines)
	slices.Sort(lines)
	return lines
}

// describedIn adds the lines of an object that exists since within; removed reports
// whether it was removed as a whole.
func describedIn(o def.Object, at, within string, removed bool, lines *[]string) {
	for _, f := range o {
		path, since := strings.TrimPrefix(at+"."+f.Name, "."), within
		if f.Since != "" && f.Since != within {
			*lines = append(*lines, f.Since+" "+path)
			since = f.Since
		}
		gone := removed || f.Removed.In != ""
		if gone && !removed {
			*lines = append(*lines, f.Removed.In+" without "+path)
		}
		elem := f.Type
		if list, ok := elem.(def.List); ok {
			path, elem = path+"[]", list.Elem
		}
		for value, release := range f.SinceOf {
			if !kuma.ParseRelease(within).Has(release) || within == "" {
				*lines = append(*lines, fmt.Sprintf("%s %s=%s", release, path, value))
			}
		}
		for _, value := range f.Values() {
			if in := f.RemovedOf[value].In; in != "" && !gone {
				*lines = append(*lines, fmt.Sprintf("%s without %s=%s", in, path, value))
			}
		}
		if inner, ok := elem.(def.Object); ok {
			describedIn(inner, path, since, gone, lines)
		}
	}
}

// TestSectionBesideLabels checks that a section of a service that is selected by labels is
// a problem on releases before 2.10, wherever they check references (versions.md §4).
func TestSectionBesideLabels(t *testing.T) {
	t.Parallel()
	ref := func(kind string) string { return "{kind: " + kind + ", labels: {app: x}, sectionName: http}" }
	for name, test := range map[string]struct {
		kind def.Kind
		spec string
		want []string
	}{
		"to":           {kinds.MeshTimeout, "{to: [{targetRef: " + ref("MeshService") + "}]}", []string{"spec.to[0].targetRef.sectionName"}},
		"top":          {kinds.MeshTimeout, "{targetRef: " + ref("MeshService") + "}", []string{"spec.targetRef.sectionName"}},
		"backend":      {kinds.MeshTCPRoute, "{to: [{rules: [{default: {backendRefs: [" + ref("MeshService") + "]}}]}]}", []string{"spec.to[0].rules[0].default.backendRefs[0].sectionName"}},
		"mirror":       {kinds.MeshHTTPRoute, "{to: [{rules: [{default: {filters: [{type: RequestMirror, requestMirror: {backendRef: " + ref("MeshService") + "}}]}}]}]}", []string{"spec.to[0].rules[0].default.filters[0].requestMirror.backendRef.sectionName"}},
		"unchecked":    {kinds.MeshTimeout, "{to: [{targetRef: " + ref("MeshMultiZoneService") + "}]}", nil},
		"empty":        {kinds.MeshTimeout, "{to: [{targetRef: {kind: MeshService, labels: {app: x}, sectionName: ''}}]}", nil},
		"empty labels": {kinds.MeshTimeout, "{to: [{targetRef: {kind: MeshService, name: a, labels: {}, sectionName: http}}]}", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := testworld.Document(t, "type: "+test.kind.Name+"\nname: x\nspec: "+test.spec)
			for version, want := range map[string][]string{"2.9.0": test.want, "2.11.18": nil, "2.14.3": nil} {
				var got []string
				for _, p := range test.kind.ValidateRelease(doc, kuma.ParseRelease(version)) {
					got = append(got, p.Path.String())
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("problems on %s (-want +got):\n%s", version, diff)
				}
			}
		})
	}
}

// TestProtocolsByRelease checks which protocols only some releases accept (versions.md §4).
func TestProtocolsByRelease(t *testing.T) {
	t.Parallel()
	const (
		inbound  = "{type: Dataplane, name: a, networking: {address: 10.0.0.1, inbound: [{port: 80, "
		services = "{type: MeshMultiZoneService, name: a, spec: {selector: {meshService: {matchLabels: {a: b}}}, ports: [{port: 1, appProtocol: "
	)
	for name, test := range map[string]struct{ document, at, accepted, rejected string }{
		"inbound":           {inbound + "protocol: kafka}]}}", "networking.inbound[0].protocol", "2.14.3", "3.0.1"},
		"inbound, any case": {inbound + "protocol: KAFKA}]}}", "networking.inbound[0].protocol", "2.14.3", "3.0.1"},
		"tag":               {inbound + "tags: {kuma.io/service: a, kuma.io/protocol: MySQL}}]}}", `networking.inbound[0].tags["kuma.io/protocol"]`, "2.11.18", "2.9.0"},
		"service":           {"{type: MeshService, name: a, spec: {selector: {dataplaneRef: {name: a}}, ports: [{port: 80, appProtocol: KAFKA}]}}", "spec.ports[0].appProtocol", "2.14.3", "3.0.1"},
		"services":          {services + "kafka}]}}", "spec.ports[0].appProtocol", "2.14.3", "3.0.1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := testworld.Document(t, test.document)
			for release, want := range map[string][]string{test.accepted: {}, test.rejected: {test.at}} {
				if got := paths(kind(t, doc).ValidateRelease(doc, kuma.ParseRelease(release))); !slices.Equal(got, want) {
					t.Errorf("%s: problems at %q, want %q", release, got, want)
				}
			}
		})
	}
}

// TestWeightByRelease checks the largest weight of a destination.
func TestWeightByRelease(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		weight, release string
		valid           bool
	}{
		{"4294967295", "3.0", true},
		{"4294967296", "3.0", false},
		{"9007199254740991", "2.14", true},
		{"9007199254740992", "2.14", false},
		{"9223372036854775807", "2.14", false},
	} {
		doc := testworld.Document(t, "{type: MeshTCPRoute, mesh: shop, name: a, spec: {to: [{targetRef: {kind: MeshService, labels: {app: a}}, rules: [{default: {backendRefs: [{kind: MeshService, labels: {app: b}, port: 80, weight: "+tt.weight+"}]}}]}]}}")
		problems := def.Errors(kinds.MeshTCPRoute.ValidateIn(doc, kuma.ParseRelease(tt.release)))
		if valid := len(problems) == 0; valid != tt.valid {
			t.Errorf("Kuma %s, weight %s: %+v", tt.release, tt.weight, problems)
		}
	}
}
