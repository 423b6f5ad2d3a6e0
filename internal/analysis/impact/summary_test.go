package impact_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestPoliciesWithoutEffectAreGrouped checks that the summary does not have a line for each of many
// policies that a change leaves without effect.
func TestPoliciesWithoutEffectAreGrouped(t *testing.T) {
	var policies []string
	for i := range 40 {
		policies = append(policies, fmt.Sprintf("{type: MeshTimeout, mesh: shop, name: t-%02d, spec: {targetRef: {kind: Dataplane, labels: {app: gone}}, to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]}}", i))
	}
	i := compare(t, snapshotOf(t, shop), snapshotOf(t, append(policies, shop)...), "shop")
	const want = "40 policy changes have no effect:\n- MeshTimeout t-00, t-01, t-02, t-03, t-04, t-05, t-06, t-07, t-08, t-09 and 30 more (added): selects no dataplane\n"
	if text := i.Summary(); !strings.HasSuffix(text, want) {
		t.Errorf("summary:\n%s", text)
	}
}

// TestSummary compares summaries with the texts in testdata.
func TestSummary(t *testing.T) {
	manyDataplanes := func(n int, each func(i int) string) string {
		var docs []string
		for i := range n {
			docs = append(docs, fmt.Sprintf("type: Dataplane\nmesh: shop\nname: cart-%02d\nlabels: %s\n"+
				"networking: {address: 10.0.1.1, inbound: [{port: 8080, tags: {kuma.io/service: cart}}]}", i, each(i)))
		}
		return strings.Join(docs, "\n---\n")
	}
	inZone := func(zone string) string {
		return testworld.Edited(t, `
type: MeshService
mesh: shop
name: parcels-ZONE
labels: {nth: ZONE, kuma.io/zone: ZONE, kuma.io/display-name: parcels}
spec:
  ports: [{port: 80, name: http}]
`,
			"ZONE", zone, "ZONE", zone, "ZONE", zone)
	}
	logs := func(files string) string {
		var backends []string
		for _, f := range files {
			backends = append(backends, fmt.Sprintf("{type: File, file: {path: /%c}}", f))
		}
		return "{type: MeshAccessLog, mesh: shop, name: logs, spec: {to: [{targetRef: {kind: Mesh}, default: {backends: [" + strings.Join(backends, ", ") + "]}}]}}"
	}
	sameLabel := func(int) string { return "{app: cart}" }
	ownLabel := func(i int) string { return fmt.Sprintf("{nth: %q}", fmt.Sprint(i)) }
	var own []string
	for i := range 30 {
		own = append(own, fmt.Sprintf("type: MeshTimeout\nmesh: shop\nname: own-%02d\n"+
			"spec: {targetRef: {kind: Dataplane, labels: {nth: %q}}, to: [{targetRef: {kind: Mesh}, default: {idleTimeout: %ds}}]}", i, fmt.Sprint(i), i+1))
	}
	const payments = "type: MeshService\nmesh: shop\nname: payments\nspec:\n  ports: [{port: 80, name: http, appProtocol: http}]\n---\n"
	withOutbounds := testworld.Edited(t, shop,
		"name: web-1\nlabels: {app: web}\nnetworking:\n", "name: web-1\nlabels: {app: web}\nnetworking:\n  outbound: [{port: 1, backendRef: {kind: MeshService, name: payments, port: 80}}]\n",
		"name: batch-1\nlabels: {app: batch}\nnetworking:\n", "name: batch-1\nlabels: {app: batch}\nnetworking:\n  outbound: [{port: 1, backendRef: {kind: MeshService, name: stock, port: 80}}, {port: 2, tags: {kuma.io/service: payments}}]\n")
	for name, tt := range map[string]struct{ before, after []string }{
		"nothing":                {[]string{shop}, []string{shop}},
		"no dataplanes":          {[]string{"type: Mesh\nname: shop"}, []string{"type: Mesh\nname: shop"}},
		"rules replace from":     {[]string{secureMesh, allowAll}, []string{secureMesh, allowAll, denyB}},
		"identity replaces from": {[]string{secureMesh, allowAll}, []string{secureMesh, allowAll, identity}},
		"rules beside from":      {[]string{secureMesh, identity, denyAll}, []string{secureMesh, identity, denyAll, open}},
		"from beside rules":      {[]string{secureMesh, open}, []string{secureMesh, open, denyAll}},
		"last permission":        {[]string{secureMesh, allowAll}, []string{secureMesh}},
		"several changes": {
			[]string{shop, exclusive},
			[]string{
				shop, exclusive, testworld.Edited(t, forPayments, "spec:\n", "spec:\n  targetRef: {kind: Dataplane, labels: {app: web}}\n"),
				testworld.Edited(t, forRoute, "name: slow", "name: fast"),
				testworld.Edited(t, forPayments, "name: payments", "name: same", "5s", "15s"),
			},
		},
		"removed service": {
			[]string{withOutbounds, exclusive, forPayments},
			[]string{testworld.Edited(t, withOutbounds, payments, ""), exclusive, forPayments},
		},
		"route": {
			[]string{shop, exclusive, forPayments, route},
			[]string{shop, exclusive, forPayments, testworld.Edited(t, route, "/slow", "/slow`er"), testworld.Edited(t, forRoute, "streamIdleTimeout: 1m", "requestTimeout: 30s")},
		},
		"default of the mesh": {
			[]string{shop, forPayments, allow, patch},
			[]string{testworld.Edited(t, shop, "requestTimeout: 15s", "streamIdleTimeout: 1m"), forPayments, testworld.Edited(t, allow, "Allow", "Deny"), testworld.Edited(t, patch, "value: a", "value: "+strings.Repeat("long ", 50))},
		},
		"service in two zones": {
			[]string{shop, exclusive, inZone("east"), inZone("west")},
			[]string{shop, exclusive, inZone("east"), inZone("west"), testworld.Edited(t, forPayments, "spec:\n", "spec:\n  targetRef: {kind: Dataplane, labels: {app: batch}}\n", "name: payments}", "labels: {nth: east}, sectionName: http}")},
		},
		"order of other policies":      {[]string{shop, tied}, []string{shop, tied, swapping}},
		"whole list":                   {[]string{shop, logs("abcdefgh")}, []string{shop, logs("bacdxyzuvwhgf")}},
		"dataplanes added and removed": {[]string{shop}, []string{testworld.Edited(t, shop, "name: web-2", "name: web-3")}},
		"many dataplanes in one group": {[]string{shop, manyDataplanes(30, sameLabel)}, []string{shop, manyDataplanes(30, sameLabel), testworld.Edited(t, forPayments, "spec:\n", "spec:\n  targetRef: {kind: Dataplane, labels: {app: cart}}\n")}},
		"many groups with a change in common": {
			[]string{shop, exclusive, manyDataplanes(30, ownLabel)},
			append(own[:29:29], shop, exclusive, manyDataplanes(30, ownLabel), forPayments),
		},
		"many groups": {[]string{shop, exclusive, manyDataplanes(30, ownLabel)}, append(own, shop, exclusive, manyDataplanes(30, ownLabel))},
	} {
		t.Run(name, func(t *testing.T) {
			i := compare(t, snapshotOf(t, tt.before...), snapshotOf(t, tt.after...), "shop")
			rows := phrase.JSON(i.Rows())
			testworld.Want(t, filepath.Join("testdata", strings.ReplaceAll(name, " ", "_")+".md"), i.Summary())
			testworld.Equal(t, "rows after a summary", rows, phrase.JSON(i.Rows()))
		})
	}
}
