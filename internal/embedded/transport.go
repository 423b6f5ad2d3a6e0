package embedded

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
)

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
