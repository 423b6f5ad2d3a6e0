package upgrade

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// correctFields returns a document without the fields that its kind does not have: 2.14 reads some
// of them, in another spelling, and drops the others, with which Kuma 3.0 rejects the document.
func (w *world) correctFields(r kuma.Resource) kuma.Resource {
	k, ok := kinds.Find(r.Type)
	if !ok {
		return r
	}
	outcome := "rejects the document"
	if k.Proto() {
		outcome = "drops it as well"
	}
	for _, p := range k.UnknownFields(r) {
		r = r.Clone()
		name, _ := p.Path[len(p.Path)-1].(string)
		parent := tree.Object(tree.At(r.Body, p.Path.Parent()))
		fields, _ := k.ObjectAt(p.Path.Parent())
		i := slices.IndexFunc(fields, func(f def.Field) bool { return strings.EqualFold(f.Name, name) })
		value, has := parent[name]
		if !has {
			continue
		}
		delete(parent, name)
		item := Item{
			Key: r.Key(), Path: p.Path.String(), Action: Manual, Stage: 1,
			Text:    p.Detail + " Kuma 3.0 " + outcome + ", so the stages leave the field out.",
			Choices: []string{"Correct the document, which then changes proxies, and rewrite again.", "Leave it out: it has never had an effect."},
		}
		if i >= 0 {
			if _, taken := parent[fields[i].Name]; !taken {
				parent[fields[i].Name] = value
				item.Action, item.Choices = Rewritten, nil
				item.Text = fmt.Sprintf("Is %s, as which Kuma 2.14 reads the field. Kuma 3.0 rejects another spelling.", fields[i].Name)
			}
		}
		w.report.add(item)
	}
	return r
}
