package kinds_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// TestSchemas compares names, types, values and releases of fields with the schemas that Kuma
// publishes with its releases, in both directions.
func TestSchemas(t *testing.T) {
	t.Parallel()
	schemas := testworld.Fields[testworld.FieldSchema](t, "testdata/schemas.tsv")
	for _, k := range kinds.All() {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			declared := map[string]testworld.DeclaredField{}
			for _, f := range testworld.DeclaredFields(k) {
				declared[f.Path] = f
			}
			var found fieldDifferences
			for _, r := range schemas.Releases() {
				if _, ok := schemas[testworld.FieldKey{Kind: k.Name}][r]; !ok || !k.In(r) {
					if ok || k.In(r) && !k.Flat { // the schemas of older releases lack older kinds
						found.add("kind", r, fmt.Sprintf("declared %t, in the schema %t", k.In(r), ok))
					}
					continue
				}
				for key, published := range schemas {
					_, is := published[r]
					if f, ok := declared[key.Path]; key.Kind == k.Name && key.Path != "" && is && (!ok || !f.In(r)) {
						found.add(key.Path, r, "only in the schema")
					}
				}
				for path, f := range declared {
					s, ok := schemas[f.FieldKey][r]
					switch {
					case ok && f.In(r):
						found.schema(f, k.Flat, s, r)
					case f.In(r):
						found.add(path, r, "not in the schema")
					}
				}
			}
			found.check(t, wantedOfSchemas[k.Name])
		})
	}
}

// differences are differences by text, with their releases.
type fieldDifferences map[string][]string

func (d *fieldDifferences) add(path string, r kuma.Release, what string) {
	if *d == nil {
		*d = fieldDifferences{}
	}
	text := path + ": " + what
	(*d)[text] = append((*d)[text], r.String())
}

func (d *fieldDifferences) schema(f testworld.DeclaredField, flat bool, s testworld.FieldSchema, r kuma.Release) {
	if got := schemaType(f.Type); got != s.Type {
		d.add(f.Path, r, fmt.Sprintf("type is %s, in the schema %s", got, s.Type))
	}
	// The schemas of older kinds do not say what is required, and those of older releases differ
	// from what rules require and store: TestFields compares that.
	if !flat && r.Has(kuma.Newest2().String()) {
		if required := f.Required && !f.RequiredByRule || f.RequiredIn.Contain(r); required != s.Required {
			d.add(f.Path, r, fmt.Sprintf("required is %t, in the schema %t", required, s.Required))
		}
		// An absent object with defaults has the default {}.
		if def.ObjectOf(f.Type) == nil && !tree.Equal(f.Default, s.Default) {
			d.add(f.Path, r, fmt.Sprintf("default is %v, in the schema %v", f.Default, s.Default))
		}
	}
	values := f.ValuesIn(r)
	switch slices.Sort(values); {
	case s.Values == nil:
	case f.Name == "kind":
		// A reference has the kinds that its rules allow.
		if i := slices.IndexFunc(values, func(v string) bool { return !slices.Contains(s.Values, v) }); i >= 0 {
			d.add(f.Path, r, fmt.Sprintf("%s is not in the schema", values[i]))
		}
	case !slices.Equal(values, s.Values):
		d.add(f.Path, r, fmt.Sprintf("values are %s, in the schema %s", strings.Join(values, " "), strings.Join(s.Values, " ")))
	}
}

// check compares the differences with the wanted ones.
func (d fieldDifferences) check(t *testing.T, wanted []string) {
	t.Helper()
	var got []string
	for text, releases := range d {
		got = append(got, text+" of "+strings.Join(releases, " "))
	}
	slices.Sort(got)
	if diff := gocmp.Diff(wanted, got); diff != "" {
		t.Errorf(`the declaration differs (-wanted +found):
%s
Correct the declaration, or record again what Kuma does (make record ONLY=fields, make schemas). List an intended difference in
wantedOfSchemas or wantedOfFields, with the reason.`, diff)
	}
}

// wantedOfSchemas lists intended differences between a declaration and the schemas, and why.
var wantedOfSchemas = map[string][]string{
	"Dataplane": {
		// The development build of 3.0 still has them; the release is stated to have removed them.
		"networking.gateway.tags: only in the schema of 3.0",
		"networking.gateway.type: only in the schema of 3.0",
		"networking.gateway: only in the schema of 3.0",
		"networking.transparentProxying.ipFamilyMode: only in the schema of 3.0",
		"networking.transparentProxying.reachableBackends.refs[].name: only in the schema of 3.0",
		"networking.transparentProxying.reachableBackends.refs[].namespace: only in the schema of 3.0",
	},
	"Mesh": {
		// The development build of 3.0 dropped the mode, which the release is stated to have.
		"meshServices.mode: not in the schema of 3.0",
		"meshServices: not in the schema of 3.0",
		// The schema has the name of the field in Go.
		"mtls.backends[].conf.caCert.RSAbits: not in the schema of 2.11 2.12 2.13 2.14",
		"mtls.backends[].conf.caCert.rsaBits: only in the schema of 2.11 2.12 2.13 2.14",
		// Until 2.12, the schemas have no fields of a data source.
		"mtls.backends[].conf.cert.Type: only in the schema of 2.10 2.11 2.12",
		"mtls.backends[].conf.cert.file: not in the schema of 2.10 2.11 2.12",
		"mtls.backends[].conf.cert.inline: not in the schema of 2.10 2.11 2.12",
		"mtls.backends[].conf.cert.inlineString: not in the schema of 2.10 2.11 2.12",
		"mtls.backends[].conf.cert.secret: not in the schema of 2.10 2.11 2.12",
		"mtls.backends[].conf.key.Type: only in the schema of 2.10 2.11 2.12",
		"mtls.backends[].conf.key.file: not in the schema of 2.10 2.11 2.12",
		"mtls.backends[].conf.key.inline: not in the schema of 2.10 2.11 2.12",
		"mtls.backends[].conf.key.inlineString: not in the schema of 2.10 2.11 2.12",
		"mtls.backends[].conf.key.secret: not in the schema of 2.10 2.11 2.12",
		// The release is stated to create no policies.
		"skipCreatingInitialPolicies: only in the schema of 3.0",
	},
	"MeshExternalService": {
		// A rule rejects the sources that are not in the list (validation.md, MeshExternalService).
		"spec.tls.verification.caCert.envVar.name: only in the schema of 3.0",
		"spec.tls.verification.caCert.envVar: only in the schema of 3.0",
		"spec.tls.verification.caCert.file.path: only in the schema of 3.0",
		"spec.tls.verification.caCert.file: only in the schema of 3.0",
		"spec.tls.verification.caCert.type: values are InsecureInline Secret, in the schema EnvVar File InsecureInline Secret of 3.0",
		"spec.tls.verification.clientCert.envVar.name: only in the schema of 3.0",
		"spec.tls.verification.clientCert.envVar: only in the schema of 3.0",
		"spec.tls.verification.clientCert.file.path: only in the schema of 3.0",
		"spec.tls.verification.clientCert.file: only in the schema of 3.0",
		"spec.tls.verification.clientCert.type: values are InsecureInline Secret, in the schema EnvVar File InsecureInline Secret of 3.0",
		"spec.tls.verification.clientKey.envVar.name: only in the schema of 3.0",
		"spec.tls.verification.clientKey.envVar: only in the schema of 3.0",
		"spec.tls.verification.clientKey.file.path: only in the schema of 3.0",
		"spec.tls.verification.clientKey.file: only in the schema of 3.0",
		"spec.tls.verification.clientKey.type: values are InsecureInline Secret, in the schema EnvVar File InsecureInline Secret of 3.0",
	},
	"MeshGateway": {
		// The schema of 2.10 has the names of protobuf, and until 2.12 no fields of a data source.
		"conf.listeners[].resources.connectionLimit: not in the schema of 2.10",
		"conf.listeners[].resources.connection_limit: only in the schema of 2.10",
		"conf.listeners[].tls.certificates[].Type: only in the schema of 2.10 2.11 2.12",
		"conf.listeners[].tls.certificates[].file: not in the schema of 2.10 2.11 2.12",
		"conf.listeners[].tls.certificates[].inline: not in the schema of 2.10 2.11 2.12",
		"conf.listeners[].tls.certificates[].inlineString: not in the schema of 2.10 2.11 2.12",
		"conf.listeners[].tls.certificates[].secret: not in the schema of 2.10 2.11 2.12",
	},
	"MeshHTTPRoute": {
		// The schema still has hostnames and hostToBackendHostname, which no route can set without gateways. Filters of backends are
		// stated for the release.
		"spec.to[].hostnames: only in the schema of 3.0",
		"spec.to[].rules[].default.backendRefs[].filters: not in the schema of 3.0",
		"spec.to[].rules[].default.backendRefs[].filters[].requestHeaderModifier.add: not in the schema of 3.0",
		"spec.to[].rules[].default.backendRefs[].filters[].requestHeaderModifier.add[].name: not in the schema of 3.0",
		"spec.to[].rules[].default.backendRefs[].filters[].requestHeaderModifier.add[].value: not in the schema of 3.0",
		"spec.to[].rules[].default.backendRefs[].filters[].requestHeaderModifier.remove: not in the schema of 3.0",
		"spec.to[].rules[].default.backendRefs[].filters[].requestHeaderModifier.set: not in the schema of 3.0",
		"spec.to[].rules[].default.backendRefs[].filters[].requestHeaderModifier.set[].name: not in the schema of 3.0",
		"spec.to[].rules[].default.backendRefs[].filters[].requestHeaderModifier.set[].value: not in the schema of 3.0",
		"spec.to[].rules[].default.backendRefs[].filters[].requestHeaderModifier: not in the schema of 3.0",
		"spec.to[].rules[].default.backendRefs[].filters[].type: not in the schema of 3.0",
		"spec.to[].rules[].default.filters[].urlRewrite.hostToBackendHostname: only in the schema of 3.0",
	},
	"MeshLoadBalancingStrategy": {
		// An object without fields.
		"spec.to[].default.loadBalancer.random: type is object, in the schema any of 2.9 2.10 2.11 2.12 2.13 2.14 3.0",
		"spec.to[].default.loadBalancer.roundRobin: type is object, in the schema any of 2.9 2.10 2.11 2.12 2.13 2.14 3.0",
	},
	"Workload": {"spec: type is object, in the schema any of 2.13 2.14 3.0"}, // which has no fields
}

// kindOf returns what a control plane of 2.14 says about a kind.
func kindOf(k def.Kind) any {
	scope := map[def.Scope]string{def.InMesh: "Mesh", def.Global: "Global"}
	o := map[string]any{
		"path": k.Path, "shortName": k.ShortName, "scope": scope[k.Scope],
		"includeInFederation": k.GlobalOwned && k.Name != kinds.Zone.Name,
	}
	if p := k.Policy; p != nil {
		o["policy"] = map[string]any{
			"hasFromTargetRef": p.From, "hasRulesTargetRef": p.Rules, "hasToTargetRef": p.To, "isFromAsRules": p.FromAsRules, "isTargetRef": true,
		}
	}
	return o
}

// schemaType returns the type of values in a schema.
func schemaType(t def.Type) string {
	switch t := t.(type) {
	case def.List:
		return "list of " + schemaType(t.Elem)
	case def.StringMap:
		return "map"
	case def.Object:
		return "object"
	case def.Secret:
		return "base64"
	case def.Scalar:
		return map[def.Scalar]string{
			def.String: "string", def.Bool: "boolean", def.Int: "integer", def.Number: "number",
			def.Duration: "string", def.ProtoDuration: "string",
			def.IntOrString: "integer or string", def.JSON: "any", def.Base64: "base64",
		}[t]
	}
	return ""
}

// TestFields compares what control planes did with candidates for each field with what its
// declaration says. Schemas say which fields exist; most control planes ignore those that do not.
func TestFields(t *testing.T) {
	t.Parallel()
	recorded := testworld.Fields[testworld.FieldAnswers](t, "testdata/fields.tsv")
	for _, k := range kinds.All() {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			var found fieldDifferences
			for _, r := range recorded.Releases() {
				offered, ok := recorded[testworld.FieldKey{Kind: k.Name}][r]
				if ok != k.In(r) {
					found.add("kind", r, fmt.Sprintf("declared %t, on the control plane %t", k.In(r), ok))
				}
				if diff := gocmp.Diff(offered.Kind, kindOf(k)); r == kuma.Newest2() && diff != "" {
					t.Errorf("kind (-control plane +declaration):\n%s", diff)
				}
				for _, f := range testworld.DeclaredFields(k) {
					answers, ok := recorded[f.FieldKey][r]
					switch {
					case ok && !f.In(r):
						found.add(f.Path, r, "only on the control plane")
					case ok:
						found.answers(t, k, f, answers, r)
					case r == kuma.Newest2() && f.In(r) && clientsSet(f):
						found.add(f.Path, r, "no value was stored: record it with make record ONLY=fields")
					}
				}
			}
			found.check(t, wantedOfFields[k.Name])
		})
	}
}

// clientsSet reports whether documents can have a field: no reference has all fields of references,
// and a control plane overwrites its own.
func clientsSet(f testworld.DeclaredField) bool {
	if f.ServerOwned || len(f.Around) == 0 {
		return !f.ServerOwned
	}
	_, reference := def.ObjectOf(f.Around[len(f.Around)-1].Type).Field("proxyTypes")
	return !reference && !slices.ContainsFunc(f.Around, func(outer def.Field) bool { return outer.ServerOwned })
}

// answers compares the outcome of each candidate with what the declaration of the field alone
// rejects and stores; for releases before 2.14, which the declarations do not describe in other
// respects, only that of the values that it lists.
func (d *fieldDifferences) answers(t *testing.T, k def.Kind, f testworld.DeclaredField, a testworld.FieldAnswers, r kuma.Release) {
	t.Helper()
	alone := f.Alone(k)
	for _, v := range f.Candidates() {
		want, known := a.Outcome(v)
		if !known || !r.Has(kuma.Newest2().String()) && !listed(f, v) {
			continue
		}
		document, at := f.Document(k, v)
		if rejected := len(def.Errors(alone.ValidateIn(document, r))) > 0; rejected || want.Rejected {
			if rejected != want.Rejected && !tooLenient(k, f, v) {
				d.add(f.Path, r, fmt.Sprintf("%s is rejected %t, by the control plane %t", phrase.JSON(v), rejected, want.Rejected))
			}
			continue
		}
		cp := kuma.ControlPlane{Mode: kuma.ModeZone, Zone: "zone-1", Release: r}
		stored := alone.Store(testworld.FromDocument(t, document), def.StoreContext{ControlPlane: cp, Create: true})
		if got := tree.At(stored.Body, at); !tree.Equal(got, want.Stored) {
			d.add(f.Path, r, fmt.Sprintf("%s is stored as %s, by the control plane as %s", phrase.JSON(v), phrase.JSON(got), phrase.JSON(want.Stored)))
		}
	}
}

// listed reports whether the declaration lists a value of a field, or of the elements of a list.
func listed(f testworld.DeclaredField, v any) bool {
	return slices.ContainsFunc(f.Values(), func(value string) bool {
		return slices.ContainsFunc([]any{value, json.Number(value), []any{value}}, func(other any) bool { return tree.Equal(v, other) })
	})
}

// tooLenient reports whether an older kind accepts a value that no declaration has: a number for an
// enum, and anything in an object that is stored as it is sent, until something reads it
// (validation.md, Mesh).
func tooLenient(k def.Kind, f testworld.DeclaredField, v any) bool {
	return k.Flat && (f.Values() != nil && tree.Equal(v, json.Number("1")) ||
		slices.ContainsFunc(f.Around, func(outer def.Field) bool { return outer.FreeForm }))
}

// wantedOfFields lists intended differences between a declaration and control planes, and why.
var wantedOfFields = map[string][]string{
	"Dataplane": {
		// The development build of 3.0 still has them; the release is stated to have removed them.
		"networking.gateway: only on the control plane of 3.0",
		"networking.transparentProxying.ipFamilyMode: only on the control plane of 3.0",
		"networking.transparentProxying.reachableBackends.refs[].name: only on the control plane of 3.0",
	},
	// It needs a backend for mTLS with certificates that generated documents do not have.
	"Mesh": {"routing.zoneEgress: no value was stored: record it with make record ONLY=fields of 2.14"},
	"MeshAccessLog": {
		// A rule about the object around it requires it.
		"spec.rules[].default.backends[].openTelemetry.backendRef: null is rejected false, by the control plane true of 3.0",
		"spec.to[].default.backends[].openTelemetry.backendRef: null is rejected false, by the control plane true of 3.0",
	},
	"MeshExternalService": {
		// A rule about the object around it rejects no bytes, and bytes can also be a list of numbers.
		`spec.tls.verification.caCert.inline: "" is rejected false, by the control plane true of 2.14`,
		"spec.tls.verification.caCert.inline: [] is rejected true, by the control plane false of 2.14",
		`spec.tls.verification.clientCert.inline: "" is rejected false, by the control plane true of 2.14`,
		"spec.tls.verification.clientCert.inline: [] is rejected true, by the control plane false of 2.14",
		`spec.tls.verification.clientKey.inline: "" is rejected false, by the control plane true of 2.14`,
		"spec.tls.verification.clientKey.inline: [] is rejected true, by the control plane false of 2.14",
	},
	"MeshGateway": {
		// A data source keeps the empty string of its only field.
		`conf.listeners[].tls.certificates[].file: "" is stored as null, by the control plane as "" of 2.14`,
		`conf.listeners[].tls.certificates[].inline: "" is stored as "", by the control plane as null of 2.14`,
		`conf.listeners[].tls.certificates[].inline: [] is stored as "", by the control plane as null of 2.14`,
		`conf.listeners[].tls.certificates[].inlineString: "" is stored as null, by the control plane as "" of 2.14`,
		`conf.listeners[].tls.certificates[].secret: "" is stored as null, by the control plane as "" of 2.14`,
	},
	"MeshHTTPRoute": {
		// The development build of 3.0 still has it, and ignores it without gateways.
		"spec.to[].rules[].default.filters[].urlRewrite.hostToBackendHostname: only on the control plane of 3.0",
	},
	"MeshService": {
		// An empty protocol is not stored, which no field with a default can declare.
		`spec.ports[].appProtocol: "" is rejected true, by the control plane false of 3.0`,
		`spec.ports[].appProtocol: "" is stored as "", by the control plane as null of 2.14`,
	},
	// A rule about the object around it requires it.
	"MeshTrace": {"spec.default.backends[].openTelemetry.backendRef: null is rejected false, by the control plane true of 3.0"},
}

// TestFieldsAreDescribed checks that each field says what it is for.
func TestFieldsAreDescribed(t *testing.T) {
	t.Parallel()
	for _, k := range kinds.All() {
		for _, f := range testworld.DeclaredFields(k) {
			if strings.TrimSpace(f.Doc) == "" {
				t.Errorf("%s: %s has no Doc", k.Name, f.Path)
			}
		}
	}
}

// TestSensitiveFields lists the fields that Terraform does not show. Neither schemas nor control
// planes say it: contents of private keys are, and certificates are not.
func TestSensitiveFields(t *testing.T) {
	t.Parallel()
	content := regexp.MustCompile(`(?i)key\.(.*\.)?(inline|inlineString|value)$`)
	var got []string
	for _, k := range kinds.All() {
		for _, f := range testworld.DeclaredFields(k) {
			place := k.Name + " " + f.Path
			switch sensitive := f.IsSecret() || f.Sensitive; {
			case sensitive:
				got = append(got, place)
			case content.MatchString(f.Path):
				t.Errorf("%s is not sensitive", place)
			}
		}
	}
	want := []string{
		"GlobalSecret data",
		"Mesh mtls.backends[].conf.key.inline",
		"Mesh mtls.backends[].conf.key.inlineString",
		"MeshExternalService spec.tls.verification.clientKey.inline",
		"MeshExternalService spec.tls.verification.clientKey.inlineString",
		"MeshExternalService spec.tls.verification.clientKey.insecureInline.value",
		"MeshGateway conf.listeners[].tls.certificates[].inline", // with the private key
		"MeshGateway conf.listeners[].tls.certificates[].inlineString",
		"MeshIdentity spec.provider.bundled.ca.privateKey.insecureInline.value",
		"Secret data",
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("sensitive fields (-want +got):\n%s", diff)
	}
}
