//go:build unix

package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestCommandsOnLargeMesh prints what commands take that analyze 12,201 documents.
func TestCommandsOnLargeMesh(t *testing.T) {
	if os.Getenv("KUMA_SCALE") == "" {
		t.Skip("takes a minute; `make scale` sets KUMA_SCALE")
	}
	dir, err := providertest.Binary()
	testworld.NoError(t, err)
	resources := testworld.Large(testworld.Size{Policies: 10_000, Services: 2_000, Dataplanes: 200})
	write := func(name string) string {
		documents := phrase.Each(resources, func(r kuma.Resource) string { return phrase.JSON(r.Document()) })
		file := filepath.Join(t.TempDir(), name)
		providertest.Write(t, file, strings.Join(documents, "\n---\n"))
		return file
	}
	mesh := write("mesh.yaml")
	resources[0].Body = map[string]any{"meshServices": map[string]any{"mode": "Exclusive"}}
	exclusive := write("exclusive.yaml")
	const maxOutput = 1 << 20
	for _, tt := range []struct {
		command, file string
		cpu           time.Duration
		peak          int64 // in MB
	}{
		{"lint", mesh, 12 * time.Second, 500},
		{"lint -kuma3", mesh, 15 * time.Second, 600},
		{"access", mesh, 3 * time.Second, 350},
		{"request -dataplane dp-0 -service service-1", mesh, 2500 * time.Millisecond, 350},
		{"upgrade -details -zone east", exclusive, 50 * time.Second, 520},
	} {
		cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "terraform-provider-kuma"), append(strings.Fields(tt.command), tt.file)...)
		var stdout, stderr strings.Builder
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() > 1 || stderr.Len() > 0 {
			t.Errorf("%s: %v: %s", tt.command, err, &stderr)
			continue
		}
		usage, _ := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		cpu, peak := cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime(), usage.Maxrss>>10
		result := fmt.Sprintf("%s of %d documents: %.1f s of processor time, %d MB, %d kB of output", tt.command, len(resources), cpu.Seconds(), peak,
			stdout.Len()>>10)
		t.Log(result)
		if cpu > tt.cpu || peak > tt.peak {
			t.Errorf("%s, want at most %s and %d MB", result, tt.cpu, tt.peak)
		}
		if strings.HasPrefix(tt.command, "upgrade") && stdout.Len() > maxOutput {
			t.Errorf("the report has %d bytes, want at most %d", stdout.Len(), maxOutput)
		}
	}
}
