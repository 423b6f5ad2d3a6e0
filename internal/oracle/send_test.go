package oracle_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
)

// TestControlPlaneThatPanics checks the answer of a connection that is
// closed without an answer.
func TestControlPlaneThatPanics(t *testing.T) {
	t.Parallel()
	fake := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	t.Cleanup(fake.Close)
	s := &oracle.Site{Endpoint: fake.URL}
	got, err := s.Get(t.Context(), "/meshes?offset=-1")
	if err != nil || got.Status != 0 || got.Body != nil || got.Accepted() {
		t.Errorf("get = %+v, %v, want no status, body and error", got, err)
	}
	fake.Close()
	if got, err := s.Get(t.Context(), "/meshes"); err == nil {
		t.Errorf("get from a control plane that is gone = %+v, want an error", got)
	}
}
