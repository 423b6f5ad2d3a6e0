package embedded_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

var kills = flag.Int("kills", 20, "how often TestKill kills a writing process; with -short, a tenth as often")

// writerEnv turns the test binary into a process that writes until it is
// killed: it contains the directory, and the first step of each resource.
const writerEnv = "EMBEDDED_WRITER"

func TestMain(m *testing.M) {
	if work := os.Getenv(writerEnv); work != "" {
		if err := keepWriting(work); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1) // it is killed before
	}
	if directory := os.Getenv(creatorEnv); directory != "" {
		if err := createInDirectory(directory); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestKill repeatedly kills a process at a random moment. Acknowledged writes are
// kept, and the current one is applied or not: no file is lost or torn. A kill does
// not simulate a power failure, which depends on fsync and cannot be tested here.
func TestKill(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	s := newServer(t, directory)
	put(t, s, defaultMesh)
	steps := map[string]int{} // by name of the resource, the last acknowledged
	for _, name := range []string{"a", "b", "c", "d"} {
		steps[name] = 0
	}
	steps[newMeshes] = 0
	times := *kills
	if testing.Short() {
		times = max(1, times/10)
	}
	acknowledged, inDoubt := 0, 0
	for range times {
		before := maps.Clone(steps)
		killWriter(t, directory, steps)
		for name, step := range steps {
			acknowledged += step - before[name]
			got := state(t, s, name, step)
			if got != expected(name, step) && got != expected(name, step+1) {
				t.Fatalf("%s after step %d: stored is %q, want %q, or already %q", name, step, got, expected(name, step), expected(name, step+1))
			}
			if got != expected(name, step) {
				inDoubt++
			}
		}
	}
	for _, list := range []string{"/meshes", "/meshtimeouts", "/meshretries", "/meshcircuitbreakers"} {
		read(t, s, list) // every file is complete
	}
	leftovers(t, directory)
	if acknowledged < times {
		t.Errorf("%d writes in %d runs: the writer was killed before it worked", acknowledged, times)
	}
	t.Logf("%d kills: %d acknowledged writes are there, %d unacknowledged ones too", times, acknowledged, inDoubt)
}

// newMeshes represents a mesh that is created with its policies in every step.
const newMeshes = "m"

// killWriter starts a writer, kills it within a tenth of a second of its first
// write, and moves steps to what it acknowledged.
func killWriter(t *testing.T, directory string, steps map[string]int) {
	t.Helper()
	work, err := json.Marshal(steps)
	testworld.NoError(t, err)
	writer := exec.Command(os.Args[0]) //nolint:noctx // it is killed in any case
	writer.Env = append(os.Environ(), writerEnv+"="+directory+"\n"+string(work))
	writer.Stderr = os.Stderr
	out, err := writer.StdoutPipe()
	testworld.NoError(t, err)
	testworld.NoError(t, writer.Start())
	lines := bufio.NewScanner(out)
	for first := true; lines.Scan(); first = false {
		if first {
			time.AfterFunc(rand.N(100*time.Millisecond), func() { _ = writer.Process.Kill() })
		}
		name, step, _ := strings.Cut(lines.Text(), " ")
		if steps[name], err = strconv.Atoi(step); err != nil {
			t.Errorf("the writer said %q", lines.Text())
		}
	}
	if err := writer.Wait(); err == nil || writer.ProcessState.ExitCode() != -1 {
		t.Fatalf("the writer ended by itself: %v", err)
	}
}

// keepWriting runs one step after the other for each resource, and prints each
// when it is acknowledged.
func keepWriting(work string) error {
	directory, text, _ := strings.Cut(work, "\n")
	var steps map[string]int
	if err := json.Unmarshal([]byte(text), &steps); err != nil {
		return err
	}
	s, err := embedded.New(embedded.Config{Directory: directory, Zone: "zone-1", Release: kuma.Newest2()})
	if err != nil {
		return err
	}
	failed := make(chan error)
	for name, step := range steps {
		go func() {
			for {
				step++
				if err := carryOut(s, name, step); err != nil {
					failed <- err
				}
				_, _ = fmt.Fprintf(os.Stdout, "%s %d\n", name, step)
			}
		}()
	}
	return <-failed
}

// carryOut runs one step: every fifth deletes the policy, the others write it.
// A policy is about ten thousand bytes long, so that a write takes some time.
func carryOut(s *embedded.Server, name string, step int) error {
	method, path, body := http.MethodPut, timeoutPath(name), timeoutDocument(name, step)
	switch {
	case name == newMeshes:
		path, body = fmt.Sprintf("/meshes/m%d", step), fmt.Sprintf(`{"type":"Mesh","name":"m%d"}`, step)
	case step%5 == 0:
		method = http.MethodDelete
	}
	r, err := http.NewRequest(method, "http://embedded"+path, strings.NewReader(body)) //nolint:noctx // in process
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := s.Transport().RoundTrip(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close() //nolint:errcheck // in memory
	// A step with an unknown outcome may run again: then the policy is already
	// deleted.
	if answer.StatusCode >= 400 && (method != http.MethodDelete || answer.StatusCode != http.StatusNotFound) {
		return fmt.Errorf("%s %s: status %d", method, path, answer.StatusCode)
	}
	return nil
}

func timeoutPath(name string) string { return "/meshes/default/meshtimeouts/" + name }

func timeoutDocument(name string, step int) string {
	entry := fmt.Sprintf(`{"targetRef":{"kind":"MeshService","labels":{"step":"%d"}},"default":{"idleTimeout":"%ds"}}`, step, step)
	return fmt.Sprintf(`{"type":"MeshTimeout","mesh":"default","name":%q,"spec":{"to":[%s]}}`, name, strings.Repeat(entry+",", 99)+entry)
}

// expected returns what is stored after a step, see [state].
func expected(name string, step int) string {
	switch {
	case name == newMeshes:
		return "whole"
	case step%5 == 0:
		return "nothing"
	default:
		return (time.Duration(step) * time.Second).String()
	}
}

// state reads what is stored: the timeout that all entries of a policy have, or
// whether the mesh of the step has all of its initial policies.
func state(t *testing.T, s *embedded.Server, name string, step int) string {
	t.Helper()
	if name == newMeshes {
		return meshState(t, s, step)
	}
	status, body := send(t, s, http.MethodGet, timeoutPath(name), nil, nil)
	if status == http.StatusNotFound {
		return "nothing"
	}
	var stored struct {
		Spec struct {
			To []struct{ Default struct{ IdleTimeout string } }
		}
	}
	decode(t, body, &stored)
	if status != http.StatusOK || len(stored.Spec.To) != 100 {
		t.Fatalf("GET %s: status %d, %d entries", name, status, len(stored.Spec.To))
	}
	for _, e := range stored.Spec.To {
		if e != stored.Spec.To[0] {
			return "a mixture"
		}
	}
	return stored.Spec.To[0].Default.IdleTimeout
}

func meshState(t *testing.T, s *embedded.Server, step int) string {
	t.Helper()
	for n := max(1, step-3); n <= step+1; n++ {
		m := kuma.Resource{Type: kinds.Mesh.Name, Name: fmt.Sprintf("m%d", n)}
		if status, _ := send(t, s, http.MethodGet, "/meshes/"+m.Name, nil, nil); status != http.StatusOK {
			if n <= step {
				return m.Name + " is lost"
			}
			continue
		}
		for _, r := range kinds.Initial(m, kuma.Newest2()) {
			k, _ := kinds.Find(r.Type)
			if status, body := send(t, s, http.MethodGet, "/meshes/"+m.Name+"/"+k.Path+"/"+r.Name, nil, nil); status != http.StatusOK {
				return fmt.Sprintf("%s without %s: %s", m.Name, r.Name, body)
			}
		}
	}
	return "whole"
}

// leftovers checks that at most one draft is left in each directory.
func leftovers(t *testing.T, directory string) {
	t.Helper()
	var other []string
	err := filepath.WalkDir(directory, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Ext(path) != ".yaml" {
			other = append(other, d.Name())
		}
		return err
	})
	testworld.NoError(t, err)
	slices.Sort(other)
	for _, name := range slices.Compact(other) {
		if name != ".lock" && name != ".kuma-version" && name != ".draft" {
			t.Errorf("%s is left behind", name)
		}
	}
}

// TestTwoProcesses checks that writers in several processes take turns, and that no
// write undoes another one.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	s := newServer(t, directory)
	put(t, s, defaultMesh)
	steps := []map[string]int{{"a": 0, "b": 0}, {"c": 0, "d": 0}, {"e": 0, "f": 0}}
	t.Run("writers", func(t *testing.T) {
		for i, mine := range steps {
			t.Run(strconv.Itoa(i), func(t *testing.T) {
				t.Parallel()
				killWriter(t, directory, mine)
			})
		}
	})
	for _, mine := range steps {
		for name, step := range mine {
			if got := state(t, s, name, step); got != expected(name, step) && got != expected(name, step+1) {
				t.Errorf("%s after step %d: stored is %q, want %q, or already %q", name, step, got, expected(name, step), expected(name, step+1))
			}
		}
	}
}
