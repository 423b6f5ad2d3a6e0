package command_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/command"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// run executes a command in the directory testdata.
func run(t *testing.T, in string, arguments ...string) (out, errs string, code int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = command.Run(t.Context(), "test", arguments, strings.NewReader(in), &stdout, &stderr)
	return stdout.String(), stderr.String(), code
}

// TestCommandsOfTheGuide runs the commands of the guide, which show their results.
func TestCommandsOfTheGuide(t *testing.T) {
	guide := testworld.Text(t, filepath.Join("..", "..", "docs", "guides", "command-line.md"))
	t.Chdir("testdata")
	blocks := regexp.MustCompile("(?s)```console\n\\$ terraform-provider-kuma ([^\n]*)\n(.*?)```").FindAllStringSubmatch(guide, -1)
	if len(blocks) != 6 {
		t.Fatalf("the guide has %d commands, want 6", len(blocks))
	}
	for _, b := range blocks {
		out, errs, code := run(t, "", strings.Fields(b[1])...)
		if diff := cmp.Diff(b[2], out); diff != "" || errs != "" {
			t.Errorf("%s (-guide +got):\n%s%s", b[1], diff, errs)
		}
		want := 0
		if strings.HasPrefix(b[1], "lint") {
			want = 1
		}
		testworld.Equal(t, fmt.Sprintf("%s ends with", b[1]), want, code)
	}
}

// TestNotesSayWhatIsNotAnalyzed checks that documents that have no effect on a result are named.
func TestNotesSayWhatIsNotAnalyzed(t *testing.T) {
	const (
		mesh    = "type: Mesh\nname: shop\n---\n"
		timeout = "{type: MeshTimeout, name: a, %sspec: {to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]}}\n"
	)
	inMesh := func(mesh string) string { return fmt.Sprintf(timeout, mesh) }
	for name, test := range map[string]struct {
		files   map[string]string
		options string
		want    string // empty for none
	}{
		"no such mesh": {map[string]string{"a.yaml": mesh + inMesh("mesh: shpo, ")}, "", "Note: ignored the resources of mesh shpo, which no document describes.\n"},
		"no mesh":      {map[string]string{"a.yaml": mesh + inMesh("")}, "", "Note: ignored the resources of mesh default, which no document describes.\n"},
		"odd names": {
			map[string]string{"a.yaml": mesh + "{type: TrafficRoute, mesh: \"`<b>\\e\\n\", name: \"`<b>\\e\\n\"}\n---\n{type: \"a\\n\", mesh: \"\\n\", name: a}\n"},
			"",
			"Note: ignored documents of the kinds `a\\n`, which are not kinds that this provider supports.\n" +
				"Note: resources of the older kinds are not evaluated: TrafficRoute. Answers name them, or are unknown because of them.\n" +
				"Note: ignored the resources of mesh `` `<b>\\x1b\\n ``, which no document describes.\n",
		},
		"another mesh": {map[string]string{"a.yaml": mesh + "type: Mesh\nname: bank\n---\n" + inMesh("mesh: bank, ")}, "-mesh shop", ""},
		"twice": {
			map[string]string{"a.yaml": mesh + inMesh("mesh: shop, "), "b`.yaml": inMesh("mesh: shop, ")},
			"",
			"Note: MeshTimeout \"a\" of mesh \"shop\" is in `a.yaml` and again in `` b`.yaml ``, which counts.\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			for file, text := range test.files {
				write(t, file, text)
			}
			for _, arguments := range []string{"lint .", "impact . .", "access ."} {
				out, errs, code := run(t, "", strings.Fields(arguments+" "+test.options)...)
				got := slices.Sorted(strings.Lines(errs))
				want := slices.Sorted(strings.Lines(strings.Repeat(test.want, strings.Count(arguments, "."))))
				if name == "twice" && arguments == "lint ." { // which finds it
					want = nil
					if !strings.Contains(out, "warning duplicate-document: b`.yaml:1\n  MeshTimeout \"a\" of mesh \"shop\" is in `a.yaml` and again in `` b`.yaml ``, which counts.\n") {
						t.Errorf("the duplicate is not a finding:\n%s", out)
					}
				}
				if !slices.Equal(got, want) || code != 0 {
					t.Errorf("%s: exit code %d, %q, want %q", arguments, code, got, want)
				}
			}
		})
	}
}

// TestArgumentsReachTheTerminalEscaped checks that no argument, which a script may have from
// elsewhere, controls the terminal.
func TestArgumentsReachTheTerminalEscaped(t *testing.T) {
	t.Chdir("testdata")
	for _, odd := range []string{
		"request before -dataplane web-1 -host \x1b]0;x\a.mesh", "request before -dataplane web-1 -host a.mesh -method G\x1b -path /\x1b[31m", "lint before -\x1b[31mx",
		"request before -dataplane web-1 -host \x1b]0;x\a.mesh -format html", "lint before -format \x1b[31m", "lint before -mesh \x1b[31m", "lint \x1b[31m", "\x1b[31m",
	} {
		out, errs, _ := run(t, "", strings.Fields(odd)...)
		if strings.ContainsAny(out+errs, "\x1b\a") {
			t.Errorf("%q: %q %q", odd, out, errs)
		}
	}
}

// TestSARIFNamesTheLine checks that a finding has the line of its path in its file.
func TestSARIFNamesTheLine(t *testing.T) {
	t.Chdir("testdata")
	out, errs, code := run(t, "", "lint", "before", "-format", "sarif")
	var got struct {
		Version string
		Runs    []struct {
			Tool    struct{ Driver struct{ Version string } }
			Results []struct {
				RuleID, Level string
				Locations     []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != 1 || errs != "" {
		t.Fatalf("exit code %d, %v %s", code, err, errs)
	}
	r := got.Runs[0]
	place := r.Results[0].Locations[0].PhysicalLocation
	if got.Version != "2.1.0" || r.Tool.Driver.Version != "test" || r.Results[0].RuleID != "dangling-target" || r.Results[0].Level != "error" {
		t.Errorf("got %+v", got)
	}
	if place.ArtifactLocation.URI != "before/policies/timeout.yaml" || place.Region.StartLine != 7 {
		t.Errorf("the finding is at %+v", place)
	}
}

// TestSARIFNamesFilesByURIs checks that nothing in the name of a file changes the meaning of its URI.
func TestSARIFNamesFilesByURIs(t *testing.T) {
	text := "type: Mesh\nname: shop\nmeshServices: {mode: Exclusive}\n---\n" + testworld.Text(t, filepath.Join("testdata", "before", "policies", "timeout.yaml"))
	t.Chdir(t.TempDir())
	for name, want := range map[string]string{
		"a b#c?d%20.yaml": `"uri": "a%20b%23c%3Fd%2520.yaml"`, "a:b.yaml": `"uri": "./a:b.yaml"`, "x\nü.yaml": `"uri": "x%0A%C3%BC.yaml"`,
	} {
		write(t, name, text)
		if out, errs, _ := run(t, "", "lint", "-format", "sarif", name); !strings.Contains(out, want) {
			t.Errorf("%q: want %s in\n%s%s", name, want, out, errs)
		}
	}
}

// TestExitCodes checks when a command succeeds, has a negative result, and fails.
func TestExitCodes(t *testing.T) {
	const mesh = "type: Mesh\nname: shop\n"
	const timeout = "{type: MeshTimeout, mesh: shop, name: a, spec: {to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]}}\n"
	t.Chdir("testdata")
	for name, test := range map[string]struct {
		in        string
		arguments string
		code      int
		says      string // on either output
	}{
		"no findings":             {"", "lint after", 0, "no findings"},
		"findings that may be":    {"", "lint -fail-on never before", 0, "dangling-target"},
		"standard input":          {mesh, "lint -", 0, `Mesh "shop" has no findings`},
		"no impact":               {"", "impact after -exit-code after", 0, "no dataplane changes"},
		"impact":                  {"", "impact -exit-code before after", 1, "requestTimeout"},
		"impact on requests":      {"", "impact -exit-code tcp/http.yaml tcp/tcp.yaml", 1, "GET /v2 on api port 80"},
		"impact as JSON":          {"", "impact before after -format json", 0, `"dataplanes_changed": [`},
		"service without clients": {"", "request after -dataplane web-1 -service api -header a=b -port 80", 0, "Verdict: allowed"},
		"host":                    {"", "request after -dataplane web-1 -host www.example.com -port 443", 0, "Verdict: passthrough"},
		"client service":          {"", "request after -client-service api -service api -port 80", 0, "Verdict: allowed"},
		"unknown proxy":           {"", "request after -dataplane web-2 -service api", 2, `Unknown dataplane "web-2"; dataplanes of mesh "shop": api-1 and web-1. Did you mean "web-1"?`},
		"request as HTML": {"", "request after -dataplane web-1 -service api -port 80 -format html", 0, `decision accepted" aria-label="Decision">
<strong>Verdict: allowed`},
		"no listener as HTML": {"", "request after -dataplane web-1 -service api -port 99 -format html", 1, `decision refused" aria-label="Decision">
<strong>Verdict: unreachable`},
		"header without value":   {"", "request after -header a", 2, "write NAME=VALUE"},
		"missing client":         {"", "request after -service api", 2, "Error: request needs exactly one of -dataplane, -client-service and -spiffe-id."},
		"missing destination":    {"", "request after -dataplane web-1", 2, "Error: request needs exactly one of -service and -host."},
		"port by name":           {"", "request after -dataplane web-1 -service api -port http", 2, `Error: Invalid value "http" for flag -port: must be a number.`},
		"unknown service":        {"", "access after -to apj", 2, `There is no service "apj". Did you mean "api"?`},
		"unknown client":         {"", "access after -from wep-1", 2, `There is no client "wep-1". Did you mean "web-1"?`},
		"unknown mesh":           {"", "lint after -mesh shpo", 2, `There is no mesh "shpo" in the documents. Did you mean "shop"?`},
		"impact on unknown mesh": {"", "impact before after -mesh shpo", 2, `There is no mesh "shpo" in the documents. Did you mean "shop"?`},
		"standard input twice":   {mesh, "impact - -", 2, "Only one path can be the standard input"},
		"misspelled field":       {mesh + "---\ntype: MeshTimeout\nname: a\nmesh: shop\nspec: {to: [{targetRef: {kind: Mesh}, default: {idelTimeout: 1s}}]}\n", "lint -", 1, `does not have the field "idelTimeout" here. A control plane would drop it silently. Did you mean "idleTimeout"?`},
		"selected clients":       {"", "access after -from web-1 -to api", 0, "api:80"},
		"rules of a proxy":       {"", "rules after -dataplane web-1 -service api -type MeshTimeout -defaults", 0, "http.requestTimeout = 5s ← api"},
		"rules of all proxies":   {"", "rules after", 0, "2 proxies: api-1 and web-1"},
		"rules with a warning":   {"", "rules before -dataplane web-1", 0, `Warning: MeshTimeout "api": to[0] targets MeshService "apj"`},
		"rules as JSON":          {"", "rules after -dataplane web-1 -format json", 0, `"kri": "kri_msvc_shop___api_"`},
		"rules of no proxy":      {"", "rules after -dataplane wep-1", 2, `Error: Dataplane "wep-1" of mesh "shop" is not in the documents. Did you mean "web-1"?`},
		"rules for nothing":      {"", "rules after -dataplane web-1 -service apj", 2, `Error: No stored or planned destination of mesh "shop" has the name "apj".`},
		"rules of no policy":     {"", "rules after -type MeshTimeouts", 2, `Did you mean "MeshTimeout"?`},
		"rules on no route":      {"", "rules after -dataplane web-1 -service api -route apj", 2, `Error: Route "apj" is neither stored nor planned in mesh "shop".`},
		"route without service":  {"", "rules after -dataplane web-1 -route api", 2, "Error: rules -route and -kind need -service."},
		"service without proxy":  {"", "rules after -service api", 2, "Error: rules -service and -defaults need -dataplane."},
		"upgrade":                {mesh + "meshServices: {mode: Exclusive}\n---\n{type: MeshTimeout, mesh: shop, name: a, spec: {targetRef: {kind: MeshSubset, tags: {a: b}}, to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]}}\n", "upgrade -", 1, "Kuma 3.0: not ready."},
		"upgrade in detail":      {mesh + "meshServices: {mode: Exclusive}\n", "upgrade -details -", 1, "\nDetails\n"},
		"upgrade as JSON":        {mesh + "meshServices: {mode: Exclusive}\n", "upgrade -format json -", 1, `"ready": `},
		"upgrade as HTML": {mesh + "meshServices: {mode: Exclusive}\n", "upgrade -format html -details -", 1, `decision refused" aria-label="Decision">
<strong>Kuma 3.0: not ready.`},
		"upgrade of nothing":      {"", "upgrade -", 2, "There are no Kuma resources."},
		"upgrade of 3.0":          {mesh, "upgrade -kuma-version 3.0 -", 2, "upgrade reads what Kuma 2 stores, and the release is 3.0."},
		"no command":              {"", "", 2, "Usage: terraform-provider-kuma COMMAND"},
		"no SPIFFE ID":            {"", "request after -service api -spiffe-id web", 2, "Error: Invalid SPIFFE ID \"web\": scheme is missing or invalid."},
		"misspelled command":      {"", "lnt after", 2, `Did you mean "lint"?`},
		"misspelled option":       {"", "lint -formt json after", 2, "lists the options.\nError: Flag provided but not defined: -formt. Did you mean \"-format\"?\n"},
		"unknown format":          {"", "access -format junit after", 2, "Valid values: text or json."},
		"unknown severity":        {"", "lint -fail-on bad after", 2, "error, warning, info or never"},
		"too few paths":           {"", "impact", 2, "Error: impact needs a path."},
		"too many paths":          {"", "lint before after", 2, "lint takes at most 1 path."},
		"missing directory":       {"", "lint nowhere", 2, "Error: nowhere: no such file or directory."},
		"several meshes":          {mesh + "---\ntype: Mesh\nname: other\n", "lint -", 0, "Mesh \"other\" has no findings. It has no Dataplanes, so the selections of proxies and the settings that depend on them were not checked.\nMesh \"shop\""},
		"one request in several":  {mesh + "---\ntype: Mesh\nname: other\n", "request -dataplane a -service b -", 2, "There are several meshes: other and shop. Select one with -mesh."},
		"several meshes as JSON":  {mesh + "---\ntype: Mesh\nname: other\n", "access -format json -", 0, "{\n  \"other\": {"},
		"mesh of policies only":   {"{kind: ConfigMap, apiVersion: v1, metadata: {name: a}}\n---\n{type: DoughnutPolicy, mesh: other, name: a}\n---\n{type: Zone, name: z}\n---\n" + timeout, "lint -", 0, `Mesh "shop"`},
		"several without a Mesh":  {timeout + "---\n{type: MeshTimeout, name: b, spec: {to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]}}\n", "lint -", 0, "Mesh \"default\""},
		"one of several meshes":   {mesh + "---\ntype: Mesh\nname: other\n", "lint - -mesh other", 0, `Mesh "other"`},
		"invalid YAML":            {"a: [", "lint -", 1, "error invalid-document: -:1\n  Line 1: did not find expected node content. Nothing in the file is analyzed.\n"},
		"invalid document":        {mesh + "---\ntype: MeshTimeout\nname: a\nmesh: shop\n", "lint -", 1, "error invalid-document: -:4\n  Document 2: MeshTimeout \"a\" of mesh \"shop\", spec: Add a spec block"},
		"invalid for impact":      {mesh + "---\ntype: MeshTimeout\nname: a\nmesh: shop\n", "access -", 2, "Error: -: document 2: MeshTimeout"},
		"version":                 {"", "version", 0, "terraform-provider-kuma test"},
		"short help":              {"", "-h", 0, "review PLAN"},
		"nothing about Kuma":      {"kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\n", "lint -", 2, "Error: -: there are no Kuma resources."},
		"kinds that are ignored":  {mesh + "---\n{kind: ConfigMap, apiVersion: v1, metadata: {name: a}}\n---\n{type: DoughnutPolicy, mesh: shop, name: a}\n---\n{type: DoughnutPolicy, mesh: shop, name: b}\n", "lint -", 0, "Note: ignored documents of the kinds ConfigMap and DoughnutPolicy, which are not kinds that this provider supports.\n"},
		"what Kuma 3.0 removes":   {mesh + "meshServices: {mode: Everywhere}\n", "lint - -kuma3 -fail-on warning", 1, "K3-"},
		"unknown release of Kuma": {mesh, "lint - -kuma-version 1.0", 2, "1.0"},
		"help":                    {"", "help", 0, "Usage:"},
		"help of a command":       {"", "lint -help", 0, "-fail-on"},
		"what a command does":     {"", "impact -help", 0, "\n\nCompare the settings of all proxies before and after a change.\n\n"},
		"no control plane":        {"", "proxies", 2, "Error: proxies needs a control plane: set -endpoint"},
		"kind of a destination":   {"", "rules after -dataplane web-1 -service api -kind MeshExternalService", 2, `Error: No stored or planned MeshExternalService of mesh "shop" has the name "api".`},
	} {
		t.Run(name, func(t *testing.T) {
			out, errs, code := run(t, test.in, strings.Fields(test.arguments)...)
			if code != test.code || !strings.Contains(out+errs, test.says) {
				t.Errorf("exit code %d, want %d and %q in\n%s%s", code, test.code, test.says, out, errs)
			}
			if code == 2 && out != "" {
				t.Errorf("a failure writes a result:\n%s", out)
			}
		})
	}
}

// TestErrorsNameFilesAsTheyAre checks the error about each invalid document of a directory:
// the first letter of a file name is not that of a sentence.
func TestErrorsNameFilesAsTheyAre(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"broken.yaml": "a: [", "kind.yaml": "type: MeshTimeot\nname: a\n"} {
		testworld.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	const want = "error invalid-document: broken.yaml:1\n  Line 1: did not find expected node content. Nothing in the file is analyzed.\n\n" +
		"error invalid-document: kind.yaml:1\n  Document 1: \"MeshTimeot\" is not a kind that this provider supports. Did you mean \"MeshTimeout\"? The document is not analyzed.\n"
	if out, _, code := run(t, "", "lint", "."); out != want || code != 1 {
		t.Errorf("exit code %d and\n%s\nwant\n%s", code, out, want)
	}
	const errors = "Error: broken.yaml: line 1: did not find expected node content.\n" +
		"Error: kind.yaml: document 1: \"MeshTimeot\" is not a kind that this provider supports. Did you mean \"MeshTimeout\"?\n"
	if _, errs, code := run(t, "", "access", "."); errs != errors || code != 2 {
		t.Errorf("exit code %d and\n%s\nwant\n%s", code, errs, errors)
	}
}

// TestImpactOnSeveralMeshes checks that comparing a mesh leaves the documents of the next one as they
// are.
func TestImpactOnSeveralMeshes(t *testing.T) {
	t.Chdir(t.TempDir())
	world := func(timeout string) string {
		var documents []string
		for _, mesh := range []string{"a", "b", "c"} {
			documents = append(documents, "{type: Mesh, name: "+mesh+"}",
				"{type: Dataplane, mesh: "+mesh+", name: web, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web, kuma.io/protocol: http}}], transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001}}}")
		}
		for _, mesh := range []string{"a", "b", "c"} {
			documents = append(documents, "{type: MeshTimeout, mesh: "+mesh+", name: t, spec: {to: [{targetRef: {kind: Mesh}, default: {connectionTimeout: "+timeout+"}}]}}")
		}
		return strings.Join(documents, "\n---\n")
	}
	write(t, "before.yaml", world("1s"))
	write(t, "after.yaml", world("2s"))
	out, errs, code := run(t, "", "impact", "before.yaml", "after.yaml")
	if got := strings.Count(out, "`connectionTimeout`: `1s` → `2s`"); got != 3 || code != 0 {
		t.Errorf("%d changes, exit code %d:\n%s%s", got, code, out, errs)
	}
}

// TestReadyForKuma3 checks what a mesh has no findings about: labels that the command adds because it does
// not know the mode of the control plane, and what a control plane has set.
func TestReadyForKuma3(t *testing.T) {
	for name, documents := range map[string]string{
		"without a mode": `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}}
---
{type: Dataplane, mesh: shop, name: web-1, labels: {kuma.io/workload: web, app: web}, networking: {address: 10.0.0.1, inbound: [{port: 80, protocol: http, name: http}]}}`,
		"stored": `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}, creationTime: "2026-01-01T00:00:00Z", modificationTime: "2026-01-01T00:00:00Z"}
---
{type: MeshService, mesh: shop, name: web, creationTime: "2026-01-01T00:00:00Z", modificationTime: "2026-01-01T00:00:00Z", labels: {kuma.io/display-name: web, kuma.io/env: universal, kuma.io/mesh: shop, kuma.io/origin: zone, kuma.io/zone: east}, spec: {selector: {dataplaneLabels: {matchLabels: {app: web}}}, ports: [{port: 80, targetPort: 80, appProtocol: http}], identities: [{type: ServiceTag, value: web}]}, status: {}}
---
{type: Dataplane, mesh: shop, name: web-1, creationTime: "2026-01-01T00:00:00Z", modificationTime: "2026-01-01T00:00:00Z", labels: {kuma.io/workload: web, app: web, kuma.io/proxy-type: sidecar, kuma.io/env: universal, kuma.io/mesh: shop, kuma.io/origin: zone, kuma.io/zone: east}, networking: {address: 10.0.0.1, inbound: [{port: 80, protocol: http, name: http}]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			out, errs, code := run(t, documents, "lint", "-kuma3", "-")
			if out != "Mesh \"shop\" has no findings.\n" || errs != "" || code != 0 {
				t.Errorf("exit code %d, %q, %q", code, out, errs)
			}
		})
	}
}

// TestOnlyOlderKinds checks what the commands say about documents of kinds that only Kuma 2 has.
func TestOnlyOlderKinds(t *testing.T) {
	const timeout = `{type: Timeout, mesh: shop, name: t, sources: [{match: {kuma.io/service: "*"}}], destinations: [{match: {kuma.io/service: "*"}}], conf: {connectTimeout: 5s}}`
	for words, want := range map[string]string{
		"lint -kuma3": "warning K3-102: Timeout \"t\"\n  Kuma 3.0 removes this kind.",
		"upgrade":     "K3-102 Timeout \"t\": Kuma 3.0 removes this kind.",
	} {
		out, errs, _ := run(t, timeout, append(strings.Fields(words), "-")...)
		if !strings.Contains(out, want) || strings.Contains(out+errs, "supports") || strings.Contains(out+errs, "no Kuma resources") {
			t.Errorf("%s: %s%s", words, out, errs)
		}
	}
}
