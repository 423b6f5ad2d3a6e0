package provider

import (
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// effectiveRulesDocuments collects resources from an argument, as far as they can
// change the answer about one proxy.
type effectiveRulesDocuments struct {
	asked      kuma.Key // the proxy
	policyType string
	reader     document.Reader
	resources  []kuma.Resource
	unknown    bool // something that matters is not known yet
}

func newEffectiveRulesDocuments(asked kuma.Key, policyType string) *effectiveRulesDocuments {
	d := &effectiveRulesDocuments{asked: asked, policyType: policyType}
	d.reader = document.Reader{UnknownKinds: document.LeaveOut, Check: document.Values, Skip: d.skip}
	return d
}

// value collects from a text, an object or a list of them.
func (d *effectiveRulesDocuments) value(v tftypes.Value) error {
	if !v.IsKnown() {
		d.unknown = true
		return nil
	}
	if v.IsNull() {
		return errors.New("null holds no documents")
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
	return errors.New("write texts with YAML documents, objects, or whole resources")
}

func (d *effectiveRulesDocuments) text(v tftypes.Value) error {
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

func (d *effectiveRulesDocuments) object(v tftypes.Value) error {
	doc, err := objectTree(v)
	switch {
	case err != nil:
		return err
	case doc == nil:
		d.unknown = true
		return nil
	}
	return d.add(d.reader.Value(doc))
}

// add takes what was read, unless something is wrong with it. Kinds that are not
// described take no part in matching.
func (d *effectiveRulesDocuments) add(read document.Result) error {
	if err := read.Err(); err != nil {
		return err
	}
	for _, found := range read.Documents {
		d.resources = append(d.resources, found.Stored())
	}
	return nil
}

// skip passes over what cannot change the answer, and over what is not known yet.
func (d *effectiveRulesDocuments) skip(kind string, doc map[string]any) bool {
	if kind != "" && !rules.Influences(kind, d.policyType) {
		return true
	}
	known := tree.FullyKnown(doc)
	if name, ok := doc["name"].(string); ok && !known && kind == kuma.KindDataplane && name != d.asked.Name {
		return true // proxies do not change the rules of each other
	}
	d.unknown = d.unknown || !known
	return !known
}
