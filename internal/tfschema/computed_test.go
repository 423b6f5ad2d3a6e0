package tfschema_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

type named struct {
	Name string `json:"name"`
}

type found struct {
	named
	Count  int               `json:"count,omitzero"`
	Share  json.Number       `json:"share"`
	Part   *named            `json:"part"`
	Parts  []named           `json:"parts"`
	ByName map[string]*named `json:"by_name"`
	Labels map[string]string `json:"labels"`
	Names  []string          `json:"names"`
	Conf   any               `json:"conf"`
	Secret string            `json:"-"`
}

// TestComputedOf checks the types and descriptions of the attributes of a struct.
func TestComputedOf(t *testing.T) {
	t.Parallel()
	describe := tfschema.Descriptions("# Title\n\n## named\n\n- `name`: Name\n  of it.\n\n## found\n\n- `count`: Number.\n- `share`: Share.\n- `part`: One.\n- `parts`: All.\n" +
		"- `by_name`: By name.\n- `labels`: Labels.\n- `names`: Names.\n- `conf`: Conf.\n")
	got := map[string][2]string{}
	for name, a := range tfschema.ComputedOf(reflect.TypeFor[found](), describe) {
		if !a.IsComputed() || a.IsOptional() {
			t.Errorf("%s is not only computed", name)
		}
		got[name] = [2]string{a.GetType().String(), a.GetMarkdownDescription()}
	}
	const object = `types.ObjectType["name":basetypes.StringType]`
	want := map[string][2]string{
		"name": {"basetypes.StringType", "Name of it."}, "count": {"basetypes.Int64Type", "Number."}, "share": {"basetypes.NumberType", "Share."},
		"part": {object, "One."}, "parts": {"types.ListType[" + object + "]", "All."}, "by_name": {"types.MapType[" + object + "]", "By name."},
		"labels": {"types.MapType[basetypes.StringType]", "Labels."}, "names": {"types.ListType[basetypes.StringType]", "Names."}, "conf": {"basetypes.DynamicType", "Conf."},
	}
	testworld.Equal(t, "attributes", want, got)
	defer func() {
		if recover() == nil {
			t.Error("a field without a description is accepted")
		}
	}()
	describe("found", "secret")
}
