# The ID is MESH/NAME.
terraform import kuma_mesh_access_log.example shop/all
