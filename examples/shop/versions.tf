terraform {
  required_version = ">= 1.11" # write-only arguments

  required_providers {
    kuma = {
      source  = "kuma-universal/kuma"
      version = ">= 0.1"
    }
  }
}
