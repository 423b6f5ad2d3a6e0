package providertest

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// CPUOf runs a command and returns its processor time.
func (c CLI) CPUOf(t *testing.T, args ...string) (time.Duration, error) {
	t.Helper()
	cmd := c.Command(t.Context(), append(args, "-no-color")...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("terraform %v: %w\n%s", args, err, out)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

// cpuTime returns the processor time of a process; false if the system does not
// report it.
func cpuTime(pid int) (time.Duration, bool) {
	const ticks = 100 // per second, on all systems that Go runs on
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	var sum int
	for _, i := range []int{11, 12} { // in the system and outside
		n, err := strconv.Atoi(fields[i])
		if err != nil {
			return 0, false
		}
		sum += n
	}
	return time.Duration(sum) * time.Second / ticks, true
}

// Measure runs a command, which must succeed, with its own provider.
func (c CLI) Measure(t *testing.T, server *Counted, p Program, args ...string) Measured {
	t.Helper()
	m, err := c.TryMeasure(t, server, p, args...)
	testworld.NoError(t, err)
	return m
}

// Measured is the cost of one command.
type Measured struct {
	Requests  int64
	Wall      time.Duration
	CPU       time.Duration // of the provider, on Linux
	Terraform time.Duration // the same of the command line
	Peak      float64       // memory of the provider in MB, on Linux
}

// PeakMemory returns the largest resident set of a process in megabytes; false if the
// system does not report it.
func PeakMemory(pid int) (float64, bool) {
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

// Program is a built provider.
type Program struct{ Name, path string }

// Programs are this provider and, if KUMA_BASELINE names one, another version to compare
// it with.
func Programs(t *testing.T) []Program {
	t.Helper()
	dir, err := Binary()
	testworld.NoError(t, err)
	out := []Program{{"this", filepath.Join(dir, "terraform-provider-kuma")}}
	if baseline := os.Getenv("KUMA_BASELINE"); baseline != "" {
		out = append(out, Program{"baseline", baseline})
	}
	return out
}

// Size returns how many resources a test has: a few, or as many as KUMA_SCALE
// says.
func Size(usual int) int {
	var n int
	if _, err := fmt.Sscan(os.Getenv("KUMA_SCALE"), &n); err != nil {
		return usual
	}
	return n
}

// StartProvider starts the provider as a process that outlives the command, and returns its
// address for Terraform.
func StartProvider(tb testing.TB, provider string) (pid int, reattach string) {
	tb.Helper()
	cmd := exec.CommandContext(tb.Context(), provider, "-debug")
	out, err := cmd.StdoutPipe()
	testworld.NoError(tb, err)
	testworld.NoError(tb, cmd.Start())
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

// TryMeasure runs a command with a provider in a process of its own, and measures both.
func (c CLI) TryMeasure(t *testing.T, server *Counted, p Program, args ...string) (Measured, error) {
	t.Helper()
	pid, reattach := StartProvider(t, p.path)
	if host := os.Getenv("TF_ACC_PROVIDER_HOST"); host != "" { // OpenTofu has another registry
		reattach = strings.Replace(reattach, "registry.terraform.io", host, 1)
	}
	c.Env = append(slices.Clip(c.Env), "TF_REATTACH_PROVIDERS="+reattach)
	var m Measured
	var err error
	m.Requests, m.Wall = server.During(func() { m.Terraform, err = c.CPUOf(t, args...) })
	m.CPU, _ = cpuTime(pid)
	m.Peak, _ = PeakMemory(pid)
	return m, err
}

func (m Measured) String() string {
	return fmt.Sprintf("%d requests, %.1fs, provider CPU %.1fs, RSS %.0f MB", m.Requests, m.Wall.Seconds(), m.CPU.Seconds(), m.Peak)
}

var highWaterMark = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

var reattachment = regexp.MustCompile(`TF_REATTACH_PROVIDERS='([^']*)'`)
