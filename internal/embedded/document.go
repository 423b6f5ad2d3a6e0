package embedded

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// object is a JSON object with ordered fields.
type object []field

type field struct {
	name  string
	value any
}

// MarshalJSON writes the fields in order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// encodeDocument returns the response to a GET of r: the envelope in the order of the
// contract, then the body.
func encodeDocument(k def.Kind, r kuma.Resource) object {
	o := object{{"type", r.Type}}
	if r.Mesh != "" {
		o = append(o, field{"mesh", r.Mesh})
	}
	o = append(o,
		field{"name", r.Name},
		field{"creationTime", stamp(r.CreationTime)},
		field{"modificationTime", stamp(r.ModificationTime)})
	if len(r.Labels) > 0 {
		o = append(o, field{"labels", r.Labels})
	}
	if kri := k.KRI(r); kri != "" {
		o = append(o, field{"kri", kri})
	}
	for _, name := range slices.Sorted(maps.Keys(r.Body)) {
		o = append(o, field{name, r.Body[name]})
	}
	if k.Status {
		o = append(o, field{"status", struct{}{}})
	}
	return o
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
