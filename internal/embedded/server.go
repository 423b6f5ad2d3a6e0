package embedded

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// Config is the configuration of an embedded control plane.
type Config struct {
	Directory string           // created by the first write if it does not exist
	Zone      string           // name of the zone, "default" when empty
	Clock     func() time.Time // [time.Now] when nil
	Release   kuma.Release     // of Kuma, one of [Releases]; that of the directory when zero
}

// Server is an embedded control plane. It is an [http.Handler]; use
// [Server.Transport] to reach it without a port. It is safe for concurrent use,
// and several servers may share a directory.
type Server struct {
	files        files
	controlPlane kuma.ControlPlane
	clock        func() time.Time
	kinds        []def.Kind
}

// New returns a control plane on the directory of c. It fails if that is not a
// readable directory, with a [ReleaseError] if it is that of another release, and with a
// [ZoneError] if the name of the zone is not valid.
func New(c Config) (*Server, error) {
	if c.Directory == "" {
		return nil, errors.New("open embedded control plane: the directory must not be empty")
	}
	directory, err := filepath.Abs(c.Directory)
	if err != nil {
		return nil, fmt.Errorf("open embedded control plane: %w", err)
	}
	if _, err := os.ReadDir(directory); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("open embedded control plane: %w", err)
	}
	if c.Zone == "" {
		c.Zone = "default"
	}
	f := files{directory: directory}
	release, err := f.release(c.Release)
	if err != nil {
		return nil, fmt.Errorf("open embedded control plane: %w", err)
	}
	if !kuma.IsZoneName(c.Zone, release) {
		return nil, fmt.Errorf("open embedded control plane: %w", &ZoneError{c.Zone, release})
	}
	if c.Clock == nil {
		c.Clock = time.Now
	}
	return &Server{
		files:        f,
		controlPlane: kuma.ControlPlane{Mode: kuma.ModeZone, Zone: c.Zone, Release: release},
		clock:        c.Clock,
		kinds:        slices.DeleteFunc(kinds.All(), func(k def.Kind) bool { return !k.In(release) }),
	}, nil
}

// Directory returns the absolute path of the directory.
func (s *Server) Directory() string { return s.files.directory }

// ServeHTTP handles one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.Contains(r.URL.Path, "//") {
		to := url.URL{Path: path.Clean(r.URL.Path), RawQuery: r.URL.RawQuery}
		http.Redirect(w, r, to.String(), http.StatusTemporaryRedirect)
		return
	}
	found, ok := s.route(r.URL.Path)
	if !ok {
		refuse(w, http.StatusNotFound, "Page Not Found")
		return
	}
	op, ok := found[r.Method]
	if !ok {
		w.Header().Set("Allow", found.allow())
		refuse(w, http.StatusMethodNotAllowed, http.StatusText(http.StatusMethodNotAllowed))
		return
	}
	if (r.Method == http.MethodPut || r.Method == http.MethodPost) && !isJSON(r.Header.Get("Content-Type")) {
		refuse(w, http.StatusUnsupportedMediaType, http.StatusText(http.StatusUnsupportedMediaType))
		return
	}
	if !acceptsJSON(r.Header) {
		refuse(w, http.StatusNotAcceptable, "Not Acceptable\n\nAvailable representations: application/json")
		return
	}
	status, body, err := op.run(r)
	if errors.Is(err, errUnreadable) {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if err != nil {
		f := asFailure(err, op.title)
		status, body = f.Status, f
	}
	answer(w, status, body)
}
