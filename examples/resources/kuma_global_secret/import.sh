# The ID is the name.
terraform import kuma_global_secret.example license
