package configuration

import (
	"maps"

	"github.com/hashicorp/hcl/v2/hclwrite"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Manifest returns what a manifest shows of a stored resource: without the labels that
// the control plane computes, the fields that it writes itself, and the secrets,
// unless prior sets them, and without fields of later releases. For an undescribed
// kind it is the whole document without the secrets and the label that repeats the mesh.
func Manifest(k def.Kind, stored, prior kuma.Resource) kuma.Resource {
	if _, described := kinds.Find(k.Name); !described {
		shown := stored.Clone()
		if _, mine := prior.Labels[kuma.LabelMesh]; !mine {
			shown = shown.WithoutMeshLabel()
		}
		return hideSecrets(k, shown, prior)
	}
	shown := k.WithoutServerOwned(stored)
	k.KeepServerOwned(&shown, prior)
	maps.DeleteFunc(shown.Labels, func(label, _ string) bool {
		_, mine := prior.Labels[label]
		return kuma.ServerLabel(label) && !mine
	})
	for label := range prior.Labels { // includes computed labels, which were removed above
		if value, ok := stored.Labels[label]; ok {
			if shown.Labels == nil {
				shown.Labels = map[string]string{}
			}
			shown.Labels[label] = value
		}
	}
	shown = hideSecrets(k, shown, prior)
	k.DropUnknown(&shown)
	return shown
}

// hideSecrets deletes the secrets of a resource that prior does not set.
func hideSecrets(k def.Kind, shown, prior kuma.Resource) kuma.Resource {
	for _, p := range k.SensitiveFields(shown.Document()) {
		if name, ok := p[len(p)-1].(string); ok && tree.At(prior.Document(), p) == nil {
			delete(tree.Object(tree.At(shown.Body, p.Parent())), name)
		}
	}
	return shown
}

// writeManifest writes the argument of kuma_manifest.
func (f *files) writeManifest(body *hclwrite.Body, k def.Kind, r kuma.Resource, instead expressions) error {
	shown, o := r, f.options
	if !o.Defaults {
		shown = Manifest(k, r, kuma.Resource{Labels: o.labels(r)})
	} else if _, described := kinds.Find(k.Name); described {
		shown.Labels = o.labels(r)
	}
	tokens, err := blockWriter{instead}.value(shown.Document(), nil)
	if err != nil {
		return err
	}
	body.SetAttributeRaw("manifest", tokens)
	return nil
}
