# Whether a provided authority expires within 30 days. The check also warns of one whose
# certificate is not known.
data "kuma_proxies" "authorities" {
  mesh = "shop"
}

check "authorities" {
  assert {
    condition = alltrue([
      for a in data.kuma_proxies.authorities.authorities :
      timecmp(coalesce(a.expires, plantimestamp()), timeadd(plantimestamp(), "720h")) > 0
    ])
    error_message = data.kuma_proxies.authorities.summary
  }
}
