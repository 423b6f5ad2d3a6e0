package managed

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/zclconf/go-cty/cty"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// This file finds the listed resources in the state of another provider.

// tfstate is a state of Terraform, of format 4.
type tfstate struct {
	Version   int
	Resources []stateResource
}

type stateResource struct {
	Module, Mode, Type, Name, Provider string
	Instances                          []struct {
		IndexKey   any `json:"index_key"`
		Deposed    string
		Attributes json.RawMessage
	}
}

// movedFrom sets the addresses of resources in the state of another provider, from which
// they are moved.
func (m *resourcesArguments) movedFrom(resources []kuma.Resource, o *configuration.Options, diags *diag.Diagnostics) {
	if m.StateFile.IsNull() {
		return
	}
	at := path.Root("state_file")
	text, err := os.ReadFile(m.StateFile.ValueString())
	if err != nil {
		diags.AddAttributeError(at, "Cannot read the state", phrase.Sentence(err))
		return
	}
	var state tfstate
	if err := json.Unmarshal(text, &state); err != nil || state.Version != 4 {
		diags.AddAttributeError(at, "Not a state of Terraform",
			"The file must contain a state in the format 4, as `terraform state pull` prints it.")
		return
	}
	o.Moved = state.addresses()
	var missing []string
	for key, from := range o.Moved {
		if !slices.ContainsFunc(resources, func(r kuma.Resource) bool { return r.Key() == key }) {
			missing = append(missing, from)
		}
	}
	if slices.Sort(missing); missing != nil {
		diags.AddAttributeWarning(at, "Resources without a moved block",
			fmt.Sprintf("The state has resources that are not listed, or that a user does not manage: %s. "+
				"If their blocks are removed, the other provider destroys them. Remove them from the state, or list them too.", phrase.And(missing...)))
	}
}

// addresses returns the addresses of the resources of Kuma that other providers manage.
func (s tfstate) addresses() map[kuma.Key]string {
	out := map[kuma.Key]string{}
	for _, r := range s.Resources {
		_, provider, _ := strings.Cut(r.Provider, `["`) // provider["HOST/NAMESPACE/NAME"].ALIAS
		provider, _, _ = strings.Cut(provider, `"]`)
		if prefix := tfschema.OtherPrefix(provider); prefix == "" || r.Mode != "managed" || !strings.HasPrefix(r.Type, prefix) {
			continue
		}
		for _, i := range r.Instances {
			var moved movedState
			if err := json.Unmarshal(i.Attributes, &moved); err == nil && moved.Type != "" && moved.Name != "" && i.Deposed == "" {
				out[moved.key()] = r.address(i.IndexKey)
			}
		}
	}
	return out
}

// address returns the address of the instance with a key, nil for the only one.
func (r stateResource) address(key any) string {
	address := r.Type + "." + r.Name
	if r.Module != "" {
		address = r.Module + "." + address
	}
	switch key := key.(type) {
	case string:
		return fmt.Sprintf("%s[%s]", address, hclwrite.TokensForValue(cty.StringVal(key)).Bytes())
	case float64:
		return fmt.Sprintf("%s[%.0f]", address, key)
	default:
		return address
	}
}
