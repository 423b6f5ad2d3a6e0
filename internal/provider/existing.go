package provider

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// existingResources says what to do when a resource that is to be created already
// exists.
type existingResources string

const (
	existingRefuse     existingResources = "refuse"
	existingAdoptEqual existingResources = "adopt_equal"
	existingAdopt      existingResources = "adopt"
)

// configBlock is how a configuration manages a resource.
type configBlock struct {
	typeName string // of the Terraform resource
	importID string
	at       path.Path // the attribute that names the resource
}

// importBlock is the block that imports a resource. The address of the resource is
// not known here.
func (b configBlock) importBlock(name string) string {
	return fmt.Sprintf("import {\n  to = %s.%s # the address of the resource block\n  id = %q\n}", b.typeName, tfschema.LocalName(name), b.importID)
}

// existing is a resource that exists and that the plan creates. res is nil while
// the plan does not know all of it.
type existing struct {
	remote
	found kuma.Resource
	res   *kuma.Resource
	block configBlock
}

// adviceDestroy is part of errors that a plan reports, which Terraform also makes
// before it destroys.
const adviceDestroy = "To destroy all resources without changing the configuration first, run `terraform destroy -refresh=false`."

// diagnostic says what a conflict about a resource is and what to do about it.
func (c conflict) diagnostic(key kuma.Key, r runResource) diag.Diagnostic {
	inState, planned := r.typeName, r.newType
	switch {
	case c == conflictTwoBlocks:
		detail := fmt.Sprintf("%s is managed by more than one resource block or instance, and each would overwrite what the others write. Keep one, or change the other names.", key)
		if inState != "" {
			detail += " " + adviceDestroy
		}
		return diag.NewErrorDiagnostic("Duplicate resource", detail)
	case inState == planned:
		return diag.NewErrorDiagnostic("Resource address changed without a moved block",
			fmt.Sprintf("%s is in the state at an address that the configuration no longer has, and another resource block would create it. The plan would delete it and create it again. "+
				"If it is left over from a failed replacement, set existing = \"adopt_equal\" in the provider block. %s If the block was renamed, add a moved block:\n\nmoved {\n  from = %s.OLD_NAME\n  to   = %s.NEW_NAME\n}", key, adviceDestroy, inState, inState))
	default:
		return diag.NewErrorDiagnostic("Resource type changed",
			fmt.Sprintf("%s is in the state as a %s that the configuration no longer has, and a %s would create it. The plan would delete it and create it again. "+
				"To change the type, remove the old one from the state and import the new one:\n\nremoved {\n  from = %s.OLD_NAME\n  lifecycle {\n    destroy = false\n  }\n}\n\nimport {\n  to = %s.NEW_NAME\n  id = \"…\"\n}", key, inState, planned, inState, planned))
	}
}

// reportConflict reports a conflict, unless the resource may be adopted at its new
// address.
func (r remote) reportConflict(c conflict, key kuma.Key, b configBlock, diags *diag.Diagnostics) {
	if c == conflictNone || c == conflictMovedBlock && r.cp.existing != existingRefuse {
		return
	}
	d := c.diagnostic(key, r.cp.run.look(key))
	diags.AddAttributeError(b.at, d.Summary(), d.Detail())
}

// planCreate reports what keeps a resource from being created, and what becomes of
// those that exist. res is nil while the plan does not know all of it.
func (r remote) planCreate(ctx context.Context, key kuma.Key, res *kuma.Resource, b configBlock, how creation, diags *diag.Diagnostics) {
	run := r.cp.run
	c, look := run.recordCreation(key, b.typeName, how)
	var unresolved []existing
	if look {
		found, ok := r.get(ctx, key, diags)
		if !ok {
			return
		}
		timeout := run.stateTimeout
		if r.cp.existing != existingRefuse {
			timeout = min(timeout, adoptTimeout)
		}
		c, unresolved = run.resolve(ctx, existing{r, found, res, b}, timeout)
	}
	r.reportConflict(c, key, b, diags)
	for _, e := range unresolved {
		at := path.Empty() // it is about another resource
		if e.found.Key() == key {
			at = b.at
		}
		e.adopts(at, diags)
	}
}

// adopts reports whether a resource that exists may be adopted, and says so in the
// diagnostics, or why it may not.
func (e existing) adopts(at path.Path, diags *diag.Diagnostics) bool {
	key, mode := e.found.Key(), e.cp.existing
	var changes []string
	if e.res != nil {
		changes = e.changes(e.found, *e.res)
	}
	because := fmt.Sprintf("The control plane already has %s, and existing = %q.", key, mode)
	list := strings.Join(changes, "\n")
	switch {
	case mode == existingAdopt && e.res == nil:
		diags.AddAttributeWarning(at, key.String()+" will be adopted", because+" Some values are unknown until apply, so the changes cannot be listed.")
		return true
	case mode == existingAdopt && changes != nil:
		diags.AddAttributeWarning(at, key.String()+" will be adopted and updated", because+" The apply changes these values:\n\n"+list)
		return true
	case mode == existingAdoptEqual && e.res == nil:
		diags.AddAttributeWarning(at, key.String()+" will be adopted if it is equal", because+" Some values are unknown until apply, so the apply compares them.")
		return true
	case mode != existingRefuse && changes == nil:
		diags.AddAttributeWarning(at, key.String()+" will be adopted", because+" It is stored exactly as it would be written.")
		return true
	}
	paragraphs := []string{fmt.Sprintf("The control plane already has %s, and creating it would overwrite it.", key)}
	if mode == existingAdoptEqual {
		paragraphs = append(paragraphs, fmt.Sprintf("It is not adopted (existing = %q), because these values differ from what would be written:", mode), list)
	}
	advice := "Choose another name, or import the resource to manage it here. If another resource of this configuration gives up the name, apply that change first, without -parallelism=1; a replacement with create_before_destroy always needs a new name. " + adviceDestroy
	if mode == existingRefuse {
		advice += " To adopt resources that are stored exactly as they would be written, set existing = \"adopt_equal\" in the provider block."
	}
	paragraphs = append(paragraphs, advice, e.block.importBlock(e.found.Name))
	diags.AddAttributeError(at, key.String()+" already exists", strings.Join(paragraphs, "\n\n"))
	return false
}

// changes lists what writing a resource over a stored one changes, one line for
// each value; nil for nothing.
func (r remote) changes(stored, res kuma.Resource) []string {
	if r.wrote(res, stored) {
		return nil
	}
	before, after := stored, res
	if described(r.kind) {
		next, _ := r.completed(res, stored)
		before, after = r.kind.WithoutServerOwned(r.normal(stored)), r.kind.WithoutServerOwned(r.normal(next))
	}
	shown := map[string]string{}
	differences("", r.kind.WithoutSecrets(before).Document(), r.kind.WithoutSecrets(after).Document(), func(at string, before, after any) {
		shown[at] = formatValue(before) + " -> " + formatValue(after)
	})
	var lines []string
	differences("", before.Document(), after.Document(), func(at string, _, _ any) {
		lines = append(lines, fmt.Sprintf("  %s: %s", at, cmp.Or(shown[at], "(sensitive value)")))
	})
	return lines
}

func formatValue(v any) string {
	if v == nil {
		return "(not set)"
	}
	text, _ := json.Marshal(v) // decoded JSON cannot fail
	return string(text)
}

// differences calls report for the values in which two decoded trees differ.
func differences(at string, a, b any, report func(at string, a, b any)) {
	x, isObject := a.(map[string]any)
	y, bothObjects := b.(map[string]any)
	if isObject && bothObjects {
		all := maps.Clone(x)
		maps.Copy(all, y)
		for _, name := range slices.Sorted(maps.Keys(all)) {
			differences(strings.TrimPrefix(at+"."+name, "."), x[name], y[name], report)
		}
		return
	}
	l, isList := a.([]any)
	m, bothLists := b.([]any)
	if isList && bothLists && len(l) == len(m) {
		for i := range l {
			differences(fmt.Sprintf("%s[%d]", at, i), l[i], m[i], report)
		}
		return
	}
	if !tree.Equal(a, b) {
		report(at, a, b)
	}
}
