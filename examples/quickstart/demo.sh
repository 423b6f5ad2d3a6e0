#!/usr/bin/env bash
# Runs the quickstart in a temporary directory: apply, the plan of a change, the
# effective rules, and a second plan. Then shows the impact of a change on a mesh of twenty
# proxies, and imports a mesh of forty resources. `make demo` sets
#   TERRAFORM     the terraform or tofu binary
#   PROVIDER_DIR  the directory of the provider binary
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here"/*.tf "$work"
cd "$work"

# A filesystem mirror that contains the built provider, so that "init" does not need a registry.
cat >cli.tfrc <<EOF
provider_installation {
  filesystem_mirror {
    path = "$work/mirror"
  }
}
EOF
export TF_CLI_CONFIG_FILE=$work/cli.tfrc CHECKPOINT_DISABLE=1 TF_IN_AUTOMATION=1
mkdir mirror
platform=$("$TERRAFORM" version -json | sed -n 's/.*"platform": *"\([^"]*\)".*/\1/p')
for registry in registry.terraform.io registry.opentofu.org; do
  package=mirror/$registry/kuma-universal/kuma/0.1.0/$platform
  mkdir -p "$package"
  cp "$PROVIDER_DIR/terraform-provider-kuma" "$package/terraform-provider-kuma_v0.1.0"
done

say() { printf '\n=== %s\n\n' "$*"; }
# Runs Terraform and prints its output without the progress of reads.
run() {
  "$TERRAFORM" "$@" -no-color >out 2>&1 || { cat out >&2; exit 1; }
  sed -e '/: Refreshing state\.\.\.\|: Reading\.\.\.\|: Read complete/d' out | cat -s
}

say "Apply eight policies and services, and two proxies"
run init -input=false >init
run plan -input=false -out=plan | grep '^Plan:'
run apply -input=false plan | grep '^Apply complete'

say "Plan of a change: the frontend waits 500ms instead of 1s (nothing is applied)"
run plan -input=false -var frontend_request_timeout=500ms

say "Effective timeouts without the change, as the control plane will compute them"
run output -raw table
echo

say "A second plan is empty"
run plan -input=false -detailed-exitcode
echo "The resources are files that kumactl can apply too:"
find mesh -name '*.yaml' | sort | sed 's/^/  /'

say "Clean up"
run destroy -auto-approve | grep '^Destroy complete'

say "Impact of a change on a mesh of twenty proxies (nothing of it is applied)"
cp "$here"/../impact/*.tf .
rm effective.tf
run apply -input=false -auto-approve >applied
run plan -input=false -var payments_timeout=2s -out=change >planned
"$TERRAFORM" show -json change | sed -E 's/.*"summary":"(([^"\\]|\\.)*)".*/\1/; s/\\n/\n/g; s/\\"/"/g'
run destroy -auto-approve >destroyed

say "Import a mesh of 40 resources that were created without Terraform"
cp -r "$here"/../take-over/. takeover
cd takeover
run -chdir=apply init -input=false >init
run -chdir=apply apply -input=false -auto-approve >applied
run init -input=false >init
run apply -input=false -auto-approve >listed
"$TERRAFORM" output -raw configuration >shop.tf
rm configuration.tf
echo "The first block of the configuration:"
sed -n '1,/^}$/p' shop.tf
echo
run plan -input=false | grep '^Plan:'
