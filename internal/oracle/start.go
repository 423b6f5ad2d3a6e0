package oracle

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// Options describe the control plane to start.
type Options struct {
	Binary string        // path of kuma-cp
	Mode   string        // [kuma.ModeZone] or [kuma.ModeGlobal]; a zone when empty
	Zone   string        // name of the zone; "zone-1" when empty
	Global *ControlPlane // that the zone belongs to; nil for a standalone zone
	Ready  time.Duration // limit for the first answer; a minute when zero
	Env    []string      // additional settings, each as VARIABLE=value
}

// ControlPlane is a running control plane. Stop it.
type ControlPlane struct {
	Endpoint string // URL of its API, without TLS; requests from this host have administrator rights

	ports  ports
	dir    string
	cancel context.CancelFunc
	exited chan struct{} // closed when the process has ended
	err    error         // the result of the process; valid when exited is closed
}

const (
	// attempts limits the retries after another program used one of the ports.
	attempts = 3
	// grace is the time for a graceful shutdown.
	grace     = 5 * time.Second
	poll      = 100 * time.Millisecond
	linesKept = 20 // of the log, in an error
)

// Start starts a control plane and returns when its API answers. It stops when
// ctx ends. If it does not start, the error ends with its last log lines.
func Start(ctx context.Context, o Options) (*ControlPlane, error) {
	for attempt := 1; ; attempt++ {
		cp, err := start(ctx, o)
		if err == nil || attempt == attempts || !strings.Contains(err.Error(), "address already in use") {
			return cp, err
		}
	}
}

func start(ctx context.Context, o Options) (*ControlPlane, error) {
	free, err := freePorts()
	if err != nil {
		return nil, fmt.Errorf("find free ports: %w", err)
	}
	dir, err := os.MkdirTemp("", "kuma-cp-")
	if err != nil {
		return nil, fmt.Errorf("create a directory for kuma-cp: %w", err)
	}
	running, cancel := context.WithCancel(ctx)
	cp := &ControlPlane{Endpoint: free.url(apiHTTP), ports: free, dir: dir, cancel: cancel, exited: make(chan struct{})}
	if err := cp.run(running, o); err != nil {
		cancel()
		return nil, errors.Join(fmt.Errorf("start %s: %w", o.Binary, err), os.RemoveAll(dir))
	}
	if err := cp.await(ctx, o); err != nil {
		err = fmt.Errorf("start %s: %w%s", o.Binary, err, cp.lastLog())
		return nil, errors.Join(err, cp.Stop())
	}
	return cp, nil
}

// run starts the process from a locked thread: on Linux, the signal for the end of the
// parent is sent when the thread that started the child ends.
func (cp *ControlPlane) run(ctx context.Context, o Options) error {
	log, err := os.Create(cp.logFile())
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, o.Binary, "run")
	cmd.Env = append(os.Environ(), environment(o, cp.ports, cp.dir)...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = dieWithParent()
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = grace
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer log.Close()
		err := cmd.Start()
		started <- err
		if err == nil {
			cp.err = cmd.Wait()
			close(cp.exited)
		}
	}()
	return <-started
}

// await returns when the API answers.
func (cp *ControlPlane) await(ctx context.Context, o Options) error {
	limit := o.Ready
	if limit == 0 {
		limit = time.Minute
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("its API did not answer within %s", limit))
	defer cancel()
	for !cp.answers(ctx) {
		select {
		case <-cp.exited:
			return fmt.Errorf("kuma-cp exited: %w", cp.err)
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(poll):
		}
	}
	return nil
}

func (cp *ControlPlane) answers(ctx context.Context) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, cp.Endpoint+"/meshes", nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// Stop stops the control plane and removes its directory. It fails if the directory
// cannot be removed. It may be called more than once.
func (cp *ControlPlane) Stop() error {
	cp.cancel()
	<-cp.exited
	return os.RemoveAll(cp.dir)
}

// DataplaneServer returns the host and port that proxies connect to, with TLS.
func (cp *ControlPlane) DataplaneServer() string {
	return fmt.Sprintf("127.0.0.1:%d", cp.ports[dataplanes])
}

func (cp *ControlPlane) logFile() string { return filepath.Join(cp.dir, "kuma-cp.log") }

// lastLog returns the last lines of the log, for an error message.
func (cp *ControlPlane) lastLog() string {
	data, err := os.ReadFile(cp.logFile())
	text := strings.TrimSpace(string(data))
	if err != nil || text == "" {
		return ""
	}
	lines := strings.Split(text, "\n")
	return "\n" + strings.Join(lines[max(0, len(lines)-linesKept):], "\n")
}

// environment returns the environment variables that configure kuma-cp.
func environment(o Options, p ports, dir string) []string {
	mode, zone := o.Mode, o.Zone
	if mode == "" {
		mode = kuma.ModeZone
	}
	if zone == "" {
		zone = "zone-1"
	}
	env := []string{
		"KUMA_STORE_TYPE=memory",
		"KUMA_ENVIRONMENT=universal",
		"KUMA_MODE=" + mode,
		"KUMA_MULTIZONE_ZONE_NAME=" + zone,
		"KUMA_GENERAL_WORK_DIR=" + filepath.Join(dir, "work"),
	}
	if o.Global != nil {
		env = append(env, fmt.Sprintf("KUMA_MULTIZONE_ZONE_GLOBAL_ADDRESS=grpcs://127.0.0.1:%d", o.Global.ports[globalSync]), "KUMA_MULTIZONE_ZONE_KDS_TLS_SKIP_VERIFY=true")
	}
	for variable, port := range p {
		env = append(env, fmt.Sprintf("%s=%d", variable, port))
	}
	return append(env, o.Env...)
}
