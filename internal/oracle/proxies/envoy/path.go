package envoy

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	hcm "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/network/http_connection_manager/v3"
)

var (
	slashes        = regexp.MustCompile(`/+`)
	escapedSlashes = regexp.MustCompile(`%2[Ff]|%5[Cc]`)
)

// normalize changes the path as a connection manager does, and reports whether it redirects
// the client to the path without escaped slashes.
func (r *Request) normalize(m *hcm.HttpConnectionManager) (redirects bool, err error) {
	if m.GetNormalizePath().GetValue() {
		r.Path = normalized(r.Path)
	}
	switch action := m.GetPathWithEscapedSlashesAction(); action {
	case hcm.HttpConnectionManager_IMPLEMENTATION_SPECIFIC_DEFAULT, hcm.HttpConnectionManager_KEEP_UNCHANGED:
	case hcm.HttpConnectionManager_UNESCAPE_AND_REDIRECT:
		path := escapedSlashes.ReplaceAllString(r.Path, "/")
		redirects, r.Path = path != r.Path, path
	default:
		return false, fmt.Errorf("the action %s for escaped slashes: %w", action, ErrUnsupported)
	}
	if m.GetMergeSlashes() {
		r.Path = slashes.ReplaceAllString(r.Path, "/")
	}
	return redirects, nil
}

// normalized returns a path as Envoy normalizes it according to RFC 3986: escapes of
// unreserved characters are decoded, backslashes become slashes, and dot segments are
// removed. Slashes are not merged.
func normalized(path string) string {
	var segments []string
	rest := strings.Split(strings.ReplaceAll(unescaped(path), `\`, "/"), "/")
	for i, segment := range rest[1:] {
		last := i == len(rest)-2
		switch segment {
		case ".", "..":
			if segment == ".." {
				segments = segments[:max(0, len(segments)-1)]
			}
			if last {
				segments = append(segments, "")
			}
		default:
			segments = append(segments, segment)
		}
	}
	return "/" + strings.Join(segments, "/")
}

// unescaped decodes the escapes of letters, digits, "-", ".", "_" and "~".
func unescaped(path string) string {
	var out strings.Builder
	for i := 0; i < len(path); i++ {
		if path[i] == '%' && i+2 < len(path) {
			if c, err := strconv.ParseUint(path[i+1:i+3], 16, 8); err == nil && unreserved(byte(c)) {
				out.WriteByte(byte(c))
				i += 2
				continue
			}
		}
		out.WriteByte(path[i])
	}
	return out.String()
}

func unreserved(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}
