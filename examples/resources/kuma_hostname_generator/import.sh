# The ID is the name.
terraform import kuma_hostname_generator.example shop-services
