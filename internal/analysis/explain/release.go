package explain

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// Release returns a sentence about results for a control plane of a release, which is
// empty if such results were compared with those of a control plane. It is not exact
// if the results are those of another release.
func Release(r kuma.Release) (text string, exact bool) {
	as := rules.Known(r)
	var compared []string
	for _, c := range rules.Compared() {
		compared = append(compared, c.String())
	}
	switch {
	case r == kuma.Release{}:
		return fmt.Sprintf("Computed as for Kuma %s: the control plane does not report a release of Kuma.", as), false
	case as != r:
		return fmt.Sprintf("Computed as for Kuma %s: it is not known how Kuma %s matches policies.", as, r), false
	case !slices.Contains(compared, r.String()):
		return fmt.Sprintf("Computed as documented for Kuma %s: results were only compared with control planes of Kuma %s.", r, phrase.And(compared...)), true
	default:
		return "", true
	}
}
