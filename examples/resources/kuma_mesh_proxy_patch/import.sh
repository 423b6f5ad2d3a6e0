# The ID is MESH/NAME.
terraform import kuma_mesh_proxy_patch.example shop/buffer-limit
