package provider_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// oneOfEach returns a configuration with one resource of every kind.
func oneOfEach(tb testing.TB) string {
	tb.Helper()
	config := "terraform {\n  required_providers {\n    kuma = { source = \"kuma-universal/kuma\" }\n  }\n}\n"
	for _, k := range kinds.All() {
		r := testworld.Resources(tb, testworld.Text(tb, filepath.Join("..", "kinds", "testdata", "catalog", "examples", k.Name+".yaml")))[0]
		config += string(resourceBlock(tb, r).BuildTokens(nil).Bytes())
	}
	return config
}

// BenchmarkValidate runs terraform validate on one resource of every kind, and reports
// the peak memory of the provider (on Linux).
func BenchmarkValidate(b *testing.B) {
	needCLI(b)
	c := newCLI(b, map[string]string{"main.tf": oneOfEach(b)})
	c.separateProcess(b)
	for b.Loop() {
		c.must(b, "validate")
	}
	b.StopTimer()
	dir, err := binary()
	if err != nil {
		b.Fatal(err)
	}
	pid, reattach := startProvider(b, filepath.Join(dir, "terraform-provider-kuma"))
	if host := os.Getenv("TF_ACC_PROVIDER_HOST"); host != "" { // OpenTofu has another registry
		reattach = strings.Replace(reattach, "registry.terraform.io", host, 1)
	}
	c.env = append(c.env, "TF_REATTACH_PROVIDERS="+reattach)
	c.must(b, "validate")
	if peak, ok := peakMemory(pid); ok {
		b.ReportMetric(peak, "provider-RSS-MB")
	}
}

var reattachment = regexp.MustCompile(`TF_REATTACH_PROVIDERS='([^']*)'`)

// startProvider starts the provider as a process that outlives the command, and returns its
// address for Terraform.
func startProvider(tb testing.TB, provider string) (pid int, reattach string) {
	tb.Helper()
	cmd := exec.CommandContext(tb.Context(), provider, "-debug")
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if m := reattachment.FindStringSubmatch(lines.Text()); m != nil {
			return cmd.Process.Pid, m[1]
		}
	}
	tb.Fatalf("the provider does not say where it is: %v", lines.Err())
	return 0, ""
}

var highWaterMark = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// peakMemory returns the largest resident set of a process in megabytes; false if the
// system does not report it.
func peakMemory(pid int) (float64, bool) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, false
	}
	m := highWaterMark.FindSubmatch(status)
	if m == nil {
		return 0, false
	}
	kilobytes, err := strconv.Atoi(string(m[1]))
	return float64(kilobytes) / 1024, err == nil
}
