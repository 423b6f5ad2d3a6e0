package tfplan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Plan is what a plan does to the resources of Kuma.
type Plan struct {
	Program string // with its version, such as "Terraform 1.15.0"
	// Partial reports whether the plan leaves out a part of the configuration, because of
	// -target, or because Terraform deferred it.
	Partial bool
	// RefreshOnly reports whether the plan only updates the state.
	RefreshOnly bool
	// Changes has an entry for each managed resource of Kuma, in order of the address, also for
	// resources that the plan does not change.
	Changes []Change
	// Sensitive are the texts of the sensitive values, which must not be shown.
	Sensitive []string
}

// Action is what a plan does to a resource.
type Action string

// Actions.
const (
	NoOp    Action = "no-op"
	Create  Action = "create"
	Update  Action = "update"
	Replace Action = "replace"
	Delete  Action = "delete"
	Forget  Action = "forget" // without deleting it
)

// Change is what a plan does to one resource.
type Change struct {
	Address  string // such as module.shop.kuma_mesh_timeout.api["x"]
	Provider string // configuration of the provider, such as kuma or kuma.east; empty if the plan does not say
	Other    bool   // by another provider, whose configurations are not named
	Action   Action
	Imported bool
	Moved    string // the former address; empty if it is the same
	// Before and After are documents in universal format, nil if the resource does not exist.
	// Values that are known only after the apply are [tree.Unknown].
	Before, After map[string]any
	KRI           string // of the resource, which names the zone of the control plane
	// Overwrites and Existing are how the provider's configuration handles changes by others since
	// the plan, and resources that exist already, if it is constant.
	Overwrites bool
	Existing   string
	// ReplacedVersion is the version of an existing resource that the plan adopts.
	ReplacedVersion string
	ForceDestroy    bool // of a mesh
	// Unreadable says why the documents are not known. It is nil if they are.
	Unreadable error
}

// Changes reports whether the plan writes to the control plane.
func (c Change) Changes() bool { return c.Action != NoOp && c.Action != Forget }

// Key returns the key of a document; false if it is not known.
func Key(document map[string]any) (kuma.Key, bool) {
	name, named := document["name"].(string)
	kind, typed := document["type"].(string)
	key := kuma.Key{Type: kind, Name: name}
	if mesh, ok := document["mesh"]; ok {
		text, known := mesh.(string)
		if !known {
			return key, false
		}
		key.Mesh = text
	}
	return key, named && typed
}

// file is a plan as Terraform shows it. Its documentation is
// https://developer.hashicorp.com/terraform/internals/json-format.
type file struct {
	FormatVersion    string            `json:"format_version"`
	TerraformVersion string            `json:"terraform_version"`
	PlannedValues    json.RawMessage   `json:"planned_values"`
	Changes          []resourceChange  `json:"resource_changes"`
	Drift            []resourceChange  `json:"resource_drift"`
	Deferred         []json.RawMessage `json:"deferred_changes"`
	Outputs          map[string]struct {
		Actions []string `json:"actions"`
	} `json:"output_changes"`
	Configuration struct {
		Root      module `json:"root_module"`
		Providers map[string]struct {
			Expressions map[string]any `json:"expressions"`
		} `json:"provider_config"`
	} `json:"configuration"`
	Errored  bool  `json:"errored"`
	Complete *bool `json:"complete"`
}

type resourceChange struct {
	Address  string `json:"address"`
	Previous string `json:"previous_address"`
	Module   string `json:"module_address"`
	Mode     string `json:"mode"`
	Type     string `json:"type"`
	Name     string `json:"name"`
	Provider string `json:"provider_name"`
	Deposed  string `json:"deposed"`
	Change   change `json:"change"`
}

type change struct {
	Actions         []string `json:"actions"`
	Before          any      `json:"before"`
	After           any      `json:"after"`
	AfterUnknown    any      `json:"after_unknown"`
	BeforeSensitive any      `json:"before_sensitive"`
	AfterSensitive  any      `json:"after_sensitive"`
	Importing       any      `json:"importing"`
}

// module is a module of the configuration.
type module struct {
	Resources []struct {
		Mode     string `json:"mode"`
		Type     string `json:"type"`
		Name     string `json:"name"`
		Provider string `json:"provider_config_key"`
	} `json:"resources"`
	Calls map[string]struct {
		Module module `json:"module"`
	} `json:"module_calls"`
}

// ErrWithErrors means that the plan failed, and so does not contain everything.
var ErrWithErrors = errors.New("the plan has errors, so it does not contain all changes. Repair the configuration, and plan again")

const showPlan = `"terraform show -json PLANFILE" or "tofu show -json PLANFILE"`

// Read reads the output of "terraform show -json" for a saved plan.
func Read(data []byte) (Plan, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if bytes.HasPrefix(data, []byte("PK\x03\x04")) {
		return Plan{}, errors.New("this is a saved plan. Write the output of " + showPlan + " instead")
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var f file
	if err := decoder.Decode(&f); err != nil {
		return Plan{}, fmt.Errorf("this is not the output of %s: %w", showPlan, withoutValue(err))
	}
	_, err := decoder.Token()
	switch major, _, _ := strings.Cut(f.FormatVersion, "."); {
	case f.FormatVersion == "":
		return Plan{}, errors.New("this is not the output of " + showPlan + ": it has no format_version")
	case major != "1" && major != "0":
		return Plan{},
			fmt.Errorf("version %s of the format of plans is not supported. "+
				"Supported is version 1, which Terraform 1.0 and later and OpenTofu write", f.FormatVersion)
	case f.PlannedValues == nil:
		return Plan{}, errors.New("this is a state, not a plan. Write the output of " + showPlan)
	case f.Errored:
		return Plan{}, ErrWithErrors
	case !errors.Is(err, io.EOF):
		return Plan{}, errors.New("there is more after the plan. Review each plan alone")
	}
	return f.plan(), nil
}

// withoutValue returns an error of the decoder without values of the plan.
func withoutValue(err error) error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("%s is not of type %s", wrong.Field, wrong.Type)
	}
	return err
}

func (f file) plan() Plan {
	p := Plan{Program: f.program(), Partial: f.Complete != nil && !*f.Complete || len(f.Deferred) > 0}
	providers := map[string]string{}
	f.Configuration.Root.addProviders("", providers)
	sensitive := map[string]bool{}
	changes := 0
	for _, r := range f.Changes {
		if r.Mode != "managed" {
			continue
		}
		c := r.Change
		if !slices.Equal(c.Actions, []string{string(NoOp)}) {
			changes++
		}
		if !isKuma(r) {
			continue
		}
		addSensitive(sensitive, c.Before, c.BeforeSensitive)
		addSensitive(sensitive, c.After, c.AfterSensitive)
		read := Change{
			Address: r.Address, Other: !isOwn(r), Action: actionOf(c.Actions), Imported: c.Importing != nil, Moved: r.Previous,
			ReplacedVersion: tree.Text(tree.Object(c.After)[tfschema.ReplacedVersion]),
			ForceDestroy:    tree.Object(c.Before)[tfschema.ForceDestroy] == true,
		}
		if !read.Other {
			read.Provider = providers[indexes.ReplaceAllString(r.Module, "")+"/"+r.Type+"."+r.Name]
		}
		constant := func(argument string) string {
			return tree.Text(tree.Object(f.Configuration.Providers[read.Provider].Expressions[argument])["constant_value"])
		}
		read.Overwrites, read.Existing = constant("concurrent_changes") == "overwrite", constant("existing")
		if r.Deposed != "" {
			read.Address += " (deposed object " + r.Deposed + ")"
		}
		read.readDocuments(r)
		p.Changes = append(p.Changes, read)
	}
	p.RefreshOnly = changes == 0 && len(f.Drift) > 0
	slices.SortStableFunc(p.Changes, func(a, b Change) int { return strings.Compare(a.Address, b.Address) })
	p.Sensitive = slices.Sorted(maps.Keys(sensitive))
	return p
}

// program returns the program that wrote the plan: OpenTofu has a registry of its own.
func (f file) program() string {
	if slices.ContainsFunc(f.Changes, func(r resourceChange) bool { return strings.HasPrefix(r.Provider, "registry.opentofu.org/") }) {
		return "OpenTofu " + f.TerraformVersion
	}
	return "Terraform " + f.TerraformVersion
}

func actionOf(actions []string) Action {
	if len(actions) > 1 {
		return Replace
	}
	return Action(strings.Join(actions, ""))
}

// addProviders adds the configurations of the provider that the resources of a module have.
func (m module) addProviders(address string, to map[string]string) {
	for _, r := range m.Resources {
		if r.Mode == "managed" {
			to[address+"/"+r.Type+"."+r.Name] = r.Provider
		}
	}
	for name, call := range m.Calls {
		call.Module.addProviders(strings.TrimPrefix(address+".module."+name, "."), to)
	}
}

// addSensitive adds the texts of a value that are marked as sensitive.
func addSensitive(to map[string]bool, value, marks any) {
	switch v := value.(type) {
	case map[string]any:
		m, _ := marks.(map[string]any)
		for key, e := range v {
			if marks == true {
				addSensitive(to, e, true)
			} else {
				addSensitive(to, e, m[key])
			}
		}
	case []any:
		m, _ := marks.([]any)
		for i, e := range v {
			switch {
			case marks == true:
				addSensitive(to, e, true)
			case i < len(m):
				addSensitive(to, e, m[i])
			}
		}
	case nil:
	default:
		if marks == true {
			to[fmt.Sprint(v)] = true
		}
	}
}
