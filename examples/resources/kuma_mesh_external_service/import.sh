# The ID is MESH/NAME.
terraform import kuma_mesh_external_service.example shop/payments-api
