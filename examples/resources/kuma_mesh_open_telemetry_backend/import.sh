# The ID is MESH/NAME.
terraform import kuma_mesh_open_telemetry_backend.example shop/collector
