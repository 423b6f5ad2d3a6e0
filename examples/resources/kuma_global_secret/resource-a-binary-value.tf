# A binary value, such as the content of a key store.

resource "kuma_global_secret" "keystore" {
  name   = "keystore"
  labels = { team = "platform" }

  data_base64 = "/u3+7QAAAAI="
}
