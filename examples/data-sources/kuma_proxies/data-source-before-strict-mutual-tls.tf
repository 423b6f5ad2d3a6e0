# Whether the mode of mutual TLS can be STRICT now. The check warns while a proxy has no
# certificate, does not trust the certificates of all others, or has one that expires
# within six hours.
data "kuma_proxies" "mtls" {
  mesh           = "shop"
  expires_within = "6h"
}

check "certificates" {
  assert {
    condition     = data.kuma_proxies.mtls.certificates.ready
    error_message = data.kuma_proxies.mtls.summary
  }
  assert {
    condition     = data.kuma_proxies.mtls.certificates.expiring_count == 0
    error_message = data.kuma_proxies.mtls.summary
  }
}

output "plaintext_only" {
  value = data.kuma_proxies.mtls.certificates.without
}
