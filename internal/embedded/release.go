package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

const (
	// newDirectory is the release of a new directory for which none is requested.
	newDirectory = "3.0"
	// unmarkedDirectory is the release of a directory that has resources, but no
	// releaseFile, because it was created before other releases were supported.
	unmarkedDirectory = "2.14"

	// releaseFile contains the minor release of a directory. The first write creates it.
	releaseFile = ".kuma-version"
)

// Releases returns the releases of Kuma that an embedded control plane supports.
func Releases() []kuma.Release {
	return []kuma.Release{{Major: 2, Minor: 14, Patch: 3}, {Major: 3, Minor: 0, Patch: 1}}
}

// MinorReleases returns the minor releases of [Releases], such as "3.0".
func MinorReleases() []string {
	return phrase.Each(Releases(), kuma.Release.String)
}

// supported returns the one of [Releases] with the given minor release.
func supported(minor string) (kuma.Release, error) {
	i := slices.Index(MinorReleases(), minor)
	if i < 0 {
		return kuma.Release{}, fmt.Errorf("%q is not supported", minor)
	}
	return Releases()[i], nil
}

// version returns what a control plane of a release reports: the release whose contract
// it follows, with a suffix that distinguishes it from that release.
func version(r kuma.Release) string { return fmt.Sprintf("%s.%d-embedded", r, r.Patch) }

// ZoneError reports that a control plane of a release does not start with the name of a zone.
type ZoneError struct {
	Zone    string
	Release kuma.Release
}

func (e *ZoneError) Error() string {
	rule := "It must be a host name of letters, digits, \"-\", \"_\" and \".\""
	if e.Release.Kuma3() {
		rule = fmt.Sprintf("It must have at most %d lowercase letters, digits and \"-\", begin with a letter, and not end with \"-\"",
			kuma.MaxLabelLength)
	}
	return fmt.Sprintf("%q is not a valid name of a zone in Kuma %s. %s", e.Zone, e.Release, rule)
}

// ReleaseError reports that a directory belongs to a control plane of another release.
type ReleaseError struct {
	Kept, Requested kuma.Release
	File            string // that determines the release of the directory
}

func (e *ReleaseError) Error() string {
	return fmt.Sprintf("the directory belongs to a control plane of Kuma %s, not %s", e.Kept, e.Requested)
}

// release returns the release of the directory, or the requested one if the directory is
// new. The zero value requests none.
func (f files) release(requested kuma.Release) (kuma.Release, error) {
	kept, err := f.keptRelease()
	if err != nil {
		return kuma.Release{}, err
	}
	isNew := kept == kuma.Release{}
	switch {
	case requested == kuma.Release{} && isNew:
		return supported(newDirectory)
	case requested == kuma.Release{}:
		return kept, nil
	}
	release, err := supported(requested.String())
	if err == nil && !isNew && release != kept {
		err = &ReleaseError{Kept: kept, Requested: release, File: f.full(releaseFile)}
	}
	return release, err
}

// keptRelease returns the release of the directory, the zero value if it is new.
func (f files) keptRelease() (kuma.Release, error) {
	data, _, err := f.read(releaseFile)
	switch {
	case err == nil:
		release, err := supported(strings.TrimSpace(string(data)))
		if err != nil {
			err = fmt.Errorf("%s: %w: the file must contain %s", f.full(releaseFile), err, phrase.Or(MinorReleases()...))
		}
		return release, err
	case !errors.Is(err, fs.ErrNotExist):
		return kuma.Release{}, fmt.Errorf("read %s: %w", f.full(releaseFile), err)
	}
	folders, err := f.folders(".")
	if err != nil || !slices.ContainsFunc(kinds.All(), func(k def.Kind) bool { return slices.Contains(folders, k.Path) }) {
		return kuma.Release{}, err
	}
	return supported(unmarkedDirectory)
}

// keepRelease records the release in a new directory. It fails if another control plane
// has recorded another release since this one was started.
func (s *Server) keepRelease() error {
	release := s.controlPlane.Release
	kept, err := s.files.keptRelease()
	switch {
	case err != nil || kept == release:
		return err
	case kept != kuma.Release{}:
		return &ReleaseError{Kept: kept, Requested: release, File: s.files.full(releaseFile)}
	default:
		return s.files.write(releaseFile, []byte(release.String()+"\n"), s.clock())
	}
}
