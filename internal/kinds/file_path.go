package kinds

import (
	"fmt"
	"regexp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// pathOnHost is what a path on a proxy looks like, on Unix or on Windows.
var pathOnHost = regexp.MustCompile(`^(/|[A-Za-z]:\\)`)

// filePath checks the path of a file on the host of a proxy.
var filePath = def.Check{
	Doc: "An absolute path.",
	Test: func(n tree.Node) []def.Problem {
		s, ok := n.Text()
		if !ok || pathOnHost.MatchString(s) {
			return nil
		}
		return []def.Problem{def.ErrorAt(n, "Path is not absolute", fmt.Sprintf("%q is no absolute path. Write it like \"/var/log/kuma/access.log\".", s))}
	},
}
