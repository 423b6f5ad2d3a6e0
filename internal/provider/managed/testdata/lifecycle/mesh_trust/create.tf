resource "kuma_mesh_trust" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "zone-east"

  spec {
    trust_domain = "shop.east.mesh.local"
    ca_bundles {
      type = "Pem"
      pem {
        value = <<-EOT
          -----BEGIN CERTIFICATE-----
          MIIBqTCCAU6gAwIBAgIUC3xfbK7ro9pUt1EHtSCGc+2ksqowCgYIKoZIzj0EAwIw
          FTETMBEGA1UEAwwKY2F0YWxvZy1jYTAeFw0yNjExMjAxOTAyMDlaFw0zNjExMTcx
          OTAyMDlaMBUxEzARBgNVBAMMCmNhdGFsb2ctY2EwWTATBgcqhkjOPQIBBggqhkjO
          PQMBBwNCAAQQTD5rTwnznM1wm4oPRY0IExLqcg8hGBDsJK5BQwyUz7cKhq4Qrxxt
          W4NRTlMyvKFEd0B4RqKw5PAatfNy7vBPo3wwejAdBgNVHQ4EFgQUalyWtXmafv0b
          6K2T2zeRwfuPvJwwHwYDVR0jBBgwFoAUalyWtXmafv0b6K2T2zeRwfuPvJwwDwYD
          VR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAQYwFwYDVR0RBBAwDoYMc3BpZmZl
          Oi8vY2F0MAoGCCqGSM49BAMCA0kAMEYCIQD+aoKeLZ3mYSwloPyye9CLx3rfuGQE
          f4/6DC2orTLdoQIhALpkbxH3KeAuwBzaykP5EXwsaJ7xbUhh1SRZ3T59g3O0
          -----END CERTIFICATE-----
        EOT
      }
    }
  }
}
