package provider

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
)

// logHTTP is the part of the log about requests. TF_LOG_PROVIDER_KUMA_HTTP sets
// its level apart from the rest.
const logHTTP = "http"

// logAttempts returns a function that writes a line for each attempt at a
// request. Documents and headers are in none, and what is secret in the settings
// is masked should an error quote it.
func logAttempts(settings controlplane.Config) func(context.Context, controlplane.Attempt) {
	var secrets []string
	for _, s := range append(slices.Collect(maps.Values(settings.Headers)), settings.Token, settings.TLS.ClientKey) {
		if s != "" {
			secrets = append(secrets, s)
		}
	}
	return func(ctx context.Context, a controlplane.Attempt) {
		ctx = tflog.NewSubsystem(ctx, logHTTP, tflog.WithLevelFromEnv("TF_LOG_PROVIDER_KUMA", logHTTP), tflog.WithRootFields())
		ctx = tflog.SubsystemMaskLogStrings(ctx, logHTTP, secrets...)
		fields := map[string]any{"method": a.Method, "path": a.Path, "attempt": a.Number, "duration_ms": a.Duration.Milliseconds()}
		if a.Err != nil {
			fields["error"] = a.Err.Error()
			tflog.SubsystemDebug(ctx, logHTTP, "request to the control plane failed", fields)
			return
		}
		fields["status"] = a.Status
		tflog.SubsystemDebug(ctx, logHTTP, "request to the control plane answered", fields)
	}
}
