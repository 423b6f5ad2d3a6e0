package kinds_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// wanted lists intended differences between a description and the catalog, by
// kind, and why.
var wanted = map[string][]string{
	"Dataplane": {
		// The catalog has no type for fields that depend on another one.
		"metrics.conf: type is object, in the catalog json",
		// Zero and the empty string are out of range, and equivalent to absent
		// for an older kind.
		"metrics.type: required is true, in the catalog false",
		"probes.endpoints[].inboundPath: required is true, in the catalog false",
		"probes.endpoints[].inboundPort: required is true, in the catalog false",
		"probes.endpoints[].path: required is true, in the catalog false",
		"probes.port: required is true, in the catalog false",
	},
	// Empty data is not stored, and therefore equivalent to none.
	"GlobalSecret": {"data: distinct is false, in the catalog true"},
	"Secret":       {"data: distinct is false, in the catalog true"},
	"Mesh": {
		// The fields that the type selects are required, not their object.
		"logging.backends[].conf: required is false, in the catalog true",
		"logging.backends[].conf: type is object, in the catalog json",
		"metrics.backends[].conf: type is object, in the catalog json",
		// The message that MeshGateway has too, where the catalog says so.
		"mtls.backends[].conf.cert.inline: distinct is true, in the catalog false",
		"mtls.backends[].conf.cert: required is false, in the catalog true",
		"mtls.backends[].conf.key.inline: distinct is true, in the catalog false",
		"mtls.backends[].conf.key: required is false, in the catalog true",
		"mtls.backends[].conf: type is object, in the catalog json",
		"tracing.backends[].conf: required is false, in the catalog true",
		"tracing.backends[].conf: type is object, in the catalog json",
	},
	"MeshHTTPRoute": {
		// Only the recorded answers show that an empty value is dropped.
		"to[].rules[].matches[].headers[].value: drops empty is true, in the catalog false",
		// Below a gateway.
		"to[].targetRef.kind: \"Mesh\" is accepted, in the catalog rejected",
	},
	"MeshMetric": {
		// A rule of the type Prometheus.
		"default.backends[].prometheus.port: -1 is accepted, in the catalog rejected",
		"default.backends[].prometheus.port: 2147483648 is accepted, in the catalog rejected",
	},
	"MeshRetry": {
		// The same object as in MeshHTTPRoute.
		"to[].default.http.retriableRequestHeaders[].value: drops empty is true, in the catalog false",
		"to[].default.http.retriableResponseHeaders[].value: drops empty is true, in the catalog false",
	},
	"MeshTCPRoute": {
		// Below a gateway.
		"to[].targetRef.kind: \"Mesh\" is accepted, in the catalog rejected",
	},
}

// TestCatalog compares the descriptions with the catalog, field by field.
func TestCatalog(t *testing.T) {
	t.Parallel()
	for _, k := range kinds.All() {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			file := "testdata/catalog/" + k.Name + ".yaml"
			entry := testworld.Document(t, testworld.Text(t, file))
			c := comparison{flat: k.Flat, confs: confs(entry)}
			c.kind(k, entry)
			c.object("", k.Fields, entry["fields"])
			slices.Sort(c.found)
			if diff := gocmp.Diff(wanted[k.Name], c.found); diff != "" {
				t.Errorf(`internal/kinds/%s and the declaration of %s do not agree (-expected differences +actual ones):
%s
Ask a control plane. If it does what the declaration says, add or correct the field in that file; if not, correct the declaration.
List an intended difference in "wanted" of internal/kinds/declaration_test.go, with the reason.`, file, k.Name, diff)
			}
		})
	}
}

type comparison struct {
	flat  bool
	confs map[string][]any // fields of objects that depend on a type
	found []string
}

// confs returns the fields of all types that the catalog lists by type.
func confs(entry map[string]any) map[string][]any {
	out := map[string][]any{}
	byPath, _ := entry["conf_by_type"].(map[string]any)
	for path, byType := range byPath {
		for _, fields := range byType.(map[string]any) {
			out[path] = append(out[path], fields.([]any)...)
		}
	}
	return out
}

func (c *comparison) same(path, what string, got, catalog any) {
	if !tree.Equal(got, catalog) {
		c.found = append(c.found, fmt.Sprintf("%s: %s is %v, in the catalog %v", path, what, got, catalog))
	}
}

func (c *comparison) kind(k def.Kind, entry map[string]any) {
	scope := map[def.Scope]string{def.InMesh: "Mesh", def.Global: "Global"}
	writable := entry["writable_on"].(map[string]any)
	c.same(k.Name, "path", k.Path, entry["path"])
	shortName, _ := entry["short_name"].(string)
	c.same(k.Name, "short name", k.ShortName, shortName)
	c.same(k.Name, "scope", scope[k.Scope], entry["scope"])
	c.same(k.Name, "flat", !k.Flat, entry["has_spec"])
	c.same(k.Name, "status", k.Status, entry["has_status"])
	c.same(k.Name, "policy", k.Policy != nil, entry["is_policy"])
	c.same(k.Name, "owned by global", k.GlobalOwned, writable["global_cp"])
	c.same(k.Name, "owned by zones", k.ZoneOwned == kuma.Always(), writable["federated_zone_cp"])
	if flags, ok := entry["policy"].(map[string]any); ok {
		c.same(k.Name, "to", k.Policy.To, flags["has_to"])
		c.same(k.Name, "from", k.Policy.From, flags["has_from"])
		c.same(k.Name, "rules", k.Policy.Rules, flags["has_rules"])
		c.same(k.Name, "single", k.Policy.Single, flags["single_item"])
		c.same(k.Name, "from as rules", k.Policy.FromAsRules, flags["from_as_rules"])
		c.same(k.Name, "order", json.Number(fmt.Sprint(k.Policy.Order)), flags["order"])
	}
}

func (c *comparison) object(path string, o def.Object, fields any) {
	list, _ := fields.([]any)
	known := map[string]bool{}
	for _, e := range list {
		entry := e.(map[string]any)
		name := entry["name"].(string)
		known[name] = true
		at := name
		if path != "" {
			at = path + "." + name
		}
		f, ok := o.Field(name)
		if !ok {
			c.found = append(c.found, at+": only in the catalog")
			continue
		}
		c.field(at, f, entry)
	}
	for _, f := range o {
		if !known[f.Name] {
			c.found = append(c.found, path+"."+f.Name+": not in the catalog")
		}
	}
}

func (c *comparison) field(path string, f def.Field, entry map[string]any) {
	c.same(path, "required", f.Required, entry["required"] == true)
	c.same(path, "sensitive", sensitive(f), entry["sensitive"] == true)
	c.same(path, "deprecated", f.Deprecated != "", entry["deprecated"] == true)
	c.same(path, "server owned", f.ServerOwned, entry["server_computed"] == true)
	c.same(path, "distinct", f.Distinct, entry["nullable_wrapper"] == true)
	c.same(path, "drops empty", f.DropsEmpty == kuma.Always(), entry["keeps_empty"] == false)
	if f.Doc == "" {
		c.found = append(c.found, path+": no description")
	}
	c.defaults(path, f, entry)
	c.merge(path, f, entry)
	c.values(path, f, entry)

	typeName := nameOf(f.Type)
	c.same(path, "type", typeName, cmp.Or(sameType[entry["type"].(string)], entry["type"].(string)))
	if o, ok := f.Type.(def.Object); ok && entry["type"] == "json" {
		if fields, ok := c.confs[path]; ok {
			c.object(path, o, fields)
		}
		return
	}
	elem := f.Type
	if list, ok := f.Type.(def.List); ok {
		path, elem = path+"[]", list.Elem
		item := entry["item"].(string)
		c.same(path, "type", nameOf(elem), cmp.Or(sameType[item], item))
	}
	if o, ok := elem.(def.Object); ok {
		c.object(path, o, entry["fields"])
	}
}

func (c *comparison) defaults(path string, f def.Field, entry map[string]any) {
	want := entry["default"]
	if c.flat {
		want = entry["zero_value"]
	}
	if o, ok := f.Type.(def.Object); ok && entry["always_emitted"] == true && !f.Required && o != nil {
		want = map[string]any{}
	}
	c.same(path, "default", f.Default, want)
}

func (c *comparison) merge(path string, f def.Field, entry map[string]any) {
	want := def.Replace
	switch entry["merge"] {
	case "append":
		want = def.Append
	case "merge_values":
		want = def.SplitByValue
	case "merge_by_key":
		want = def.MergeByMatches
	}
	c.same(path, "merge", int(f.Merge), int(want))
}

// values tries the values that the catalog lists as valid or invalid.
func (c *comparison) values(path string, f def.Field, entry map[string]any) {
	try := func(v any, good bool) {
		if f.Type == def.Int {
			if s, ok := v.(string); ok && good {
				v = json.Number(s)
			}
		}
		if c.accepts(f, v) != good {
			said := map[bool]string{true: "accepted", false: "rejected"}
			text, _ := json.Marshal(v)
			c.found = append(c.found, fmt.Sprintf("%s: %s is %s, in the catalog %s", path, text, said[!good], said[good]))
		}
	}
	inList := func(v any) any {
		if entry["type"] == "list" {
			return []any{v}
		}
		return v
	}
	if enum, ok := entry["enum"].([]any); ok {
		for _, v := range enum {
			if v != entry["zero_value"] {
				try(inList(v), true)
			}
		}
		for _, other := range []string{"Mesh", "MeshHTTPRoute", "nonsense"} {
			if !slices.Contains(enum, any(other)) {
				try(inList(other), false)
			}
		}
		return
	}
	if low, ok := entry["min"].(json.Number); ok && f.Type == def.Int {
		try(plus(low, -1), false)
		if entry["rule"] == nil {
			try(low, true)
		}
	}
	if high, ok := entry["max"].(json.Number); ok && f.Type == def.Int {
		try(plus(high, 1), false)
		if _, err := high.Int64(); err == nil && entry["rule"] == nil {
			try(high, true)
		}
	}
	c.sizes(entry, try)
}

func (c *comparison) sizes(entry map[string]any, try func(v any, good bool)) {
	build := func(n int64) any {
		if entry["type"] == "string" {
			return string(slices.Repeat([]byte("x"), int(n)))
		}
		elements := make([]any, n)
		for i := range elements {
			elements[i] = "x"
		}
		return elements
	}
	for name, beyond := range map[string]int64{"min_length": -1, "max_length": 1, "min_items": -1, "max_items": 1} {
		limit, ok := entry[name].(json.Number)
		if !ok || entry["type"] == "map" {
			continue
		}
		n, _ := limit.Int64()
		if entry["item"] != "object" || beyond < 0 {
			try(build(n+beyond), false)
		}
		if entry["item"] != "object" {
			try(build(n), true)
		}
	}
}

// accepts reports whether a field by itself accepts a value.
func (c *comparison) accepts(f def.Field, v any) bool {
	return len(def.Errors(def.Object{f}.Validate(map[string]any{f.Name: v}, c.flat))) == 0
}

func plus(n json.Number, i int64) json.Number {
	v, ok := new(big.Int).SetString(n.String(), 10)
	if !ok {
		panic("the limit " + n.String() + " of the catalog is not an integer")
	}
	return json.Number(v.Add(v, big.NewInt(i)).String())
}

// sameType maps the types of the catalog that differ in name only.
var sameType = map[string]string{"enum": "string", "bytes_base64": "base64"}

func nameOf(t def.Type) string {
	switch t := t.(type) {
	case def.List:
		return "list"
	case def.StringMap:
		return "map"
	case def.Object:
		return "object"
	case def.Secret:
		return "base64"
	case def.Scalar:
		return map[def.Scalar]string{
			def.String: "string", def.Bool: "bool", def.Int: "int", def.Number: "number",
			def.Duration: "duration", def.ProtoDuration: "proto_duration",
			def.IntOrString: "int_or_string", def.JSON: "json", def.Base64: "base64",
		}[t]
	}
	return ""
}
