# Another directory than in main.tf, so that the test also works after an apply.
provider "kuma" {
  embedded {
    directory = "./.mesh"
    zone      = "zone-1"
  }
}

run "frontend_waits_10s_for_the_slow_endpoint" {
  command = plan

  assert {
    condition     = output.request_timeout == "10s"
    error_message = output.settings
  }
}
