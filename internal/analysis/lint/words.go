package lint

import (
	"fmt"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// few is how many names a message lists before it only counts.
const few = 3

// proxies lists dataplanes in a message: "web-1 and web-2", "20 proxies, such as
// web-1".
func proxies(names []string) string {
	if len(names) > few {
		return fmt.Sprintf("%d proxies, such as %s", len(names), names[0])
	}
	return phrase.And(names...)
}

func plural(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}

// because says why proxies are not selected: "lack the labels".
func because(e rules.Exclusion) string {
	switch e {
	case rules.ExcludedByZone:
		return "of another zone"
	case rules.ExcludedByNamespace:
		return "of another namespace"
	case rules.ExcludedByRoute:
		return "not selected, because the route does not exist"
	case rules.ExcludedByKind:
		return "not selected, because no proxy can be selected by this kind"
	case rules.ExcludedByProxyType:
		return "of another proxy type"
	case rules.ExcludedByGateway:
		return "not of that gateway"
	case rules.ExcludedByName:
		return "not called so in the zone and namespace of the policy"
	case rules.ExcludedByLabels:
		return "without these labels"
	case rules.ExcludedByTags:
		return "without an inbound that has these tags"
	case rules.ExcludedBySection:
		return "without an inbound of that name"
	case rules.ExcludedByInbounds:
		return "without anything that could be selected"
	default:
		return "not selected"
	}
}
