package oracle_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// The test binary is also a fake kuma-cp: it serves the API on its port when this
// variable is set.
const fake = "TEST_FAKE_KUMA_CP"

func TestMain(m *testing.M) {
	if os.Getenv(fake) == "" {
		os.Exit(m.Run())
	}
	fmt.Println("mode", os.Getenv("KUMA_MODE"), "name", os.Getenv("KUMA_MULTIZONE_ZONE_NAME"), "of", os.Getenv("KUMA_MULTIZONE_ZONE_GLOBAL_ADDRESS"))
	if os.Getenv(fake) == "ends" {
		fmt.Println("no store")
		os.Exit(3)
	}
	first := false // a zone of the first global control plane
	if file := os.Getenv("TEST_FIRST_GLOBAL"); file != "" {
		first = zoneOfFirst(file)
	}
	if first && os.Getenv(fake) == "ends as zone" {
		os.Exit(3)
	}
	if first := os.Getenv(fake); filepath.IsAbs(first) && os.Mkdir(first, 0o755) == nil {
		select {} // until it is stopped
	}
	if os.Getenv(fake) != "lacks a port" {
		listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:"+os.Getenv("KUMA_INTER_CP_SERVER_PORT"))
		if err != nil {
			panic(err)
		}
		defer listener.Close()
	}
	serve := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/end" {
			os.Exit(4)
		}
		if first && r.URL.Path != "/" {
			http.Error(w, "no resources", http.StatusBadRequest)
			return
		}
		if r.URL.Path == "/tokens/dataplane" {
			fmt.Fprint(w, "header.claims.signature")
			return
		}
		fmt.Fprintf(w, `{"type": "Mesh", "name": "default", "product": "Kuma", "version": "2.14.0", "clusterId": %q, "mode": "zone"}`, os.Getenv("KUMA_GENERAL_WORK_DIR"))
	})
	fmt.Println(http.ListenAndServe("127.0.0.1:"+os.Getenv("KUMA_API_SERVER_HTTP_PORT"), serve))
}

func start(t *testing.T, o oracle.Options) *oracle.Site {
	t.Helper()
	cp, err := oracle.Start(t.Context(), o)
	testworld.NoError(t, err)
	t.Cleanup(func() {
		if err := cp.Stop(); err != nil {
			t.Error(err)
		}
	})
	return cp
}

func TestStartAndStop(t *testing.T) {
	t.Setenv(fake, "serves")
	cp := start(t, oracle.Options{Binary: self(t)})
	got, err := cp.Get(t.Context(), "/")
	testworld.NoError(t, err)
	work, _ := got.Document()["clusterId"].(string)
	testworld.NoError(t, cp.Stop())
	if _, err := cp.Get(t.Context(), "/"); err == nil {
		t.Error("it still answers")
	}
	if _, err := os.Stat(filepath.Dir(work)); !os.IsNotExist(err) {
		t.Errorf("its directory is still there: %v", err)
	}
}

func TestStopsWithContext(t *testing.T) {
	t.Setenv(fake, "serves")
	ctx, cancel := context.WithCancel(t.Context())
	cp, err := oracle.Start(ctx, oracle.Options{Binary: self(t)})
	testworld.NoError(t, err)
	cancel()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if _, err := cp.Get(t.Context(), "/"); err != nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("it still answers")
		}
	}
	if err := cp.Stop(); err != nil {
		t.Error(err)
	}
}

func TestErrorsShowTheLog(t *testing.T) {
	t.Setenv(fake, "ends")
	global := &oracle.Site{}
	_, err := oracle.Start(t.Context(), oracle.Options{Binary: self(t), Zone: "east", Global: global})
	for _, want := range []string{"kuma-cp exited: exit status 3", "mode zone name east of grpcs://127.0.0.1:", "no store"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want it to contain %q", err, want)
		}
	}
	_, err = oracle.Start(t.Context(), oracle.Options{Binary: filepath.Join(t.TempDir(), "kuma-cp")})
	if err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("a missing binary: %v", err)
	}
}

func TestGivesUp(t *testing.T) {
	t.Setenv(fake, "")
	script := filepath.Join(t.TempDir(), "kuma-cp")
	testworld.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\nexec sleep 60\n"), 0o755))
	_, err := oracle.Start(t.Context(), oracle.Options{Binary: script, Ready: 300 * time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "is missing after 300ms") {
		t.Errorf("got %v", err)
	}
}

// TestWaitsForAllPorts starts a control plane that answers, and does not listen on one of its ports yet.
func TestWaitsForAllPorts(t *testing.T) {
	t.Setenv(fake, "lacks a port")
	_, err := oracle.Start(t.Context(), oracle.Options{Binary: self(t), Ready: time.Second})
	if err == nil || !strings.Contains(err.Error(), "is missing after 1s") {
		t.Errorf("got %v", err)
	}
}

// zoneOfFirst reports whether this is a zone of the first global control plane, whose port is in a file.
func zoneOfFirst(file string) bool {
	if os.Getenv("KUMA_MODE") == "global" {
		if _, err := os.Stat(file); os.IsNotExist(err) {
			_ = os.WriteFile(file, []byte(os.Getenv("KUMA_MULTIZONE_GLOBAL_KDS_GRPC_PORT")), 0o600)
		}
		return false
	}
	port, _ := os.ReadFile(file)
	return strings.HasSuffix(os.Getenv("KUMA_MULTIZONE_ZONE_GLOBAL_ADDRESS"), ":"+string(port))
}

// TestDeploysAgain checks that a zone starts again, with another global control plane, if it does not start or gets no mesh.
func TestDeploysAgain(t *testing.T) {
	for _, zone := range []string{"ends as zone", "without resources as zone"} {
		t.Run(zone, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "port")
			t.Setenv(fake, zone)
			t.Setenv("TEST_FIRST_GLOBAL", file)
			d, err := oracle.Deploy(t.Context(), self(t), []string{"east"})
			testworld.NoError(t, err)
			if _, err := d.Sites[1].Get(t.Context(), "/meshes/default"); err != nil {
				t.Errorf("the zone belongs to the first global control plane: %v", err)
			}
			if err := d.Stop(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestStartsAgain starts a control plane that does not get ready the first time.
func TestStartsAgain(t *testing.T) {
	first := filepath.Join(t.TempDir(), "first")
	t.Setenv(fake, first)
	start(t, oracle.Options{Binary: self(t), Ready: 2 * time.Second})
	if _, err := os.Stat(first); err != nil {
		t.Errorf("it was ready the first time: %v", err)
	}
}

// TestStopReportsTheEnd stops a control plane that has ended by itself.
func TestStopReportsTheEnd(t *testing.T) {
	t.Setenv(fake, "serves")
	cp, err := oracle.Start(t.Context(), oracle.Options{Binary: self(t)})
	testworld.NoError(t, err)
	if _, err := cp.Get(t.Context(), "/end"); err == nil {
		t.Error("it answers although it ends")
	}
	<-cp.Exited()
	if err := cp.Stop(); err == nil || !strings.Contains(err.Error(), "kuma-cp exited: exit status 4\nmode zone") {
		t.Errorf("got %v", err)
	}
	if err := cp.Stop(); err == nil {
		t.Error("the second time, it does not fail")
	}
}

// TestRealControlPlane starts the kuma-cp of KUMA_CP, as a zone and as a global
// with a zone.
func TestRealControlPlane(t *testing.T) {
	binary := os.Getenv("KUMA_CP")
	if binary == "" {
		t.Skip("KUMA_CP names no kuma-cp")
	}
	start(t, oracle.Options{Binary: binary})
	global := start(t, oracle.Options{Binary: binary, Mode: "global"})
	start(t, oracle.Options{Binary: binary, Zone: "east", Global: global})
}

func self(t *testing.T) string {
	t.Helper()
	file, err := os.Executable()
	testworld.NoError(t, err)
	return file
}
