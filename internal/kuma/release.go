package kuma

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Release is a release of Kuma, such as 2.14.3. The zero value is an unknown
// release, which is assumed to support everything.
type Release struct{ Major, Minor, Patch int }

// Newest2 returns the newest minor release of Kuma 2. Products built on Kuma 2 that have
// their own release numbers are treated like it.
func Newest2() Release { return Release{Major: 2, Minor: 14} }

// Kuma3 reports whether the release is one of Kuma 3 or later.
func (r Release) Kuma3() bool { return r.Major >= 3 }

// NamesResources reports whether the control plane sets the label kuma.io/display-name of all
// resources to their names. 2.14.3 does not; patches of 2.14 and older releases are stated.
func (r Release) NamesResources() bool {
	return r != (Release{}) && r.Has("2.14.4", "2.13.11", "2.12.15", "2.11.19", "2.9.20")
}

// ReleaseWith returns the release of a control plane that has the given kinds and does not
// report a release of Kuma: 3.0 without MeshGateway (release3.md §1), or else an unknown one.
func ReleaseWith(kinds []string) Release {
	if slices.Contains(kinds, KindMeshGateway) {
		return Release{}
	}
	return Release{Major: 3}
}

// CompletesSince is the release since which a control plane completes everything
// that is written: with the defaults of newer kinds, and with computed labels also
// when it replaces what is stored (rest-api.md §20).
const CompletesSince = "2.10"

// ParseRelease reads the version that a control plane reports, such as
// "2.14.3". A version that is not valid, such as that of a test build, is the
// zero value.
func ParseRelease(version string) Release {
	first, rest, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	second, third, _ := strings.Cut(rest, ".")
	major, errMajor := strconv.Atoi(first)
	minor, errMinor := strconv.Atoi(second)
	if errMajor != nil || errMinor != nil || major == 0 { // previews are called 0.0.0
		return Release{}
	}
	r := Release{Major: major, Minor: minor}
	if third != "" {
		digits := third[:len(third)-len(strings.TrimLeft(third, "0123456789"))]
		r.Patch, _ = strconv.Atoi(digits) // zero if it is not valid
	}
	return r
}

// Releases are consecutive releases of Kuma. The zero value contains none.
type Releases struct {
	Any          bool
	Since, Until string // the first release, and the first one after the last; empty for no limit
}

// Always returns all releases.
func Always() Releases { return Releases{Any: true} }

// Since returns a release and all later ones.
func Since(release string) Releases { return Releases{Any: true, Since: release} }

// Before returns all releases before the given one.
func Before(release string) Releases { return Releases{Any: true, Until: release} }

// Between returns the releases since the first one and before the second one.
func Between(since, before string) Releases { return Releases{Any: true, Since: since, Until: before} }

// Contain reports whether r is one of the releases. An unknown release is treated as the
// newest of Kuma 2, see [Newest2].
func (s Releases) Contain(r Release) bool {
	if r == (Release{}) {
		r = Newest2()
	}
	return s.Any && r.Has(s.Since) && (s.Until == "" || !r.Has(s.Until))
}

// String describes the releases in words: "before Kuma 2.14".
func (s Releases) String() string {
	switch {
	case !s.Any:
		return "in no release of Kuma"
	case s.Since != "" && s.Until != "":
		return "since Kuma " + s.Since + " and before Kuma " + s.Until
	case s.Until != "":
		return "before Kuma " + s.Until
	case s.Since != "":
		return "since Kuma " + s.Since
	default:
		return "in all releases of Kuma"
	}
}

// String returns the minor release, as in 2.14.
func (r Release) String() string { return fmt.Sprintf("%d.%d", r.Major, r.Minor) }

// IsMinorOf reports whether r is the minor release of a patch: 2.14 is the minor release of 2.14.3.
func (r Release) IsMinorOf(patch Release) bool {
	return r == Release{Major: patch.Major, Minor: patch.Minor}
}

// Has reports whether the release has a feature that was added in another, and
// in patches of older minor releases. An empty string represents a feature of
// every release.
func (r Release) Has(since string, patches ...string) bool {
	if since == "" || r == (Release{}) || r.Compare(ParseRelease(since)) >= 0 {
		return true
	}
	return slices.ContainsFunc(patches, func(patch string) bool {
		p := ParseRelease(patch)
		return r.Major == p.Major && r.Minor == p.Minor && r.Patch >= p.Patch
	})
}

// Compare returns a negative number if the release is older than another, and a
// positive one if it is newer.
func (r Release) Compare(o Release) int {
	return cmp.Or(cmp.Compare(r.Major, o.Major), cmp.Compare(r.Minor, o.Minor), cmp.Compare(r.Patch, o.Patch))
}
