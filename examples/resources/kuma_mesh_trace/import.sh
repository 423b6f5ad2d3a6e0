# The ID is MESH/NAME.
terraform import kuma_mesh_trace.example shop/everything
