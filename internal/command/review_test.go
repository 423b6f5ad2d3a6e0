package command_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// planned is a change of a resource in a plan.
type planned struct {
	address, provider, actions string
	before, after              map[string]any
	unknown, sensitive         map[string]any
	more                       map[string]any // fields of the resource change
}

// planJSON writes a plan as Terraform shows it.
func planJSON(t *testing.T, fields map[string]any, changes ...planned) string {
	t.Helper()
	var list, resources []any
	for _, c := range changes {
		typeName, name, _ := strings.Cut(c.address, ".")
		name, _, _ = strings.Cut(name, "[")
		source := c.provider
		if source == "" {
			source = "registry.terraform.io/kuma-universal/kuma"
		}
		change := map[string]any{"actions": strings.Split(c.actions, " "), "before": c.before, "after": c.after, "after_unknown": c.unknown, "after_sensitive": c.sensitive, "before_sensitive": c.sensitive}
		r := map[string]any{"address": c.address, "mode": "managed", "type": typeName, "name": name, "provider_name": source, "change": change}
		key := "kuma"
		for field, v := range c.more {
			if field == "provider_config_key" {
				key = fmt.Sprint(v)
			} else {
				r[field] = v
			}
		}
		list = append(list, r)
		resources = append(resources, map[string]any{"mode": "managed", "type": typeName, "name": name, "provider_config_key": key})
	}
	plan := map[string]any{
		"format_version": "1.2", "terraform_version": "1.15.0", "planned_values": map[string]any{}, "resource_changes": list,
		"configuration": map[string]any{"root_module": map[string]any{"resources": resources}},
	}
	maps.Copy(plan, fields)
	return toJSON(t, plan)
}

func toJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	testworld.NoError(t, err)
	return string(text)
}

// timeout is the value of a kuma_mesh_timeout for a service.
func timeout(name, service string, value any) map[string]any {
	return map[string]any{
		"type": "MeshTimeout", "mesh": "shop", "name": name, "kri": "kri_mt_shop_zone-1__" + name + "_",
		"spec": map[string]any{"to": []any{map[string]any{
			"target_ref": map[string]any{"kind": "MeshService", "name": service},
			"default":    map[string]any{"http": map[string]any{"request_timeout": value}},
		}}},
	}
}

const reviewedWorld = `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}}
---
{type: Dataplane, mesh: shop, name: web-1, labels: {app: web}, networking: {address: 10.0.0.1, inbound: [{port: 80, protocol: http}], outbound: [{port: 9000, backendRef: {kind: MeshService, name: api, port: 80}}]}}
---
{type: Dataplane, mesh: shop, name: api-1, labels: {app: api}, networking: {address: 10.0.0.2, inbound: [{port: 80, protocol: http}]}}
---
{type: MeshService, mesh: shop, name: api, spec: {selector: {dataplaneLabels: {matchLabels: {app: api}}}, ports: [{port: 80, targetPort: 80, appProtocol: http}]}}
---
{type: MeshTimeout, mesh: shop, name: api, spec: {to: [{targetRef: {kind: MeshService, name: api}, default: {http: {requestTimeout: 3s}}}]}}
---
{type: MeshTimeout, mesh: shop, name: old, spec: {to: [{targetRef: {kind: MeshService, name: gone}, default: {http: {requestTimeout: 3s}}}]}}
`

// TestReview checks what a review says of plans, and its exit codes.
func TestReview(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	world, allowed := filepath.Join(dir, "mesh.yaml"), filepath.Join(dir, "allowed.yaml")
	write := func(file, text string) {
		testworld.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	write(world, reviewedWorld)
	update := planned{address: "kuma_mesh_timeout.api", actions: "update", before: timeout("api", "api", "3s"), after: timeout("api", "api", "5s")}
	typo := planned{address: `kuma_mesh_timeout.api["x"]`, actions: "create", after: timeout("more", "apj", "5s")}
	later := planned{address: "kuma_mesh_timeout.later", actions: "create", after: timeout("later", "api", nil), unknown: map[string]any{"spec": map[string]any{"to": []any{map[string]any{"default": map[string]any{"http": map[string]any{"request_timeout": true}}}}}}}
	kong := planned{address: "kong-mesh_mesh_timeout.api", provider: "registry.terraform.io/kong/kong-mesh", actions: "update", before: timeout("api", "api", "3s"), after: timeout("api", "api", "5s")}
	theirs := kong
	theirs.more = map[string]any{"provider_config_key": "kong-mesh"}
	theirs.before, theirs.after = timeout("theirs", "api", "3s"), timeout("theirs", "api", "4s")
	theirsKept, theirsGone := theirs, theirs
	theirsKept.actions, theirsGone.actions = "no-op", "delete"
	theirsGone.before, theirsGone.after = timeout("api", "api", "3s"), nil
	fromKong := update
	fromKong.more = map[string]any{"previous_address": "kong-mesh_mesh_timeout.api"}
	service := planned{address: "kuma_mesh_service.api", actions: "delete", before: map[string]any{"type": "MeshService", "mesh": "shop", "name": "api"}}
	mesh := planned{address: "kuma_mesh.shop", actions: "delete", before: map[string]any{"type": "Mesh", "name": "shop"}}
	moved := planned{address: "kuma_mesh_timeout.api", actions: "no-op", before: update.before, after: update.before, more: map[string]any{"previous_address": "kuma_mesh_timeout.old"}}
	forgotten := planned{address: "kuma_mesh_timeout.api", actions: "forget", before: update.before}
	replaced := planned{address: "kuma_mesh_timeout.api", actions: "delete create", before: update.before, after: timeout("renamed", "api", "4s")}
	secret := update
	secret.after = timeout("api", "api", "1234s")
	secret.sensitive = map[string]any{"spec": map[string]any{"to": []any{map[string]any{"default": map[string]any{"http": map[string]any{"request_timeout": true}}}}}}
	odd := secret
	odd.after = timeout("api", "api", "value")
	manifest := planned{address: "kuma_manifest.m", actions: "create", after: map[string]any{"manifest": map[string]any{"type": "MeshTimeout", "mesh": "shop", "name": "m", "labels": nil, "spec": map[string]any{"to": []any{map[string]any{"targetRef": map[string]any{"kind": "Mesh"}, "default": map[string]any{"connectionTimeout": "2s"}}}}}}}
	newMesh := planned{address: "kuma_mesh.new", actions: "create", after: map[string]any{"type": "Mesh", "name": "new", "mesh_services": map[string]any{"mode": "Exclusive"}}}
	inNewMesh := planned{address: "kuma_mesh_timeout.new", actions: "create", after: func() map[string]any { v := timeout("t", "api", "3s"); v["mesh"] = "new"; return v }()}
	east := update
	east.address, east.more = "kuma_mesh_timeout.east", map[string]any{"provider_config_key": "kuma.east"}
	renamed := planned{address: "kuma_mesh_timeout.renamed", actions: "create", after: timeout("api", "api", "5s")}
	destroyed := planned{address: "kuma_mesh_timeout.api", actions: "delete", before: update.before}
	kept := kong
	kept.actions = "no-op"
	gone := destroyed
	gone.before = func() map[string]any { v := timeout("api", "api", "3s"); v["mesh"] = "gone"; return v }()
	orphan := planned{address: "kuma_mesh_timeout.orphan", actions: "delete", before: timeout("old", "gone", "3s"), more: map[string]any{"provider_config_key": ""}}
	unnamed := planned{address: "kuma_manifest.m", actions: "delete", before: map[string]any{"manifest": nil}}
	other := planned{address: "aws_instance.x", provider: "registry.terraform.io/hashicorp/aws", actions: "create", after: map[string]any{"ami": "x"}}
	broken := update
	broken.after = timeout("api", "api", map[string]any{"a": "b"})

	for name, test := range map[string]struct {
		plan    string
		options string
		code    int
		want    string // in either output, several separated by |
		not     string
	}{
		"update":                      {planJSON(t, nil, update), "", 0, "Accepted|updates 1 resource of Kuma|~ kuma_mesh_timeout.api (MeshTimeout \"api\")|`3s` → `5s`, set by api to[0]", "dangling-target"},
		"all findings":                {planJSON(t, nil, update), "-all", 1, "dangling-target: MeshTimeout \"old\"", ""},
		"only what Terraform manages": {planJSON(t, nil, update), "-managed-only", 0, "only what Terraform manages|has no dataplanes", ""},
		"new error":                   {planJSON(t, nil, typo), "", 1, "Refused: 1 error.|Did you mean \"api\"?|Resource: kuma_mesh_timeout.api[\"x\"]|id: error/shop/MeshTimeout-more-dangling-target/", `"old"`},
		"new error that may be":       {planJSON(t, nil, typo), "-fail-on=never", 0, "Accepted: -fail-on refuses nothing.|dangling-target", ""},
		"settings":                    {planJSON(t, nil, update), "-fail-on=settings-changed", 1, "Refused: 1 settings-changed.", ""},
		"unknown value":               {planJSON(t, nil, later), "", 2, "Not decided|Known only after the apply: spec.to[0].default.http.requestTimeout.|id: unknown/shop/MeshTimeout-later/", ""},
		"unknown value and an error":  {planJSON(t, nil, later, typo), "", 1, "Refused: 1 error.|Known only after", ""},
		"another provider for Kuma":   {planJSON(t, nil, kong), "", 2, "Not decided|kong-mesh are not read", ""},
		"beside another provider":     {planJSON(t, nil, theirs, update), "", 2, "Not decided: the effect of 1 resource|kong-mesh are not read|`3s` → `5s`", "configurations"},
		"without another provider":    {planJSON(t, nil, theirs, update), "-provider=kuma", 2, "Not decided: the effect of 1 resource|kong-mesh are not read|`3s` → `5s`", ""},
		"moved from another provider": {planJSON(t, nil, fromKong), "", 0, "updates 1 resource|kuma_mesh_timeout.api (MeshTimeout \"api\"), moved from kong-mesh_mesh_timeout.api|`3s` → `5s`", ""},
		"kept beside the own":         {planJSON(t, nil, theirsKept, update, east), "-provider=kuma", 0, "`3s` → `5s`", "kong-mesh"},
		"not moved":                   {planJSON(t, nil, theirsGone, renamed), "", 2, "It is deleted by kong-mesh_mesh_timeout.api, and Terraform does not fix the order. If that is the same resource, add a moved block.", ""},
		"other provider only":         {planJSON(t, nil, other), "", 0, "The plan changes no resource of Kuma.", ""},
		"service":                     {planJSON(t, nil, service), "-fail-on=service-removed", 1, "Refused: 1 service-removed.|web-1", ""},
		"mesh":                        {planJSON(t, nil, mesh), "-fail-on=mesh-deleted", 1, "The mesh is deleted, with 5 resources in it.|Resource: kuma_mesh.shop", ""},
		"moved":                       {planJSON(t, nil, moved), "", 0, "changes no resource of Kuma|moved from kuma_mesh_timeout.old", ""},
		"forgotten":                   {planJSON(t, nil, forgotten), "", 0, "forgets 1 resource|stays on the control plane", ""},
		"replaced":                    {planJSON(t, nil, replaced), "", 0, "-/+ kuma_mesh_timeout.api|`3s` → `4s`, set by renamed to[0], previously set by api to[0]", ""},
		"sensitive value":             {planJSON(t, nil, secret), "", 0, "(sensitive value)", "1234s"},
		"sensitive value as JSON":     {planJSON(t, nil, secret), "-format=json", 0, "(sensitive value)", "1234s"},
		"sensitive value as Markdown": {planJSON(t, nil, secret), "-format=markdown", 0, "(sensitive value)", "1234s"},
		"sensitive value as SARIF":    {planJSON(t, nil, secret), "-format=sarif", 0, "(sensitive value)", "1234s"},
		"sensitive value as JUnit":    {planJSON(t, nil, secret), "-format=junit", 0, "(sensitive value)", "1234s"},
		"sensitive value as HTML":     {planJSON(t, nil, secret), "-format=html", 0, "(sensitive value)", "1234s"},
		"sensitive value of a word":   {planJSON(t, nil, odd), "", 0, "(sensitive (sensitive value))", ""},
		"mesh as HTML":                {planJSON(t, nil, mesh), "-format=html", 0, "Mesh shop: The mesh is deleted, with 5 resources in it.", ""},
		"mesh as text":                {planJSON(t, nil, mesh), "", 0, "The mesh is deleted, with 5 resources in it.", ""},
		"HTML":                        {planJSON(t, nil, typo), "-format=html", 1, "<section class=\"decision refused\"|Content-Security-Policy|kuma_mesh_timeout.api[&#34;x&#34;]", "http://"},
		"destroyed and created":       {planJSON(t, nil, destroyed, renamed), "", 2, "Not decided|It is deleted by kuma_mesh_timeout.api, and Terraform does not fix the order. If that is the same resource, add a moved block.", ""},
		"created twice":               {planJSON(t, nil, update, renamed), "", 2, "Not decided|It is written by kuma_mesh_timeout.api and kuma_mesh_timeout.renamed, and Terraform does not fix the order. Keep one of them.", ""},
		"destroyed in no mesh":        {planJSON(t, nil, gone), "", 2, "Mesh \"gone\" is neither stored nor planned", ""},
		"kept by another provider":    {planJSON(t, nil, kept, update), "-managed-only", 0, "Note: kong-mesh_mesh_timeout.api is not compared: the resources of provider registry.terraform.io/kong/kong-mesh are not read.", ""},
		"manifest":                    {planJSON(t, nil, manifest), "", 0, "connectionTimeout`: unset → `2s`, set by m to[0]", ""},
		"mesh that is created":        {planJSON(t, nil, newMesh, inNewMesh), "-managed-only -fail-on=never", 0, "Mesh new has no dataplanes|dangling-target", ""},
		"several configurations":      {planJSON(t, nil, update, east), "", 2, "several configurations of the provider: kuma and kuma.east. They may have different control planes. Review each of them with -provider.", ""},
		"one of them":                 {planJSON(t, nil, update, east), "-provider=kuma.east", 0, "~ kuma_mesh_timeout.east", "~ kuma_mesh_timeout.api"},
		"none of them":                {planJSON(t, nil, update, east), "-provider=kuma.est", 2, "Did you mean \"kuma.east\"?", ""},
		"the others of them":          {planJSON(t, nil, update, east), "-provider=kuma.east", 0, "Note: This review leaves out 1 change by kuma. Use -provider=kuma for a review of them.", ""},
		"destroyed by any of them":    {planJSON(t, nil, update, east, orphan), "-provider=kuma.east", 2, "which configuration of the provider destroys it", ""},
		"destroyed by the only one":   {planJSON(t, nil, update, orphan), "", 0, "- kuma_mesh_timeout.orphan", ""},
		"destroyed without a name":    {planJSON(t, nil, unnamed), "", 2, "Not decided", ""},
		"value of another type":       {planJSON(t, nil, broken), "", 2, "Not decided|must be of type", ""},
		"another control plane":       {strings.ReplaceAll(planJSON(t, nil, update), `"shop"`, `"other"`), "", 2, "Mesh \"other\" is neither stored nor planned: the plan is for another control plane, or out of date.", ""},
		"another mesh":                {planJSON(t, nil, update), "-mesh=other", 0, "The plan does not change mesh \"other\".", "`5s`"},
		"errored":                     {planJSON(t, map[string]any{"errored": true}, update), "", 2, "the plan has errors, so it does not contain all changes", ""},
		"targeted":                    {planJSON(t, map[string]any{"complete": false}, update), "", 0, "does not cover the whole configuration", ""},
		"refresh only":                {planJSON(t, map[string]any{"resource_drift": []any{map[string]any{"address": "a"}}}), "", 0, "only updates the state", ""},
		"older format":                {planJSON(t, map[string]any{"format_version": "3.0"}), "", 2, "version 3.0 of the format of plans is not supported", ""},
		"a state":                     {`{"format_version": "1.0", "values": {}}`, "", 2, "this is a state, not a plan", ""},
		"a saved plan":                {"PK\x03\x04\x00", "", 2, "this is a saved plan. Write the output of \"terraform show -json PLANFILE\"", ""},
		"cut off":                     {planJSON(t, nil, update)[:100], "", 2, "is not the output of \"terraform show -json", ""},
		"two plans":                   {planJSON(t, nil, update) + planJSON(t, nil, update), "", 2, "there is more after the plan", ""},
		"not a plan":                  {"[]", "", 2, "is not the output of \"terraform show -json", ""},
		"empty":                       {"", "", 2, "is not the output of \"terraform show -json", ""},
		"no such effect":              {planJSON(t, nil, update), "-fail-on=eror", 2, "\"eror\" is not an effect of -fail-on. Did you mean \"error\"?", ""},
		"Markdown":                    {planJSON(t, nil, typo), "-format=markdown", 1, "### Kuma: Refused: 1 error.|<details><summary>Resources</summary>", ""},
		"JUnit":                       {planJSON(t, nil, typo), "-format=junit", 1, `<testsuite name="review shop" tests="1" failures="1"`, ""},
		"SARIF":                       {planJSON(t, nil, typo), "-format=sarif", 1, `"level": "error"|"fullyQualifiedName": "kuma_mesh_timeout.api`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			arguments := append([]string{"review"}, strings.Fields(test.options)...)
			if !strings.Contains(test.options, "managed-only") {
				arguments = append(arguments, "-documents", world)
			}
			out, errs, code := run(t, test.plan, append(arguments, "-")...)
			testworld.Equal(t, "exit code", test.code, code)
			for want := range strings.SplitSeq(test.want, "|") {
				if !strings.Contains(out+errs, want) {
					t.Errorf("%q is missing in\n%s%s", want, out, errs)
				}
			}
			if test.not != "" && strings.Contains(out+errs, test.not) {
				t.Errorf("%q is in\n%s%s", test.not, out, errs)
			}
			if code == 2 && test.code == 2 && !strings.Contains(out, "Not decided") && out != "" {
				t.Errorf("an error has an output:\n%s", out)
			}
		})
	}

	t.Run("allowed", func(t *testing.T) {
		t.Parallel()
		out, _, _ := run(t, planJSON(t, nil, typo, later), "review", "-documents", world, "-")
		var list []map[string]string
		for line := range strings.Lines(out) {
			if id, found := strings.CutPrefix(strings.TrimSpace(line), "id: "); found {
				list = append(list, map[string]string{"id": id, "reason": "agreed in the meeting"})
			}
		}
		write(allowed, toJSON(t, list))
		out, errs, code := run(t, planJSON(t, nil, typo, later), "review", "-documents", world, "-allow", allowed, "-")
		if code != 0 || !strings.Contains(out, "Reason: agreed in the meeting") || len(list) != 2 {
			t.Errorf("exit code %d with %v:\n%s%s", code, list, out, errs)
		}
		other := typo
		other.after = timeout("more", "apk", "5s")
		if out, _, code := run(t, planJSON(t, nil, other), "review", "-documents", world, "-allow", allowed, "-"); code != 1 {
			t.Errorf("another mistake is allowed: exit code %d\n%s", code, out)
		}
	})
}

// TestReviewAfterChange checks the reviews of plans that were made before another client changed what
// the control plane stores: what the apply does not do is not accepted.
func TestReviewAfterChange(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for file, text := range map[string]string{
		"meshes/shop.yaml":           "{type: Mesh, name: shop, meshServices: {mode: Exclusive}}",
		"meshservices/shop/api.yaml": "{type: MeshService, mesh: shop, name: api, spec: {selector: {dataplaneLabels: {matchLabels: {app: api}}}, ports: [{port: 80, appProtocol: http}]}}",
		"meshtimeouts/shop/api.yaml": "{type: MeshTimeout, mesh: shop, name: api, spec: {to: [{targetRef: {kind: MeshService, name: api}, default: {http: {requestTimeout: 3s}}}]}}",
	} {
		testworld.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(file)), 0o700))
		testworld.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600))
	}
	change := func(actions string, before, after map[string]any) planned {
		return planned{address: "kuma_mesh_timeout.api", actions: actions, before: before, after: after}
	}
	stored, earlier, next, gone := timeout("api", "api", "3s"), timeout("api", "api", "2s"), timeout("api", "api", "5s"), timeout("gone", "api", "3s")
	opened, err := provider.Open(t.Context(), "test", provider.Target{Embedded: dir})
	testworld.NoError(t, err)
	now, err := opened.Resources(kinds.MeshTimeout).Get(t.Context(), kuma.Key{Type: "MeshTimeout", Mesh: "shop", Name: "api"})
	testworld.NoError(t, err)
	adopting := timeout("api", "api", "5s")
	adopting["replaced_version"] = opened.Resources(kinds.MeshTimeout).Fingerprint(now)
	mesh := planned{address: "kuma_mesh.shop", actions: "delete", before: map[string]any{"type": "Mesh", "name": "shop", "mesh_services": map[string]any{"mode": "Exclusive"}}}
	forced := mesh
	forced.before = map[string]any{"type": "Mesh", "name": "shop", "mesh_services": map[string]any{"mode": "Exclusive"}, "force_destroy": true}
	newMesh := mesh
	newMesh.before = map[string]any{"type": "Mesh", "name": "shop"}
	const changed, removed, created = "It has changed since the plan. The apply fails, unless", "It was deleted since the plan. The apply fails, unless",
		"It exists, and the plan creates it. The apply fails, unless"
	for name, test := range map[string]struct {
		planned
		provider map[string]any // constant arguments
		code     int
		want     string
	}{
		"update":                               {change("update", stored, next), nil, 0, "~ kuma_mesh_timeout.api"},
		"update of what changed":               {change("update", earlier, next), nil, 2, changed},
		"update that overwrites":               {change("update", earlier, next), map[string]any{"concurrent_changes": "overwrite"}, 0, ""},
		"update that refuses":                  {change("update", earlier, next), map[string]any{"concurrent_changes": "refuse"}, 2, changed},
		"update of what is gone":               {change("update", gone, timeout("gone", "api", "4s")), nil, 2, removed},
		"update of what is gone, overwrites":   {change("update", gone, timeout("gone", "api", "4s")), map[string]any{"concurrent_changes": "overwrite"}, 0, ""},
		"deletion":                             {change("delete", stored, nil), nil, 0, ""},
		"deletion of what changed":             {change("delete", earlier, nil), nil, 2, changed},
		"deletion of what is gone":             {change("delete", gone, nil), nil, 0, ""},
		"replacement":                          {change("delete create", stored, timeout("new", "api", "3s")), nil, 0, ""},
		"replacement of what changed":          {change("delete create", earlier, timeout("new", "api", "3s")), nil, 2, changed},
		"replacement by what exists":           {change("delete create", gone, stored), nil, 2, created},
		"creation":                             {change("create", nil, gone), nil, 0, ""},
		"creation of what exists":              {change("create", nil, next), nil, 2, created},
		"creation of an equal one":             {change("create", nil, stored), nil, 2, created},
		"creation that adopts an equal one":    {change("create", nil, stored), map[string]any{"existing": "adopt_equal"}, 0, ""},
		"creation that adopts only equal ones": {change("create", nil, next), map[string]any{"existing": "adopt_equal"}, 2, created},
		"creation that adopts a later one":     {change("create", nil, next), map[string]any{"existing": "adopt"}, 2, created},
		"creation that adopts any":             {change("create", nil, next), map[string]any{"existing": "adopt", "concurrent_changes": "overwrite"}, 0, ""},
		"creation that adopts the known one":   {change("create", nil, adopting), nil, 0, ""},
		"mesh with contents":                   {mesh, nil, 2, "The mesh contains resources that the plan does not delete: MeshService \"api\" and MeshTimeout \"api\"."},
		"mesh with contents, forced":           {forced, nil, 0, "The mesh is deleted, with 2 resources in it."},
		"mesh that changed":                    {newMesh, nil, 2, changed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			arguments := map[string]any{}
			for argument, value := range test.provider {
				arguments[argument] = map[string]any{"constant_value": value}
			}
			var plan map[string]any
			testworld.NoError(t, json.Unmarshal([]byte(planJSON(t, nil, test.planned)), &plan))
			configuration, _ := plan["configuration"].(map[string]any)
			configuration["provider_config"] = map[string]any{"kuma": map[string]any{"expressions": arguments}}
			out, errs, code := run(t, toJSON(t, plan), "review", "-embedded", dir, "-")
			if code != test.code {
				t.Errorf("exit code %d, want %d:\n%s%s", code, test.code, out, errs)
			}
			for want := range strings.SplitSeq(test.want, "|") {
				if !strings.Contains(out+errs, want) {
					t.Errorf("%q is missing in\n%s%s", want, out, errs)
				}
			}
		})
	}
}

// TestReviewCannotBreakOut checks that nothing of a plan ends a fence of a comment.
func TestReviewCannotBreakOut(t *testing.T) {
	t.Parallel()
	world := testworld.Path("internal", "command", "testdata", "before")
	evil := "x\n```\n</details>\n# Accepted <img src=x> @all \x1b[31m"
	review := func(text, format string) (string, string) {
		t.Helper()
		fields := map[string]any{"terraform_version": text}
		plan := planJSON(t, fields, planned{address: `kuma_mesh_timeout.x["` + text + `"]`, actions: "create", after: timeout(text, text, "5s")})
		out, errs, _ := run(t, plan, "review", "-documents", world, "-format="+format, "-")
		return out, errs
	}
	usual, _ := review("x", "text")
	if text, _ := review(evil, "text"); strings.Count(text, "\n") != strings.Count(usual, "\n") {
		t.Errorf("the plan writes lines:\n%s", text)
	}
	out, errs := review(evil, "markdown")
	inFence := ""
	for line := range strings.Lines(out) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case inFence != "" && strings.TrimSpace(line) == inFence:
			inFence = ""
		case inFence != "":
		case strings.HasPrefix(line, "```"):
			inFence = strings.TrimSuffix(line, "text")
		case strings.Contains(line, "Accepted <") || strings.Contains(line, "<img") || strings.Contains(line, "@all"):
			t.Errorf("the plan writes outside of the fences: %q", line)
		}
	}
	if inFence != "" || strings.Contains(out+errs, "\x1b") {
		t.Errorf("a fence does not end, or there is an escape:\n%s%s", out, errs)
	}
}

// TestRehearsal checks what equal documents show of an upgrade: settings that are lost, gained and
// widened, services and the outside of the mesh that proxies no longer reach, clients that are
// refused, requests that answer 404, and certificates that proxies lose.
func TestRehearsal(t *testing.T) {
	file := filepath.Join("testdata", "rehearsal.yaml")
	out, errs, code := run(t, "", "impact", "-kuma-version", "3.0", "-exit-code", file, file)
	if errs != "" || code != 1 {
		t.Errorf("exit code %d: %s", code, errs)
	}
	testworld.Want(t, filepath.Join("testdata", "rehearsal.txt"), out)
	for _, release := range []string{"2.14", ""} {
		arguments := strings.Fields("impact -exit-code " + file + " " + file)
		if release != "" {
			arguments = append(arguments, "-kuma-version", release)
		}
		if out, _, code := run(t, "", arguments...); code != 0 {
			t.Errorf("release %q: exit code %d\n%s", release, code, out)
		}
	}
}
