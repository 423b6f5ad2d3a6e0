package managed_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
)

// TestSecretInSourceLine checks that errors and warnings about literal secrets do not
// refer to the lines of the configuration that contain them, which Terraform prints.
func TestSecretInSourceLine(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	rejecting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		providertest.AnswerWith(http.StatusUnauthorized, "application/json", unauthorized)(w, r, nil)
	}))
	t.Cleanup(rejecting.Close)
	const secret = "hunter2-hunter2"
	provider := func(arguments string) string {
		return "provider \"kuma\" {\n" + arguments + "\n}\ndata \"kuma_mesh\" \"x\" {\n  name = \"x\"\n}\n"
	}
	embedded := func(block string) string {
		return fmt.Sprintf("provider \"kuma\" {\n  embedded {\n    directory = %q\n  }\n}\n", t.TempDir()) + block
	}
	for name, test := range map[string]struct{ config, want string }{
		"rejected token":            {provider("endpoint = \"" + rejecting.URL + "\"\n token = \"" + secret + "\""), "Control plane rejected the token"},
		"token with a space":        {provider("endpoint = \"" + rejecting.URL + "\"\n token = \"a " + secret + "\""), "The token must not contain spaces"},
		"header":                    {provider("endpoint = \"" + rejecting.URL + "\"\n headers = { \"X Y\" = \"" + secret + "\" }"), "The headers must not contain \"X Y\""},
		"header without encryption": {provider("endpoint = \"http://cp.invalid\"\n headers = { \"X-Y\" = \"" + secret + "\" }\n max_retries = 0\n request_timeout = \"50ms\""), "Insecure connection"},
		"key without certificate":   {provider("endpoint = \"" + rejecting.URL + "\"\n tls {\n client_key = \"" + secret + "\"\n}"), "The client_certificate is required"},
		"key as certificate":        {provider("endpoint = \"" + rejecting.URL + "\"\n tls {\n client_certificate = \"" + secret + "\"\n client_key = \"x\"\n}"), "The client_certificate and client_key are not a valid pair"},
		"certificate without key":   {provider("endpoint = \"" + rejecting.URL + "\"\n tls {\n client_certificate = \"" + secret + "\"\n}"), "The client_key is required"},
		"key as authority":          {provider("endpoint = \"" + rejecting.URL + "\"\n tls {\n ca_certificate = \"" + secret + "\"\n}"), "The ca_certificate contains no certificate"},
		"password in the endpoint":  {provider("endpoint = \"https://admin:" + secret + "@cp.invalid\""), "must not contain a user name or password"},
		"password, no scheme":       {provider("endpoint = \"admin:" + secret + "@cp.invalid\""), "must begin with http"},
		"secret in a query":         {provider("endpoint = \"https://cp.invalid?key=" + secret + "\""), "must not have a query"},
		"password and context":      {provider("endpoint = \"https://admin:" + secret + "@cp.invalid\"\n context = \"shop\""), "context conflicts with endpoint"},
		"password and embedded":     {provider("endpoint = \"https://admin:" + secret + "@cp.invalid\"\n embedded {\n directory = \"x\"\n}"), "endpoint conflicts with an embedded block"},
		"two values of a secret":    {embedded("resource \"kuma_secret\" \"x\" {\n name = \"x\"\n data = \"" + secret + "\"\n data_base64 = \"" + secret + "\"\n}\n"), "Conflicting arguments"},
		"invalid base64":            {embedded("resource \"kuma_secret\" \"x\" {\n name = \"x\"\n data_base64 = \"" + secret + "\"\n}\n"), "base64"},
		"invalid base64, inline":    {embedded("resource \"kuma_mesh\" \"x\" {\n name = \"x\"\n mtls {\n backends {\n name = \"ca\"\n type = \"provided\"\n conf {\n key {\n inline = \"" + secret + "\"\n}\n}\n}\n}\n}\n"), "base64"},
		"manifest of a secret":      {embedded("resource \"kuma_manifest\" \"x\" {\n manifest = { type = \"Secret\", name = \"x\", data = \"" + secret + "\" }\n}\n"), "base64"},
		"manifest, only a warning":  {embedded("resource \"kuma_manifest\" \"x\" {\n manifest = { type = \"Secret\", name = \"x\", data = base64encode(\"" + secret + "\") }\n}\n"), "Manifest contains sensitive values"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + test.config})
			out, _ := c.Run(t, "plan")
			if said := strings.Join(strings.Fields(strings.NewReplacer("│", "", "╷", "", "╵", "").Replace(out)), " "); !strings.Contains(said, test.want) {
				t.Errorf("want %q in\n%s", test.want, out)
			}
			if strings.Contains(out, secret) {
				t.Errorf("the secret is in\n%s", out)
			}
		})
	}
}
