import {
  to = kuma_mesh_proxy_patch.example
  id = "shop/buffer-limit"
}
