package embedded

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
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

// New returns a control plane on the directory of c. It fails if the directory cannot be
// read, with a [ReleaseError] if the directory belongs to another release, and with a
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
	c.Zone = cmp.Or(c.Zone, "default")
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

// Transport returns a transport to s for an [http.Client] in the same process. The
// host of the request does not matter.
func (s *Server) Transport() http.RoundTripper { return transport{s} }

type transport struct{ handler http.Handler }

// RoundTrip calls the handler and returns when it is done.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		defer r.Body.Close() //nolint:errcheck // a RoundTripper has to close it, and cannot report it
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	in := r.Clone(r.Context())
	if in.Body == nil {
		in.Body = http.NoBody
	}
	if in.Host == "" {
		in.Host = in.URL.Host
	}
	rec := recorder{header: http.Header{}}
	t.handler.ServeHTTP(&rec, in)
	if rec.status == 0 {
		rec.status = http.StatusOK
	}
	if r.Method == http.MethodHead {
		rec.body.Reset()
	}
	return &http.Response{
		Status:        strconv.Itoa(rec.status) + " " + http.StatusText(rec.status),
		StatusCode:    rec.status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        rec.header,
		Body:          io.NopCloser(&rec.body),
		ContentLength: int64(rec.body.Len()),
		Request:       r,
	}, nil
}

// recorder records the response of a handler.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
}

func (r *recorder) Write(b []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.body.Write(b)
}
