# The provider for the resources of a team, without access to secrets and tokens.
ephemeral "kuma_user_token" "team" {
  name      = "checkout-team"
  groups    = ["checkout"]
  valid_for = "30m"
}

provider "kuma" {
  alias    = "checkout"
  endpoint = "https://kuma.example.com:5682"
  token    = ephemeral.kuma_user_token.team.token
}
