# The ID is MESH/NAME.
terraform import kuma_mesh_metric.example shop/everything
