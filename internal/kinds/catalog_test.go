package kinds_test

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// zone is the control plane that the recordings come from.
var zone = kuma.ControlPlane{Mode: kuma.ModeZone, Zone: "zone-1"}

// rejection is the body of an answer 400.
type rejection struct {
	Title   string `json:"title"`
	Detail  string `json:"detail"`
	Invalid []struct {
		Field string `json:"field"`
	} `json:"invalid_parameters"`
}

// fields returns the fields that the control plane reports, with the names of
// the document.
func (r rejection) fields() []string {
	var out []string
	for _, p := range r.Invalid {
		if p.Field != "" {
			out = append(out, indexOfFault.ReplaceAllString(realPath.Replace(p.Field), "http[$2].$1"))
		}
	}
	return out
}

// realPath corrects the wrong paths of the control plane.
var realPath = strings.NewReplacer(
	"mtls.dpcert.rotation", "mtls.backends[0].dpCert.rotation",
	".config.", ".conf.",
	"transparentProxing", "transparentProxying",
	".remove[0].name", ".remove[0]",
	"availableService[", "availableServices[",
	".spire.agent.spire.agent.", ".spire.agent.",
	".default.conf", ".default",
	"rules[0].allow", "rules[0].default.allow",
	"rules[0].deny", "rules[0].default.deny",
	"applications.application[", "applications[",
	"backends.backend[0].port", "backends[0].prometheus.port",
	"backends.backend[", "backends[",
)

// simpleKey finds the keys of maps that may be written without quotes.
var simpleKey = regexp.MustCompile(`\["(\w+)"\]`)

// indexOfFault matches the kind of a fault that has the index of its entry.
var indexOfFault = regexp.MustCompile(`http\.(abort|delay|responseBandwidth)\[(\d+)\]`)

// at reports whether the stage matches the title of the response.
func (r rejection) at(s def.Stage) bool {
	switch {
	case strings.HasPrefix(r.Detail, "bad request"), strings.HasPrefix(r.Title, "Failed to"):
		return s == def.Objects
	case r.Title == "Bad Request":
		return s == def.Decode
	default:
		return s == def.Schema || s == def.Rule || s == def.Envelope
	}
}

// needsOtherObjects lists rejected documents that are valid by themselves.
var needsOtherObjects = map[string]string{
	"Mesh-7":     "the Secrets of the authority do not exist",
	"Workload-2": "users do not write the status",
	"Zone-3":     "the label names another zone than that of the control plane",
}

// misnamed lists rejected documents in which the control plane reports a field
// that does not exist, and the field that it means.
var misnamed = map[string]string{
	"MeshCircuitBreaker-17": "spec.rules[0].default",
}

// recorded is the release of the control plane whose answers are in the catalog.
var recorded = kuma.ParseRelease("2.14.3")

func TestRefusedDocuments(t *testing.T) {
	t.Parallel()
	for _, file := range testworld.Files(t, "testdata/catalog/invalid/*.yaml") {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := testworld.Document(t, testworld.Text(t, file))
			var want rejection
			recode(t, testworld.JSON(t, testworld.Text(t, strings.TrimSuffix(file, ".yaml")+".error.json")), &want)

			if field, ok := misnamed[name]; ok {
				want.Invalid[0].Field = field
			}

			k := kind(t, doc)
			got := def.Errors(append(k.Validate(doc), k.ValidateRelease(doc, recorded)...))
			if why, ok := needsOtherObjects[name]; ok {
				if len(got) != 0 {
					t.Errorf("Validate(%s) = %v, want nothing, because %s", name, got, why)
				}
				return
			}
			checkRejection(t, got, want)
		})
	}
}

// checkRejection compares the problems of the first stage that has any, which are
// those that a control plane answers with.
func checkRejection(t *testing.T, problems []def.Problem, want rejection) {
	t.Helper()
	if len(problems) == 0 {
		t.Fatalf("the document is accepted, and the control plane says %+v", want)
	}
	first := slices.MinFunc(problems, func(a, b def.Problem) int { return int(a.Stage) - int(b.Stage) }).Stage
	var got []string
	for _, p := range problems {
		if p.Stage == first {
			got = append(got, p.Path.String())
		}
		if len(p.Summary) > 60 || p.Detail == "" {
			t.Errorf("%s: summary %q is too long, or has no detail", p.Path, p.Summary)
		}
	}
	if !want.at(first) {
		t.Errorf("found at stage %d, and the control plane says %q (%s)", first, want.Title, want.Detail)
	}
	fields := want.fields()
	for _, field := range fields {
		if !slices.ContainsFunc(got, func(path string) bool { return related(path, field) }) {
			t.Errorf("the control plane blames %s, and the problems are at %q", field, got)
		}
	}
	for _, path := range got {
		if len(fields) > 0 && !slices.ContainsFunc(fields, func(field string) bool { return related(path, field) }) {
			t.Errorf("there is a problem at %s, and the control plane blames %q", path, fields)
		}
	}
}

// related reports whether one path leads to the other.
func related(a, b string) bool {
	a, b = simpleKey.ReplaceAllString(a, ".$1"), simpleKey.ReplaceAllString(b, ".$1")
	return a == b || strings.HasPrefix(a, b+".") || strings.HasPrefix(a, b+"[") || strings.HasPrefix(b, a+".") || strings.HasPrefix(b, a+"[")
}

func TestAcceptedDocuments(t *testing.T) {
	t.Parallel()
	for _, file := range testworld.Files(t, "testdata/catalog/examples/*.yaml") {
		base := strings.TrimSuffix(file, ".yaml")
		var answers []struct {
			Body struct {
				Warnings []string `json:"warnings"`
			} `json:"body"`
		}
		recode(t, testworld.JSON(t, testworld.Text(t, base+".put.json")), &answers)
		stored := testworld.JSONObjects(t, testworld.Text(t, base+".stored.json"))
		for i, doc := range testworld.Documents(t, testworld.Text(t, file)) {
			t.Run(doc["type"].(string)+"/"+doc["name"].(string), func(t *testing.T) {
				t.Parallel()
				checkAccepted(t, doc, append(answers[i].Body.Warnings, forgotten[doc["name"].(string)]...))
				checkStored(t, doc, stored[i], zone)
			})
		}
	}
}

// forgotten are warnings that the control plane returns only for other kinds in
// the same case, by name of the document.
var forgotten = map[string][]string{
	"mp-matched": {"MeshSubset value for 'targetRef.kind' is deprecated"},
}

func checkAccepted(t *testing.T, doc map[string]any, warnings []string) {
	t.Helper()
	k := kind(t, doc)
	problems := k.Validate(doc)
	if errs := def.Errors(problems); len(errs) > 0 {
		t.Errorf("the document is rejected: %+v", errs)
	}
	if len(problems) != len(warnings) {
		t.Errorf("Validate = %+v, want the warnings %q", problems, warnings)
	}
	for _, p := range problems {
		if !slices.ContainsFunc(warnings, func(w string) bool { return strings.Contains(w, subject(doc, p)) }) {
			t.Errorf("warning about %s, want one of %q", p.Path, warnings)
		}
	}
	resource := testworld.FromDocument(t, doc)
	if got := k.UnknownFields(resource); len(got) != 0 {
		t.Errorf("UnknownFields = %v, want none", got)
	}
}

// subject is the name of the place of a problem in the messages of the control
// plane.
func subject(doc map[string]any, p def.Problem) string {
	last := p.Path[len(p.Path)-1].(string)
	if last == "name" {
		return "'" + doc["name"].(string) + "'"
	}
	return last
}

// backgroundJobs lists what a control plane wrote into the recordings between
// write and read.
var backgroundJobs = map[string][]tree.Path{
	"MeshService/backend":   {{"spec", "state"}, {"spec", "identities"}},
	"MeshService/by-ref":    {{"spec", "state"}, {"spec", "identities"}},
	"MeshService/by-labels": {{"spec", "state"}, {"spec", "identities"}},
	"ZoneIngress/zi-1":      {{"availableServices"}},
	"ZoneIngress/zi-2":      {{"availableServices"}},
}

func checkStored(t *testing.T, doc, stored map[string]any, zone kuma.ControlPlane) {
	t.Helper()
	k := kind(t, doc)
	r := testworld.FromDocument(t, doc)
	want := testworld.FromDocument(t, stored)
	c := def.StoreContext{ControlPlane: zone, Create: true, Mesh: meshes[r.Mesh]}
	got := k.Store(r, c)
	again := k.Store(want, def.StoreContext{ControlPlane: zone, Mesh: c.Mesh})
	testworld.Equal(t, "storing what is stored changes it", want.Document(), again.Document())
	for _, path := range backgroundJobs[k.Name+"/"+r.Name] {
		remove(got.Body, path)
		remove(want.Body, path)
	}
	testworld.Equal(t, "Store", want.Document(), got.Document())
}

// meshes are those of the recordings that matter for other documents.
var meshes = map[string]kuma.Resource{
	"normx": {Body: map[string]any{"meshServices": map[string]any{"mode": "Exclusive"}}},
}

func remove(doc map[string]any, path tree.Path) {
	last := len(path) - 1
	for _, step := range path[:last] {
		doc, _ = doc[step.(string)].(map[string]any)
	}
	delete(doc, path[last].(string))
}

// TestUnknownValues checks that an unknown value, which is possible anywhere
// during a plan, is not an error.
func TestUnknownValues(t *testing.T) {
	t.Parallel()
	for _, file := range testworld.Files(t, "testdata/catalog/examples/*.yaml") {
		for _, doc := range testworld.Documents(t, testworld.Text(t, file)) {
			t.Run(doc["type"].(string)+"/"+doc["name"].(string), func(t *testing.T) {
				t.Parallel()
				k := kind(t, doc)
				blank(doc, nil, func(at tree.Path) {
					if errs := def.Errors(k.Validate(doc)); len(errs) > 0 {
						t.Errorf("with an unknown %s: %+v", at, errs)
					}
				})
			})
		}
	}
}

// blank replaces one value after the other below v, leaves and others, by
// [tree.Unknown], and calls visit each time.
func blank(v any, at tree.Path, visit func(at tree.Path)) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if len(at) == 0 && (key == "type" || key == "name") {
				continue
			}
			blank(value, at.Child(key), visit)
			v[key] = tree.Unknown
			visit(at.Child(key))
			v[key] = value
		}
	case []any:
		for i, value := range v {
			blank(value, at.Child(i), visit)
			v[i] = tree.Unknown
			visit(at.Child(i))
			v[i] = value
		}
	}
}

// differences lists recorded writes that are answered in another way, and why.
var differences = map[string]string{
	"03-malformed/case-insensitive-field-policy":           "names in other case are not known",
	"03-malformed/wrong-type-dataplane-port-string-number": "numbers in quotes are not numbers",
	"03-malformed/enum-as-number-mesh":                     "enums have no numbers",
	"03-malformed/kri-wrong-type":                          "what the server computes is ignored",
	"03-malformed/creation-time-garbage":                   "what the server computes is ignored",
}

func TestRecordedWrites(t *testing.T) {
	t.Parallel()
	writes := testworld.JSONObjects(t, testworld.Text(t, "testdata/writes.json"))
	writes = append(writes, testworld.JSONObjects(t, testworld.Text(t, "testdata/field_rules.json"))...)
	for _, write := range writes {
		name := write["name"].(string)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if why, ok := differences[name]; ok {
				t.Skip(why)
			}
			doc := write["put"].(map[string]any)
			if answer, rejected := write["error"]; rejected {
				var want rejection
				recode(t, answer, &want)
				checkRejection(t, def.Errors(kind(t, doc).Validate(doc)), want)
				return
			}
			if errs := def.Errors(kind(t, doc).Validate(doc)); len(errs) > 0 {
				t.Errorf("the document is rejected: %+v", errs)
			}
			var warnings []string
			recode(t, write["warnings"], &warnings)
			if got := kind(t, doc).Validate(doc); len(got) != len(warnings) {
				t.Errorf("Validate = %+v, want the warnings %q", got, warnings)
			}
			if stored, ok := write["get"].(map[string]any); ok {
				checkStored(t, doc, stored, zone)
			}
		})
	}
}

// TestRecordedWritesOfKuma3 compares verdicts and stored documents with those of a
// development build of Kuma 3.0. It skips what the release is stated to reject.
func TestRecordedWritesOfKuma3(t *testing.T) {
	t.Parallel()
	cp := zone
	cp.Release = kuma.ParseRelease("3.0")
	for _, write := range testworld.JSONObjects(t, testworld.Text(t, "testdata/3.0/writes.json")) {
		t.Run(write["name"].(string), func(t *testing.T) {
			t.Parallel()
			doc := write["put"].(map[string]any)
			problems := def.Errors(append(kind(t, doc).ValidateIn(doc, cp.Release), kind(t, doc).ValidateLabels(doc, cp)...))
			for _, p := range problems {
				if p.Topic == def.Stated {
					t.Skipf("%s: stated: %s", p.Path, p.Detail)
				}
			}
			if answer, rejected := write["error"]; rejected {
				var want rejection
				recode(t, answer, &want)
				checkRejection(t, problems, want)
				return
			}
			if len(problems) > 0 {
				t.Errorf("the document is rejected: %+v", problems)
			}
			if stored, ok := write["get"].(map[string]any); ok {
				checkStored(t, doc, stored, cp)
			}
		})
	}
}

func kind(t *testing.T, doc map[string]any) def.Kind {
	t.Helper()
	name, _ := doc["type"].(string)
	k, ok := kinds.Find(name)
	if !ok {
		t.Fatalf("there is no kind %q", name)
	}
	return k
}

// recode copies what is decoded into a type of Go.
func recode(t *testing.T, from, into any) {
	t.Helper()
	data, err := json.Marshal(from)
	testworld.NoError(t, err)
	testworld.NoError(t, json.Unmarshal(data, into))
}
