package kinds

import (
	"fmt"
	"regexp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// pathOnHost is what a path on a proxy looks like, on Unix or on Windows.
var pathOnHost = regexp.MustCompile(`^(/|[A-Za-z]:\\)`)

// filePath checks the path of a file on the host of a proxy.
var filePath = spec.Check{
	Doc: "An absolute path.",
	Test: func(n spec.Node) []spec.Problem {
		s, ok := n.Text()
		if !ok || pathOnHost.MatchString(s) {
			return nil
		}
		return []spec.Problem{n.Problem("Path is not absolute", fmt.Sprintf("%q is no absolute path. Write it like \"/var/log/kuma/access.log\".", s))}
	},
}
