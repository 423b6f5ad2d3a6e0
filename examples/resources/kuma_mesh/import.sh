# The ID is the name.
terraform import kuma_mesh.example shop
