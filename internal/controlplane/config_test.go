package controlplane_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
)

func TestRisks(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		config controlplane.Config
		want   []string // fields
	}{
		"https":                    {controlplane.Config{Endpoint: "https://cp:5682", Token: token}, nil},
		"http without token":       {controlplane.Config{Endpoint: "http://cp:5681"}, nil},
		"http with token":          {controlplane.Config{Endpoint: "http://cp:5681", Token: token}, []string{controlplane.FieldEndpoint}},
		"http with a header":       {controlplane.Config{Endpoint: "http://cp", Headers: map[string]string{"authorization": "Basic x"}}, []string{controlplane.FieldEndpoint}},
		"http with another header": {controlplane.Config{Endpoint: "http://cp", Headers: map[string]string{"X-Api-Key": "x"}}, []string{controlplane.FieldEndpoint}},
		"https with a header":      {controlplane.Config{Endpoint: "https://cp", Headers: map[string]string{"X-Api-Key": "x"}}, nil},
		"localhost with a header":  {controlplane.Config{Endpoint: "http://localhost", Headers: map[string]string{"X-Api-Key": "x"}}, nil},
		"localhost":                {controlplane.Config{Endpoint: "http://localhost:5681", Token: token}, nil},
		"name below localhost":     {controlplane.Config{Endpoint: "http://kuma.localhost:5681", Token: token}, nil},
		"name like localhost":      {controlplane.Config{Endpoint: "http://localhost.example.com", Token: token}, []string{controlplane.FieldEndpoint}},
		"loopback address":         {controlplane.Config{Endpoint: "http://127.0.0.2:5681", Token: token}, nil},
		"loopback address 6":       {controlplane.Config{Endpoint: "http://[::1]:5681", Token: token}, nil},
		"private address":          {controlplane.Config{Endpoint: "http://10.0.0.1:5681", Token: token}, []string{controlplane.FieldEndpoint}},
		"no check":                 {controlplane.Config{Endpoint: "https://cp", TLS: controlplane.TLS{InsecureSkipVerify: true}}, []string{controlplane.FieldInsecureSkipVerify}},
		"no check where none is":   {controlplane.Config{Endpoint: "http://localhost", TLS: controlplane.TLS{InsecureSkipVerify: true}}, nil},
		"own transport":            {controlplane.Config{Endpoint: "http://embedded", Token: token, Transport: http.DefaultTransport}, nil},
		"unusable endpoint":        {controlplane.Config{Endpoint: "cp", Token: token}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, r := range test.config.Risks() {
				got = append(got, r.Field)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("Risks() of %s (-want +got):\n%s", test.config.Endpoint, diff)
			}
		})
	}
}
