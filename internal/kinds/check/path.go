package check

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// pathOnHost matches an absolute path on the host of a proxy, on Unix or on
// Windows.
var pathOnHost = regexp.MustCompile(`^(/|[A-Za-z]:\\)`)

// FilePath checks the path of a file on the host of a proxy.
var FilePath = def.Text(pathOnHost.MatchString, "Path is not absolute",
	"%q is not an absolute path. Use a path such as \"/var/log/kuma/access.log\".").WithDoc("Must be an absolute path.")

// RootedPath checks that a path of a URL begins with a slash.
var RootedPath = def.Check{Test: func(n tree.Node) []def.Problem {
	s, ok := n.Text()
	return def.ErrorIf(ok && !strings.HasPrefix(s, "/"), n, "Path is not absolute", "The path must begin with \"/\". Use %q.", "/"+s)
}}

// RequestURI checks the path of an HTTP request.
var RequestURI = def.Text(func(s string) bool {
	_, err := url.ParseRequestURI(s)
	return s == "" || err == nil
}, "Invalid path", "%q is not a valid path. It must begin with \"/\".").WithDoc("Must begin with `/`.")
