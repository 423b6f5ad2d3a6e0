package embedded_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// onlyCreate asks a PUT to create the resource and never to replace one.
var onlyCreate = map[string]string{"Content-Type": "application/json", "If-None-Match": "*"}

func TestExclusiveCreate(t *testing.T) {
	t.Parallel()
	other := strings.Replace(webTimeout, "60s", "90s", 1)
	withTag := map[string]string{"Content-Type": "application/json", "If-None-Match": `"an-entity-tag"`}
	for name, test := range map[string]struct {
		stored, sent string
		headers      map[string]string
		status       int
		idle         string
	}{
		"nothing stored":       {"", other, onlyCreate, http.StatusCreated, "1m30s"},
		"something stored":     {webTimeout, other, onlyCreate, http.StatusPreconditionFailed, "1m0s"},
		"the same stored":      {webTimeout, webTimeout, onlyCreate, http.StatusPreconditionFailed, "1m0s"},
		"without the header":   {webTimeout, other, asJSON, http.StatusOK, "1m30s"},
		"another precondition": {webTimeout, other, withTag, http.StatusOK, "1m30s"},
		"an invalid document":  {webTimeout, strings.Replace(webTimeout, "60s", "soon", 1), onlyCreate, http.StatusBadRequest, "1m0s"},
		"an immutable label":   {strings.Replace(webTimeout, `"spec"`, `"labels":{"kuma.io/display-name":"w"},"spec"`, 1), other, onlyCreate, http.StatusPreconditionFailed, "1m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, t.TempDir())
			put(t, s, defaultMesh)
			if test.stored != "" {
				put(t, s, test.stored)
			}
			status, body := send(t, s, http.MethodPut, webPath, test.headers, []byte(test.sent))
			if status != test.status {
				t.Errorf("PUT: status %d, want %d\n%s", status, test.status, body)
			}
			if status == http.StatusPreconditionFailed {
				var got map[string]any
				decode(t, body, &got)
				detail := `MeshTimeout "web" of mesh "default" already exists`
				want := map[string]any{"type": "/std-errors", "status": 412.0, "title": "Resource already exists", "detail": detail, "details": detail}
				testworld.Equal(t, "answer", want, got)
			}
			if got := fmt.Sprint(read(t, s, webPath)["spec"]); !strings.Contains(got, test.idle) {
				t.Errorf("stored is %s, want %s", got, test.idle)
			}
		})
	}
	t.Run("a missing mesh", func(t *testing.T) {
		t.Parallel()
		wantStatus(t, http.StatusNotFound, newServer(t, t.TempDir()), http.MethodPut, webPath, onlyCreate, []byte(webTimeout))
	})
}

// TestWriteOfAReadVersion checks that a write with If-Match does not replace or delete a version
// that the client has not read.
func TestWriteOfAReadVersion(t *testing.T) {
	t.Parallel()
	other := strings.Replace(webTimeout, "60s", "90s", 1)
	for name, test := range map[string]struct {
		method  string
		match   func(read string) string
		changed bool // after it was read
		deleted bool
		status  int
	}{
		"update":                    {http.MethodPut, strconv.Quote, false, false, http.StatusOK},
		"update of a new version":   {http.MethodPut, strconv.Quote, true, false, http.StatusConflict},
		"update of a deleted one":   {http.MethodPut, strconv.Quote, false, true, http.StatusConflict},
		"another tag":               {http.MethodPut, func(string) string { return `"abc"` }, false, false, http.StatusOK},
		"without a condition":       {http.MethodPut, func(string) string { return "" }, true, false, http.StatusOK},
		"deletion":                  {http.MethodDelete, strconv.Quote, false, false, http.StatusOK},
		"deletion of a new one":     {http.MethodDelete, strconv.Quote, true, false, http.StatusConflict},
		"deletion, unconditional":   {http.MethodDelete, func(string) string { return "" }, true, false, http.StatusOK},
		"deletion of a deleted one": {http.MethodDelete, strconv.Quote, false, true, http.StatusNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, t.TempDir())
			put(t, s, defaultMesh)
			put(t, s, webTimeout)
			version := fmt.Sprint(read(t, s, webPath)["modificationTime"])
			if test.changed {
				put(t, s, webTimeout) // the same content
			}
			if test.deleted {
				send(t, s, http.MethodDelete, webPath, nil, nil)
			}
			headers := map[string]string{"Content-Type": "application/json"}
			if tag := test.match(version); tag != "" {
				headers["If-Match"] = tag
			}
			wantStatus(t, test.status, s, test.method, webPath, headers, []byte(other))
		})
	}
}

// TestExclusiveCreateByTwo checks that exactly one of two concurrent creations of the
// same name succeeds, in one process or in two.
func TestExclusiveCreateByTwo(t *testing.T) {
	t.Parallel()
	for name, second := range map[string]func(t *testing.T, directory string) (wait func() []int){
		"servers":   startServer,
		"processes": startCreator,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := t.TempDir()
			s := newServer(t, directory)
			put(t, s, defaultMesh)
			wait := second(t, directory)
			mine, err := createNames(s)
			testworld.NoError(t, err)
			theirs := wait()
			if len(mine) != names || len(theirs) != names {
				t.Fatalf("%d and %d answers, want %d of each", len(mine), len(theirs), names)
			}
			for i := range names {
				if min(mine[i], theirs[i]) != http.StatusCreated || max(mine[i], theirs[i]) != http.StatusPreconditionFailed {
					t.Errorf("name %d: status %d and %d, want 201 and 412", i, mine[i], theirs[i])
				}
			}
			if list := read(t, s, "/meshtimeouts?size=1"); list["total"] != float64(names) {
				t.Errorf("total = %v, want %d", list["total"], names)
			}
		})
	}
}

// names is the number of resources that [createNames] creates.
const names = 20

// createNames creates one resource after the other and returns the answers.
func createNames(s *embedded.Server) ([]int, error) {
	var statuses []int
	for i := range names {
		name := fmt.Sprintf("n%d", i)
		r, err := http.NewRequest(http.MethodPut, "http://embedded"+timeoutPath(name), strings.NewReader(timeoutDocument(name, 1))) //nolint:noctx // in process
		if err != nil {
			return nil, err
		}
		for header, value := range onlyCreate {
			r.Header.Set(header, value)
		}
		answer, err := s.Transport().RoundTrip(r)
		if err != nil {
			return nil, err
		}
		statuses = append(statuses, answer.StatusCode)
		if err := answer.Body.Close(); err != nil {
			return nil, err
		}
	}
	return statuses, nil
}

func startServer(t *testing.T, directory string) func() []int {
	t.Helper()
	s := newServer(t, directory)
	done := make(chan []int, 1)
	go func() {
		statuses, err := createNames(s)
		if err != nil {
			t.Error(err)
		}
		done <- statuses
	}()
	return func() []int { return <-done }
}

// creatorEnv turns the test binary into a process that creates the names in the
// directory that it contains.
const creatorEnv = "EMBEDDED_CREATOR"

func startCreator(t *testing.T, directory string) func() []int {
	t.Helper()
	creator := exec.CommandContext(t.Context(), os.Args[0])
	creator.Env = append(os.Environ(), creatorEnv+"="+directory)
	creator.Stderr = os.Stderr
	out, err := creator.StdoutPipe()
	testworld.NoError(t, err)
	testworld.NoError(t, creator.Start())
	lines := bufio.NewScanner(out)
	lines.Scan() // it is ready
	return func() []int {
		lines.Scan()
		var statuses []int
		decode(t, lines.Bytes(), &statuses)
		if err := creator.Wait(); err != nil {
			t.Error(err)
		}
		return statuses
	}
}

func createInDirectory(directory string) error {
	s, err := embedded.New(embedded.Config{Directory: directory, Zone: "zone-1", Release: kuma.Newest2()})
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintln(os.Stdout, "ready")
	statuses, err := createNames(s)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(statuses)
}
