package check

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// pathOnHost is what a path on a proxy looks like, on Unix or on Windows.
var pathOnHost = regexp.MustCompile(`^(/|[A-Za-z]:\\)`)

// FilePath checks the path of a file on the host of a proxy.
var FilePath = def.Check{
	Doc: "An absolute path.",
	Test: func(n tree.Node) []def.Problem {
		s, ok := n.Text()
		if !ok || pathOnHost.MatchString(s) {
			return nil
		}
		return []def.Problem{def.ErrorAt(n, "Path is not absolute", fmt.Sprintf("%q is no absolute path. Write it like \"/var/log/kuma/access.log\".", s))}
	},
}

// RootedPath checks that a path of a URL begins with a slash.
var RootedPath = def.Check{Test: func(n tree.Node) []def.Problem {
	s, ok := n.Text()
	if !ok || strings.HasPrefix(s, "/") {
		return nil
	}
	return []def.Problem{def.ErrorAt(n, "Path is not absolute", fmt.Sprintf("The path begins with \"/\". Write %q.", "/"+s))}
}}

// RequestURI checks a path that an HTTP request can ask for.
var RequestURI = def.Check{Doc: "A path that begins with `/`.", Test: func(n tree.Node) []def.Problem {
	s, ok := n.Text()
	if _, err := url.ParseRequestURI(s); ok && s != "" && err != nil {
		return []def.Problem{def.ErrorAt(n, "Invalid path", fmt.Sprintf("%q is no path: begin it with \"/\".", s))}
	}
	return nil
}}
