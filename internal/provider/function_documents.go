package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// documentsDescription describes the values of an argument with resources.
const documentsDescription = "a string with documents in YAML or JSON, a list of such strings, documents as objects, and whole resources such as `kuma_mesh_timeout.web`."

// attributeTypes converts attributes of a data source to the types that a function
// returns.
func attributeTypes(attributes map[string]schema.Attribute) map[string]attr.Type {
	out := make(map[string]attr.Type, len(attributes))
	for name, a := range attributes {
		out[name] = a.GetType()
	}
	return out
}

func kindNames(kinds []def.Kind) []string {
	return each(kinds, func(k def.Kind) string { return k.Name })
}

// functionDocuments collects the resources of an argument of a function that can
// change its result.
type functionDocuments struct {
	reader    document.Reader
	documents []document.Document
	unknown   bool // something that affects the result is not known yet
	matters   func(kind string, doc map[string]any) bool
}

// newFunctionDocuments collects the resources that affect a result. matters decides
// that for a document, in which some values may not be known yet, and its kind.
func newFunctionDocuments(matters func(kind string, doc map[string]any) bool) *functionDocuments {
	d := &functionDocuments{matters: matters}
	d.reader = document.Reader{UnknownKinds: document.LeaveOut, Check: document.Values, Skip: d.skip}
	return d
}

// argument collects from the value of an argument.
func (d *functionDocuments) argument(ctx context.Context, v types.Dynamic) error {
	value, err := v.ToTerraformValue(ctx)
	if err != nil {
		return err
	}
	return d.value(value)
}

// value collects from a string, an object, or a list of them.
func (d *functionDocuments) value(v tftypes.Value) error {
	if !v.IsKnown() {
		d.unknown = true
		return nil
	}
	if v.IsNull() {
		return errors.New("must not be null")
	}
	switch {
	case v.Type().Is(tftypes.String):
		return d.text(v)
	case v.Type().Is(tftypes.Object{}), v.Type().Is(tftypes.Map{}):
		return d.object(v)
	case v.Type().Is(tftypes.Tuple{}), v.Type().Is(tftypes.List{}), v.Type().Is(tftypes.Set{}):
		var elems []tftypes.Value
		if err := v.As(&elems); err != nil {
			return err
		}
		for i, e := range elems {
			if err := d.value(e); err != nil {
				return fmt.Errorf("element %d: %w", i, err)
			}
		}
		return nil
	}
	return errors.New("must be a string with YAML documents, an object, or a whole resource")
}

func (d *functionDocuments) text(v tftypes.Value) error {
	var text string
	if err := v.As(&text); err != nil {
		return err
	}
	read, err := d.reader.Text([]byte(text))
	if err != nil {
		return err
	}
	return d.add(read)
}

func (d *functionDocuments) object(v tftypes.Value) error {
	doc, err := objectTree(v)
	switch {
	case err != nil:
		return err
	case doc == nil:
		d.unknown = true
		return nil
	}
	return d.add(d.reader.Value(withKnownAddress(doc)))
}

// add collects what was read if it has no problems. Kinds that are not described do
// not take part in matching.
func (d *functionDocuments) add(read document.Result) error {
	if err := read.Err(); err != nil {
		return err
	}
	d.documents = append(d.documents, read.Documents...)
	return nil
}

// skip reports whether a document cannot change the result, or is not known yet.
func (d *functionDocuments) skip(kind string, doc map[string]any) bool {
	if kind != "" && !d.matters(kind, doc) {
		return true
	}
	known := tree.FullyKnown(doc)
	d.unknown = d.unknown || !known
	return !known
}

// withKnownAddress replaces the unknown address of a Dataplane if that does not change
// the rules: the address of a machine is often not known before the machine exists.
func withKnownAddress(doc map[string]any) map[string]any {
	networking := tree.Object(doc["networking"])
	if doc["type"] == kuma.KindDataplane && networking["address"] == tree.Unknown && !rules.AddressMatters(networking) {
		networking["address"] = "192.0.2.1" // for documentation, RFC 5737
	}
	return doc
}

// stored returns the resources as a control plane stores them, the last one for each
// key. Resources with an origin label are already stored elsewhere.
func (d *functionDocuments) stored(cp kuma.ControlPlane) []kuma.Resource {
	c := def.StoreContext{ControlPlane: cp}
	for _, found := range d.documents {
		if found.Resource.Type == kuma.KindMesh {
			c.Mesh = found.Resource
		}
	}
	at := map[kuma.Key]int{}
	var out []kuma.Resource
	for _, found := range d.documents {
		r := found.Stored()
		if found.Described && r.Labels[kuma.LabelOrigin] == "" {
			r = found.Kind.Store(found.Resource, c)
		}
		if i, ok := at[r.Key()]; ok {
			out[i] = r
			continue
		}
		at[r.Key()] = len(out)
		out = append(out, r)
	}
	return out
}

// controlPlane returns the control plane that has stored the documents, according to
// their labels; the zero value if they do not identify it.
func (d *functionDocuments) controlPlane() kuma.ControlPlane {
	zones := map[string]bool{}
	origins := 0
	for _, found := range d.documents {
		switch found.Resource.Labels[kuma.LabelOrigin] {
		case kuma.OriginZone:
			zones[found.Resource.Labels[kuma.LabelZone]] = true
			origins++
		case kuma.OriginGlobal:
			origins++
		}
	}
	switch {
	case origins == 0:
		return kuma.ControlPlane{}
	case len(zones) == 1:
		return kuma.ControlPlane{Mode: kuma.ModeZone, Zone: slices.Collect(maps.Keys(zones))[0]}
	default:
		return kuma.ControlPlane{Mode: kuma.ModeGlobal}
	}
}
