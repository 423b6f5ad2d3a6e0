# Which proxies have acknowledged what was applied.
data "kuma_rollout" "shop" {
  mesh       = "shop"
  timeout    = "90s"
  depends_on = [kuma_mesh_timeout.checkout]
}

check "rollout" {
  assert {
    condition     = data.kuma_rollout.shop.complete
    error_message = data.kuma_rollout.shop.summary
  }
}
