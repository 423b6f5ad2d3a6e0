package document_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

const documents = `
{type: MeshTimeout, name: good, spec: {to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1m}}]}}
---
{type: MeshTimeout, name: wrong, spec: {to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1d}}]}}
---
{type: MeshTimeout, name: more, spec: {too: [], to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1m}}]}}
---
{type: MeshTimeout}
---
{type: MeshTimout, name: misspelled}
---
{type: TrafficPermission, name: older}
---
text
`

// TestStrictness reads the same documents at each level of strictness.
func TestStrictness(t *testing.T) {
	t.Parallel()
	type found struct {
		Read, LeftOut, Wrong []string
	}
	const (
		wrongValue = `document 2: MeshTimeout "wrong" of mesh "default", spec.to[0].default.idleTimeout: Invalid idleTimeout`
		wrongName  = `document 3: MeshTimeout "more" of mesh "default", spec.too: Unsupported field in MeshTimeout`
		noName     = `document 4: Invalid document`
		misspelled = `document 5: Unknown kind`
		older      = `document 6: Unknown kind`
		noDocument = `document 7: Invalid document`
	)
	described := []string{"good", "wrong", "more"}
	for name, test := range map[string]struct {
		reader document.Reader
		want   found
	}{
		"zero value": {
			want: found{Read: described, Wrong: []string{noName, misspelled, older, noDocument}},
		},
		"others left out": {
			reader: document.Reader{UnknownKinds: document.LeaveOut, Check: document.Values},
			want:   found{Read: described, LeftOut: []string{"older"}, Wrong: []string{wrongValue, wrongName, noName, misspelled, noDocument}},
		},
		"one accepted": {
			reader: document.Reader{UnknownKinds: document.LeaveOut, Accept: []string{"TrafficPermission"}},
			want:   found{Read: append(described[:3:3], "older"), Wrong: []string{noName, misspelled, noDocument}},
		},
		"others taken, all checked": {
			reader: document.Reader{UnknownKinds: document.Take, Check: document.Fields},
			want:   found{Read: append(described[:3:3], "misspelled", "older"), Wrong: []string{wrongValue, wrongName, noName, noDocument}},
		},
		"some skipped": {
			reader: document.Reader{Skip: func(_ string, doc map[string]any) bool { return doc["name"] != "good" }},
			want:   found{Read: described[:1], Wrong: []string{misspelled, older, noDocument}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, err := test.reader.Text([]byte(documents))
			testworld.NoError(t, err)
			var got found
			for _, d := range result.Documents {
				got.Read = append(got.Read, d.Resource.Name)
			}
			for _, key := range result.LeftOut {
				got.LeftOut = append(got.LeftOut, key.Name)
			}
			for _, p := range result.Problems {
				p.Detail = p.Summary
				got.Wrong = append(got.Wrong, p.Error())
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestUnknown checks that only the identity of a resource must be known to read
// it.
func TestUnknown(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		doc  map[string]any
		want string // empty when it is read
		key  bool
	}{
		"name":         {map[string]any{"type": "MeshTimeout", "name": tree.Unknown}, document.ErrUnknown.Error(), false},
		"labels":       {map[string]any{"type": "MeshTimeout", "name": "a", "labels": tree.Unknown}, document.ErrUnknown.Error(), true},
		"kind":         {map[string]any{"apiVersion": "kuma.io/v1alpha1", "kind": tree.Unknown}, document.ErrUnknown.Error(), false},
		"spec":         {map[string]any{"type": "MeshTimeout", "name": "a", "spec": tree.Unknown}, "", true},
		"other kind":   {map[string]any{"type": "Odd", "name": tree.Unknown}, `"Odd" is not a kind that this provider supports.`, false},
		"no name":      {map[string]any{"type": "MeshTimeout"}, "MeshTimeout: the field name is missing. Set it to the name of the resource.", false},
		"no kind":      {map[string]any{"name": "a"}, "The field type is missing. Set it to the kind of the resource, such as MeshTimeout.", false},
		"no documents": {nil, "The field type is missing. Set it to the kind of the resource, such as MeshTimeout.", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reader := document.Reader{Check: document.Fields}
			got := ""
			if _, err := reader.Value(test.doc).Only(); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if _, ok := reader.Key(test.doc); ok != test.key {
				t.Errorf("the key is known: %t, want %t", ok, test.key)
			}
		})
	}
}

// TestOnly checks the errors for streams without exactly one document.
func TestOnly(t *testing.T) {
	t.Parallel()
	var reader document.Reader
	for text, want := range map[string]string{
		"":                      "exactly one document is required, got 0",
		"{type: Zone, name: a}": "",
		"{type: Zone, name: a}\n---\n{type: Zone, name: b}": "exactly one document is required, got 2",
	} {
		result, err := reader.Text([]byte(text))
		testworld.NoError(t, err)
		got := ""
		if _, err := result.Only(); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
	if _, err := reader.Text([]byte("[")); err == nil {
		t.Error("no YAML is read")
	}
}

func TestUnknownKind(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		`"MeshTimout" is not a kind that this provider supports. Did you mean "MeshTimeout"?`:       document.UnknownKind("MeshTimout"),
		`"Ood" is not a kind that this provider or the control plane supports. Did you mean "Odd"?`: document.UnknownKind("Ood", "Odd"),
	} {
		if err.Error() != want {
			t.Errorf("got %s, want %s", err, want)
		}
	}
}
