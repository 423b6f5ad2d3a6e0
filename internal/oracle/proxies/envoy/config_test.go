package envoy

import (
	"errors"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

func TestParseIsStrict(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		typeURL, resource string
		ok                bool
	}{
		"cluster":         {Clusters, `{"name": "api", "connectTimeout": "1s"}`, true},
		"unknown field":   {Clusters, `{"name": "api", "conectTimeout": "1s"}`, false},
		"unknown type":    {Listeners, `{"name": "api", "listenerFilters": [{"name": "f", "typedConfig": {"@type": "type.googleapis.com/unknown"}}]}`, false},
		"runtime":         {runtime, `{"name": "limits", "layer": {}}`, true},
		"other resources": {"type.googleapis.com/envoy.config.route.v3.VirtualHost", `{}`, false},
	} {
		_, err := Parse(map[string]any{tt.typeURL: map[string]any{"a": testworld.JSON(t, tt.resource)}})
		if (err == nil) != tt.ok {
			t.Errorf("%s: %v", name, err)
		}
		if name == "other resources" && !errors.Is(err, ErrUnsupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
