package configuration_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

func resources(t *testing.T, text string) []kuma.Resource {
	t.Helper()
	docs, err := tree.DecodeYAML([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var all []kuma.Resource
	for _, doc := range docs {
		r, err := kuma.FromDocument(doc, kinds.Form)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

func file(t *testing.T, text string) string {
	t.Helper()
	got, err := configuration.File(t.Context(), resources(t, text), configuration.Options{Imports: true})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestFile(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ yaml, want string }{
		"nothing": {"", ""},
		"references, without defaults and computed labels": {`
type: Mesh
name: shop
---
type: MeshService
mesh: shop
name: backend
labels:
  kuma.io/mesh: shop
  kuma.io/origin: zone
  team: web
spec:
  selector:
    dataplaneTags:
      app: backend
  ports:
  - port: 80
    targetPort: 80
    appProtocol: tcp
---
type: MeshTimeout
mesh: shop
name: backend
spec:
  to:
  - targetRef:
      kind: MeshService
      name: backend
    default:
      idleTimeout: 1m
  - targetRef:
      kind: MeshService
      name: elsewhere
    default:
      idleTimeout: 2m
`, `
resource "kuma_mesh" "shop" {
  name = "shop"
}

import {
  to = kuma_mesh.shop
  id = "shop"
}

resource "kuma_mesh_service" "backend" {
  name = "backend"
  mesh = kuma_mesh.shop.name
  labels = {
    team = "web"
  }

  spec {
    selector {
      dataplane_tags = {
        app = "backend"
      }
    }

    ports {
      port        = 80
      target_port = "80"
    }
  }
}

import {
  to = kuma_mesh_service.backend
  id = "shop/backend"
}

resource "kuma_mesh_timeout" "backend" {
  name = "backend"
  mesh = kuma_mesh.shop.name

  spec {
    to {
      target_ref {
        kind = "MeshService"
        name = kuma_mesh_service.backend.name
      }

      default {
        idle_timeout = "1m"
      }
    }

    to {
      target_ref {
        kind = "MeshService"
        name = "elsewhere"
      }

      default {
        idle_timeout = "2m"
      }
    }
  }
}

import {
  to = kuma_mesh_timeout.backend
  id = "shop/backend"
}
`},
		"a reference by display name": {`
type: MeshService
mesh: shop
name: backend.v1
labels:
  kuma.io/display-name: backend
spec:
  ports:
  - port: 80
---
type: MeshTimeout
mesh: shop
name: web
spec:
  to:
  - targetRef:
      kind: MeshService
      name: backend
    default:
      idleTimeout: 1m
`, `
resource "kuma_mesh_service" "backend_v1" {
  name = "backend.v1"
  mesh = "shop"
  labels = {
    "kuma.io/display-name" = "backend"
  }

  spec {
    ports {
      port = 80
    }
  }
}

import {
  to = kuma_mesh_service.backend_v1
  id = "shop/backend.v1"
}

resource "kuma_mesh_timeout" "web" {
  name = "web"
  mesh = "shop"

  spec {
    to {
      target_ref {
        kind = "MeshService"
        name = "backend"
      }

      default {
        idle_timeout = "1m"
      }
    }
  }
}

import {
  to = kuma_mesh_timeout.web
  id = "shop/web"
}
`},
		"references in a circle": {`
type: Mesh
name: shop
mtls:
  backends:
  - name: own
    type: provided
    conf:
      cert:
        secret: certificate
---
type: Secret
mesh: shop
name: certificate
---
type: MeshService
mesh: shop
name: web
spec:
  selector:
    dataplaneRef:
      name: web-1
---
type: Dataplane
mesh: shop
name: web-1
networking:
  outbound:
  - port: 10001
    backendRef:
      kind: MeshService
      name: web
`, `
# Before this is created again: The control plane loads the certificate authority when it creates the mesh, but a Secret can only be created in an existing mesh. Set "skip_validation" of "mtls" to true, so that the control plane stores the mesh first, and create the Secrets after it.
resource "kuma_mesh" "shop" {
  name = "shop"

  mtls {
    backends {
      name = "own"
      type = "provided"

      conf {
        cert {
          secret = "certificate"
        }
      }
    }
  }
}

import {
  to = kuma_mesh.shop
  id = "shop"
}

resource "kuma_secret" "certificate" {
  name = "certificate"
  mesh = kuma_mesh.shop.name
  data = var.secret_certificate
}

import {
  to = kuma_secret.certificate
  id = "shop/certificate"
}

resource "kuma_mesh_service" "web" {
  name = "web"
  mesh = kuma_mesh.shop.name

  spec {
    selector {
      dataplane_ref {
        name = kuma_dataplane.web-1.name
      }
    }
  }
}

import {
  to = kuma_mesh_service.web
  id = "shop/web"
}

resource "kuma_dataplane" "web-1" {
  name = "web-1"
  mesh = kuma_mesh.shop.name

  networking {
    outbound {
      port = 10001

      backend_ref {
        kind = "MeshService"
        name = "web"
      }
    }
  }
}

import {
  to = kuma_dataplane.web-1
  id = "shop/web-1"
}

variable "secret_certificate" {
  description = "Value of Secret \"certificate\" of mesh \"shop\". If null, the stored value is kept."
  type        = string
  default     = null
  sensitive   = true
}
`},
		"one name in two meshes, and names that are alike": {`
type: MeshTimeout
mesh: a
name: web
spec:
  rules:
  - default:
      idleTimeout: 1s
---
type: MeshTimeout
mesh: b
name: web
spec:
  rules:
  - default:
      idleTimeout: 1s
---
type: MeshTimeout
mesh: a
name: a.web
spec:
  rules:
  - default:
      idleTimeout: 1s
`, `
resource "kuma_mesh_timeout" "a_web" {
  name = "web"
  mesh = "a"

  spec {
    rules {
      default {
        idle_timeout = "1s"
      }
    }
  }
}

import {
  to = kuma_mesh_timeout.a_web
  id = "a/web"
}

resource "kuma_mesh_timeout" "b_web" {
  name = "web"
  mesh = "b"

  spec {
    rules {
      default {
        idle_timeout = "1s"
      }
    }
  }
}

import {
  to = kuma_mesh_timeout.b_web
  id = "b/web"
}

resource "kuma_mesh_timeout" "a_web_2" {
  name = "a.web"
  mesh = "a"

  spec {
    rules {
      default {
        idle_timeout = "1s"
      }
    }
  }
}

import {
  to = kuma_mesh_timeout.a_web_2
  id = "a/a.web"
}
`},
		"secrets": {`
type: Secret
mesh: shop
name: partner-key
data: c2VjcmV0
---
type: MeshExternalService
mesh: shop
name: partner
spec:
  match:
    type: HostnameGenerator
    port: 443
    protocol: tcp
  endpoints:
  - address: partner.example.com
    port: 443
  tls:
    enabled: true
    verification:
      clientCert:
        secret: partner-key
      clientKey:
        inline: c2VjcmV0
`, `
resource "kuma_secret" "partner-key" {
  name = "partner-key"
  mesh = "shop"
  data = var.secret_partner-key
}

import {
  to = kuma_secret.partner-key
  id = "shop/partner-key"
}

resource "kuma_mesh_external_service" "partner" {
  name = "partner"
  mesh = "shop"

  spec {
    match {
      port = 443
    }

    endpoints {
      address = "partner.example.com"
      port    = 443
    }

    tls {
      enabled = true

      verification {
        client_cert {
          secret = kuma_secret.partner-key.name
        }

        client_key {
          inline = var.mesh_external_service_partner_tls_verification_client_key_inline
        }
      }
    }
  }
}

import {
  to = kuma_mesh_external_service.partner
  id = "shop/partner"
}

variable "secret_partner-key" {
  description = "Value of Secret \"partner-key\" of mesh \"shop\". If null, the stored value is kept."
  type        = string
  default     = null
  sensitive   = true
}

variable "mesh_external_service_partner_tls_verification_client_key_inline" {
  description = "Value of spec.tls.verification.clientKey.inline in MeshExternalService \"partner\" of mesh \"shop\". If null, the stored value is kept."
  type        = string
  default     = null
  sensitive   = true
}
`},
		"binary secret": {`
type: Secret
mesh: shop
name: keystore
data: /u3+7QAAAAI=
`, `resource "kuma_secret" "keystore" {
  name        = "keystore"
  mesh        = "shop"
  data_base64 = var.secret_keystore
}

import {
  to = kuma_secret.keystore
  id = "shop/keystore"
}

variable "secret_keystore" {
  description = "Value of Secret \"keystore\" of mesh \"shop\" in base64. If null, the stored value is kept."
  type        = string
  default     = null
  sensitive   = true
}
`},
		"fields without an attribute, and a kind that is not described": {`
type: Mesh
name: shop
mtls:
  backends:
  - name: ca
    type: builtin
    conf:
      own: 1
---
type: TrafficRoute
mesh: shop
name: web
labels:
  kuma.io/mesh: shop
conf:
  destination:
    kuma.io/service: "*"
`, `
resource "kuma_manifest" "shop" {
  manifest = {
    type = "Mesh"
    name = "shop"
    mtls = {
      backends = [{
        type = "builtin"
        name = "ca"
        conf = {
          own = 1
        }
      }]
    }
  }
}

import {
  to = kuma_manifest.shop
  id = "Mesh/shop"
}

resource "kuma_manifest" "web" {
  manifest = {
    type = "TrafficRoute"
    mesh = kuma_manifest.shop.name
    name = "web"
    labels = {
      "kuma.io/mesh" = "shop"
    }
    conf = {
      destination = {
        "kuma.io/service" = "*"
      }
    }
  }
}

import {
  to = kuma_manifest.web
  id = "TrafficRoute/shop/web"
}
`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(strings.TrimPrefix(test.want, "\n"), file(t, test.yaml)); diff != "" {
				t.Errorf("configuration (-want +got):\n%s", diff)
			}
		})
	}
}

// TestChainOfReferences checks that the file of resources that each refer to the two
// before them is written in an instant.
func TestChainOfReferences(t *testing.T) {
	t.Parallel()
	const length = 36
	var docs strings.Builder
	for i := range length {
		fmt.Fprintf(&docs, "---\n{type: MeshHTTPRoute, mesh: shop, name: r-%02d, spec: {to: [{targetRef: {kind: MeshHTTPRoute, name: r-%02d}}, {targetRef: {kind: MeshHTTPRoute, name: r-%02d}}]}}\n", i, i-1, i-2)
	}
	started := time.Now()
	if references := strings.Count(file(t, docs.String()), ".name\n"); references != 2*length-3 {
		t.Errorf("%d references", references)
	}
	if took := time.Since(started); took > 5*time.Second {
		t.Errorf("written in %s", took)
	}
}
