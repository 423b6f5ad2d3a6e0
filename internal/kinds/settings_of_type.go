package kinds

import (
	"fmt"

	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// settingsOfType checks that an object has the member that holds the settings
// of its type.
func settingsOfType(members map[string]string) spec.Check {
	return spec.Check{Test: func(n spec.Node) []spec.Problem {
		kind, _ := n.Get("type").Text()
		member, ok := members[kind]
		if settings := n.Get(member); ok && settings.Absent() {
			return []spec.Problem{settings.Problem(member+" is missing", fmt.Sprintf("The settings of the type %s stand in %q. Add it.", kind, member))}
		}
		return nil
	}}
}
