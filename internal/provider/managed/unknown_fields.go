package managed

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// warnOfUnknownFields warns about fields that a later release stored in a resource.
func (r resourceClient) warnOfUnknownFields(stored kuma.Resource, diags *diag.Diagnostics) {
	if unknown := r.Resources().UnknownFields(stored); len(unknown) > 0 {
		diags.AddWarning("Unknown fields on the control plane",
			fmt.Sprintf("The control plane stores fields of %s that this version of the provider does not know: %s. They are not shown as differences, and updates keep them. Upgrade the provider to manage them.", stored.Key(), pathList(unknown)))
	}
}

// lostDetail returns which fields of a later release prevent an update, and
// what to do.
func lostDetail(lost *store.UnknownFieldsError) string {
	return fmt.Sprintf("The control plane stores fields of %s that this version of the provider does not know, in parts that the plan changes or removes, so it is not clear where they belong: %s. "+
		"Nothing was written. Upgrade the provider, remove these fields with another client first, or replace the resource without them: terraform apply -replace=ADDRESS.", lost.Key, pathList(lost.Paths))
}

func pathList(paths []tree.Path) string {
	return strings.Join(phrase.Each(paths, tree.Path.String), ", ")
}
