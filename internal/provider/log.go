package provider

import (
	"context"
	"os"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// logHTTP is the log subsystem for requests. TF_LOG_PROVIDER_KUMA_HTTP sets its level.
const logHTTP = "http"

// logAttempt logs an attempt at a request, without documents and headers. The client
// has already masked secrets in errors.
func logAttempt(ctx context.Context, a controlplane.Attempt) {
	ctx = tflog.NewSubsystem(ctx, logHTTP, tflog.WithLevelFromEnv("TF_LOG_PROVIDER_KUMA", logHTTP), tflog.WithRootFields())
	fields := map[string]any{"method": a.Method, "path": a.Path, "attempt": a.Number, "duration_ms": a.Duration.Milliseconds()}
	if a.Err != nil {
		fields["error"] = a.Err.Error()
		tflog.SubsystemDebug(ctx, logHTTP, "request to the control plane failed", fields)
		return
	}
	fields["status"] = a.Status
	tflog.SubsystemDebug(ctx, logHTTP, "request to the control plane succeeded", fields)
}

// logChange logs a message about a resource.
func logChange(ctx context.Context, key kuma.Key, message string) {
	tflog.Info(ctx, message, map[string]any{"kind": key.Type, "mesh": key.Mesh, "name": key.Name})
}

// SilenceLibraryLogs disables the logs of the libraries unless logs are requested.
// They write about 180 lines per resource, which Terraform reads and discards.
func SilenceLibraryLogs() error {
	for _, asked := range []string{"TF_LOG", "TF_LOG_PROVIDER"} {
		if os.Getenv(asked) != "" {
			return nil
		}
	}
	for _, level := range []string{"TF_LOG_SDK", "TF_LOG_SDK_FRAMEWORK", "TF_LOG_SDK_PROTO"} {
		if os.Getenv(level) != "" {
			continue
		}
		if err := os.Setenv(level, "ERROR"); err != nil {
			return err
		}
	}
	return nil
}
