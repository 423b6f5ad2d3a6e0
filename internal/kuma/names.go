package kuma

import (
	"net"
	"regexp"
	"strings"
)

// Syntax of names and labels (rest-api.md §7).
var (
	dnsLabel     = regexp.MustCompile(`^[a-z]([-a-z0-9]*[a-z0-9])?$`)
	dnsSubdomain = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
	hostName     = regexp.MustCompile(`^[a-zA-Z0-9_][a-zA-Z0-9_-]{0,62}(\.[a-zA-Z0-9_][a-zA-Z0-9_-]{0,62})*[._]?$`)
	labelPart    = regexp.MustCompile(`^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$`)
)

// Limits of names, of labels, and of the values of labels, in characters.
const (
	MaxNameLength  = 253
	MaxLabelLength = 63
)

// IsDNSLabel reports whether s is a lowercase RFC 1035 label of at most 63
// characters.
func IsDNSLabel(s string) bool { return len(s) <= MaxLabelLength && dnsLabel.MatchString(s) }

// IsDNSSubdomain reports whether s is a lowercase RFC 1123 subdomain.
func IsDNSSubdomain(s string) bool { return len(s) <= MaxNameLength && dnsSubdomain.MatchString(s) }

// IsHostName reports whether s is the name of a host. It follows IsDNSName of
// github.com/asaskevich/govalidator, which a control plane uses.
func IsHostName(s string) bool {
	const longest = 255 // without the dots
	return net.ParseIP(s) == nil && hostName.MatchString(s) && len(strings.ReplaceAll(s, ".", "")) <= longest
}

// IsZoneName reports whether a control plane of a release starts with s as the name of its
// zone (rest-api.md §7).
func IsZoneName(s string, r Release) bool {
	if r.Kuma3() {
		return IsDNSLabel(s)
	}
	return IsHostName(s)
}

// IsLabelName reports whether s may be the name part of a label's key, or a
// value that is not empty.
func IsLabelName(s string) bool { return len(s) <= MaxLabelLength && labelPart.MatchString(s) }
