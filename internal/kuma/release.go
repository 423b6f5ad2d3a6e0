package kuma

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Release is a minor release of Kuma, such as 2.14. The zero value is an
// unknown release, which is assumed to support everything.
type Release struct{ Major, Minor int }

// CompletesSince is the release since which a control plane completes everything
// that is written: with the defaults of newer kinds, and with computed labels also
// when it replaces what is stored (rest-api.md §20).
const CompletesSince = "2.10"

// ParseRelease reads the version that a control plane reports, such as
// "2.14.3". A version that is not valid, such as that of a test build, is the
// zero value.
func ParseRelease(version string) Release {
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	if len(parts) < 2 {
		return Release{}
	}
	major, errMajor := strconv.Atoi(parts[0])
	minor, errMinor := strconv.Atoi(parts[1])
	if errMajor != nil || errMinor != nil || major == 0 { // previews are called 0.0.0
		return Release{}
	}
	return Release{major, minor}
}

// String returns the release as in 2.14.
func (r Release) String() string { return fmt.Sprintf("%d.%d", r.Major, r.Minor) }

// Has reports whether the release has a feature that was added in another; an
// empty string represents a feature of every release.
func (r Release) Has(since string) bool {
	if since == "" || r == (Release{}) {
		return true
	}
	s := ParseRelease(since)
	return cmp.Or(cmp.Compare(r.Major, s.Major), cmp.Compare(r.Minor, s.Minor)) >= 0
}
