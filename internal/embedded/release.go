package embedded

import (
	"fmt"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// Releases returns the releases of Kuma whose contract an embedded control plane can
// follow.
func Releases() []kuma.Release {
	return []kuma.Release{{Major: 2, Minor: 14, Patch: 3}, {Major: 3, Minor: 0, Patch: 1}}
}

// defaultRelease is the minor release of a control plane on a new directory.
const defaultRelease = "2.14"

// find returns the one of [Releases] with a minor release, such as "3.0".
func find(minor string) (kuma.Release, error) {
	for _, r := range Releases() {
		if r.String() == minor {
			return r, nil
		}
	}
	return kuma.Release{}, fmt.Errorf("the embedded control plane does not support Kuma %s", minor)
}

// version returns what a control plane of a release reports: the release whose contract
// it follows, with a suffix that distinguishes it from that release.
func version(r kuma.Release) string {
	return fmt.Sprintf("%s.%d-embedded", r, r.Patch)
}
