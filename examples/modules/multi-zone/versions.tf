terraform {
  required_version = ">= 1.8"

  required_providers {
    kuma = {
      source  = "kuma-universal/kuma"
      version = ">= 0.1"
    }
  }
}
