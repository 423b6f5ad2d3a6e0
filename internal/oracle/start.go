package oracle

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Options describe the control plane to start.
type Options struct {
	Binary string        // path of kuma-cp
	Mode   string        // [kuma.ModeZone] or [kuma.ModeGlobal]; a zone when empty
	Zone   string        // name of the zone; "zone-1" when empty
	Global *Site         // that the zone belongs to; nil for a standalone zone
	Ready  time.Duration // limit for the first answer; a minute when zero
}

// process is a running kuma-cp.
type process struct {
	ports  ports
	dir    string
	cancel context.CancelFunc
	exited chan struct{} // closed when the process has ended
	err    error         // why the process ended before it was stopped; valid when exited is closed
}

const (
	// attempts limits the retries after another program used one of the ports, or a zone was not synchronized.
	attempts = 3
	// grace is the time for a graceful shutdown.
	grace     = 5 * time.Second
	linesKept = 20 // of the log, in an error
)

// Start starts a control plane and returns when it is ready. It stops when ctx ends. If it
// does not start in several attempts, the error ends with its last log lines. Stop the control plane.
func Start(ctx context.Context, o Options) (*Site, error) {
	return repeated(ctx, func() (*Site, error) { return start(ctx, o) })
}

// repeated returns the first result without an error, or that of the last attempt.
func repeated[T any](ctx context.Context, run func() (T, error)) (T, error) {
	for attempt := 1; ; attempt++ {
		result, err := run()
		if err == nil || attempt == attempts || ctx.Err() != nil {
			return result, err
		}
	}
}

func start(ctx context.Context, o Options) (*Site, error) {
	free, err := freePorts(ctx)
	if err != nil {
		return nil, fmt.Errorf("find free ports: %w", err)
	}
	dir, err := os.MkdirTemp("", "kuma-cp-")
	if err != nil {
		return nil, fmt.Errorf("create a directory for kuma-cp: %w", err)
	}
	running, cancel := context.WithCancel(ctx)
	s := &Site{Endpoint: free.url(apiHTTP), process: process{ports: free, dir: dir, cancel: cancel, exited: make(chan struct{})}}
	if err := s.run(running, o); err != nil {
		cancel()
		return nil, errors.Join(fmt.Errorf("start %s: %w", o.Binary, err), os.RemoveAll(dir))
	}
	err = s.await(ctx, o)
	if err == nil {
		err = s.connect(ctx)
	}
	if err != nil {
		err = fmt.Errorf("start %s: %w%s", o.Binary, err, s.lastLog())
		return nil, errors.Join(err, s.remove())
	}
	return s, nil
}

// run starts the process from a locked thread: on Linux, the signal for the end of the
// parent is sent when the thread that started the child ends.
func (p *process) run(ctx context.Context, o Options) error {
	log, err := os.Create(p.logFile())
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, o.Binary, "run")
	cmd.Env = append(os.Environ(), environment(o, p.ports, p.dir)...)
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
			err = cmd.Wait()
			if ctx.Err() == nil {
				p.err = fmt.Errorf("kuma-cp exited: %w", cmp.Or(err, errors.New("exit status 0")))
			}
			close(p.exited)
		}
	}()
	return <-started
}

// await returns when the control plane has an identity, which it stores first, and listens on all of its ports: it exits if it
// cannot.
func (s *Site) await(ctx context.Context, o Options) error {
	return Until(ctx, cmp.Or(o.Ready, time.Minute), 100*time.Millisecond, "the answer of its API", func(ctx context.Context) (bool, error) {
		select {
		case <-s.exited:
			return false, s.err
		default:
			index, _ := s.Get(ctx, "/") // the API does not listen at first
			return tree.Text(index.Document()["clusterId"]) != "" && s.listens(ctx, interCP), nil
		}
	})
}

func (p *process) listens(ctx context.Context, variable string) bool {
	connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", p.ports[variable]))
	return err == nil && connection.Close() == nil
}

// Stop stops a control plane that [Start] started, and removes its directory. It fails if the control plane has ended by
// itself, with its last log lines, or if the directory cannot be removed. It may be called more than once.
func (p *process) Stop() error {
	var ended error
	select {
	case <-p.exited:
		if p.err != nil {
			ended = fmt.Errorf("%w%s", p.err, p.lastLog())
		}
	default:
	}
	return errors.Join(ended, p.remove())
}

// remove stops the process, and removes its directory.
func (p *process) remove() error {
	p.cancel()
	<-p.exited
	return os.RemoveAll(p.dir)
}

// DataplaneServer returns the host and port that proxies connect to, with TLS.
func (p *process) DataplaneServer() string {
	return fmt.Sprintf("127.0.0.1:%d", p.ports[dataplanes])
}

func (p *process) logFile() string { return filepath.Join(p.dir, "kuma-cp.log") }

// lastLog returns the last lines of the log, for an error message.
func (p *process) lastLog() string {
	data, err := os.ReadFile(p.logFile())
	text := strings.TrimSpace(string(data))
	if err != nil || text == "" {
		return ""
	}
	lines := strings.Split(text, "\n")
	return "\n" + strings.Join(lines[max(0, len(lines)-linesKept):], "\n")
}

// environment returns the environment variables that configure kuma-cp.
func environment(o Options, p ports, dir string) []string {
	env := []string{
		"KUMA_STORE_TYPE=memory",
		"KUMA_ENVIRONMENT=universal",
		"KUMA_MODE=" + cmp.Or(o.Mode, kuma.ModeZone),
		"KUMA_MULTIZONE_ZONE_NAME=" + cmp.Or(o.Zone, "zone-1"),
		"KUMA_GENERAL_WORK_DIR=" + filepath.Join(dir, "work"),
	}
	if o.Global != nil {
		env = append(env, fmt.Sprintf("KUMA_MULTIZONE_ZONE_GLOBAL_ADDRESS=grpcs://127.0.0.1:%d", o.Global.ports[globalSync]),
			"KUMA_MULTIZONE_ZONE_KDS_TLS_SKIP_VERIFY=true")
	}
	for variable, port := range p {
		env = append(env, fmt.Sprintf("%s=%d", variable, port))
	}
	return env
}
