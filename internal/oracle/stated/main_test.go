package main

import (
	"bytes"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// notEmbedded are the statements about what an embedded control plane does not have.
var notEmbedded = map[string]string{
	"the configuration says whether outbound traffic is denied": "it configures no proxies",
	"the mode Exclusive is deprecated":                          "the text of the warning is not known",
}

// TestEmbeddedControlPlaneAnswersAsStated checks that an embedded control plane of Kuma 3.0
// answers every request as the release is stated to do.
func TestEmbeddedControlPlaneAnswersAsStated(t *testing.T) {
	t.Parallel()
	s := embeddedSite(t)
	all, err := statements()
	testworld.NoError(t, err)
	asked := 0
	for _, st := range all {
		if st.Name == "" || (st.How == "") == (st.Status == 0) {
			t.Errorf("%+v needs a name, and either a status or a way to check it", st)
		}
		if st.How != "" || notEmbedded[st.Name] != "" {
			continue
		}
		asked++
		if got, err := st.ask(t.Context(), s); err != nil || !st.agrees(got) {
			t.Errorf("%s: stated %s, answered %s, error %v\n%v", st.Name, st.expected(), summary(got), err, got.Body)
		}
	}
	if asked < 25 {
		t.Errorf("only %d statements were checked", asked)
	}
}

// TestReport checks the table: a statement that a control plane does not meet differs.
func TestReport(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	testworld.NoError(t, report(t.Context(), embeddedSite(t), &out))
	for _, want := range []string{"400 with spec.too", "400 Bad Request spec.too", " 2 different. To check by hand:\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, out.String())
		}
	}
}

func embeddedSite(t *testing.T) *oracle.Site {
	t.Helper()
	server, err := embedded.New(embedded.Config{Directory: t.TempDir(), Zone: "zone-1", Release: kuma.ParseRelease("3.0")})
	testworld.NoError(t, err)
	listener := httptest.NewServer(server)
	t.Cleanup(listener.Close)
	s, err := oracle.Connect(t.Context(), listener.URL)
	testworld.NoError(t, err)
	return s
}
