package rollout

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// EnvoyConfig is the Envoy configuration of a proxy, without private keys: resources by
// type, such as Listener, and name.
type EnvoyConfig map[string]map[string]any

// EnvoyChange is one value that shadow policies would change.
type EnvoyChange struct {
	Type, Name    string // of the resource
	Path          string // in the resource, such as filterChains[0].filters[1]; empty for the whole
	Before, After any    // nil for none
}

// masked replaces what must not be shown.
const masked = "(sensitive value)"

// ReadEnvoyConfig reads an answer about the configuration of a proxy (rest-api.md §17.2).
func ReadEnvoyConfig(answer map[string]any) (EnvoyConfig, []EnvoyChange) {
	config := EnvoyConfig{}
	for typeURL, resources := range tree.Object(answer["xds"]) {
		byName := map[string]any{}
		for name, resource := range tree.Object(resources) {
			byName[name] = withoutKeys(resource)
		}
		config[shortType(typeURL)] = byName
	}
	var changes []EnvoyChange
	for _, step := range tree.Objects(answer["diff"]) {
		changes = addStep(changes, step)
	}
	return config, changes
}

// shortType returns the name of a type from its URL: Listener from
// type.googleapis.com/envoy.config.listener.v3.Listener.
func shortType(typeURL string) string { return strings.TrimPrefix(path.Ext(typeURL), ".") }

// addStep adds a step of a JSON patch to changes: a value is replaced in two steps.
func addStep(changes []EnvoyChange, step map[string]any) []EnvoyChange {
	pointer := strings.Split(tree.Text(step["path"]), "/")[1:]
	if len(pointer) == 0 {
		return changes // the whole configuration, which has no type
	}
	c := changeAt(pointer)
	value := withoutKeys(step["value"])
	if isKey(c.Path) {
		value = masked
	}
	last := len(changes) - 1
	switch step["op"] {
	case "remove":
		c.Before = value
	case "add", "replace":
		c.After = value
		if last >= 0 && changes[last].After == nil && changes[last].Type == c.Type && changes[last].Name == c.Name &&
			changes[last].Path == c.Path {
			changes[last].After = value
			return changes
		}
	default:
		return changes // a test of the value before
	}
	return append(changes, c)
}

// changeAt returns a change at the place of a JSON pointer: type, name, and the path in
// the resource.
func changeAt(pointer []string) EnvoyChange {
	for i, p := range pointer {
		pointer[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(p)
	}
	c := EnvoyChange{Type: shortType(pointer[0])}
	if len(pointer) > 1 {
		c.Name = pointer[1]
	}
	var at tree.Path
	for _, p := range pointer[min(2, len(pointer)):] {
		if n, err := strconv.Atoi(p); err == nil {
			at = append(at, n)
		} else {
			at = append(at, p)
		}
	}
	c.Path = at.String()
	return c
}

// secretFields are the fields of Envoy with a key or a password.
var secretFields = []string{"privateKey", "password", "tokenSecret", "hmacSecret", "inlineHmacSecret"}

// isKey reports whether a path leads to or into a secret field.
func isKey(at string) bool {
	return slices.ContainsFunc(tree.ParsePath(at), func(step any) bool {
		name, ok := step.(string)
		return ok && slices.Contains(secretFields, name)
	})
}

// withoutKeys returns a value in which the values of secret fields are masked.
func withoutKeys(v any) any {
	return tree.Map(v, func(step, v any) (any, bool) {
		if name, ok := step.(string); ok && slices.Contains(secretFields, name) {
			return masked, true
		}
		return v, true
	})
}

// Names returns the names of the resources of each type.
func (c EnvoyConfig) Names() map[string][]string {
	names := map[string][]string{}
	for t, resources := range c {
		names[t] = slices.Sorted(maps.Keys(resources))
	}
	return names
}

// SortChanges sorts changes by type and name.
func SortChanges(changes []EnvoyChange) {
	slices.SortStableFunc(changes, func(a, b EnvoyChange) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Name, b.Name))
	})
}

// longestValue is the length of a value in a summary.
const longestValue = 80

// ChangeSummary describes what shadow policies change in the configuration of a proxy, by
// resource.
func ChangeSummary(dataplane string, changes []EnvoyChange) string {
	if len(changes) == 0 {
		return fmt.Sprintf("No shadow policy changes the configuration of %s.\n", dataplane)
	}
	const most = 20
	var b strings.Builder
	fmt.Fprintf(&b, "Shadow policies change %s in the configuration of %s:\n", phrase.Count(len(changes), "value", "values"), dataplane)
	last := ""
	for i, c := range changes {
		if i == most {
			fmt.Fprintf(&b, "%s\n", phrase.More(len(changes)-most, ""))
			break
		}
		if resource := c.Type + " " + c.Name; resource != last {
			fmt.Fprintf(&b, "  %s\n", resource)
			last = resource
		}
		fmt.Fprintf(&b, "    %s: %s -> %s\n", c.Path, value(c.Before), value(c.After))
	}
	return b.String()
}

func value(v any) string {
	if v == nil {
		return "(none)"
	}
	return phrase.Value(v, longestValue)
}
