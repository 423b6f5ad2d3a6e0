package kinds

import (
	"cmp"
	"errors"
	"strings"
	"text/template"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// SPIFFEID returns the SPIFFE ID that a MeshIdentity gives to a Dataplane that it
// selects, in universal mode. The error is that of the templates, which may need
// a label that the Dataplane does not have.
func SPIFFEID(identity, dataplane kuma.Resource) (string, error) {
	format := tree.Root(identity.Spec()).Get("spiffeID")
	trustDomain, _ := format.Get("trustDomain").Text()
	path, _ := format.Get("path").Text()
	known := map[string]string{"Mesh": dataplane.Mesh}
	for name, label := range map[string]string{"Zone": kuma.LabelZone, "Workload": kuma.LabelWorkload} {
		if value := dataplane.Labels[label]; value != "" {
			known[name] = value
		}
	}
	text := "spiffe://" + cmp.Or(trustDomain, "{{ .Mesh }}.{{ .Zone }}.mesh.local") + cmp.Or(path, "/workload/{{ .Workload }}")
	read, err := check.ParseTemplate(text)
	if err != nil {
		return "", err
	}
	read.Option("missingkey=error").Funcs(template.FuncMap{"label": func(key string) (string, error) {
		if value, ok := dataplane.Labels[key]; ok {
			return value, nil
		}
		return "", errors.New("the Dataplane does not have the label " + key)
	}})
	var out strings.Builder
	err = read.Execute(&out, known)
	return out.String(), err
}
