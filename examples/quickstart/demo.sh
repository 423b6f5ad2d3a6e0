#!/usr/bin/env bash
# Runs the quickstart in a throw-away directory: plan, apply, the effective
# rules, the plan of a change; then the impact of a change on a mesh of twenty
# proxies, and the take-over of a mesh of forty resources. `make demo` calls it with
#   TERRAFORM     the terraform or tofu binary
#   PROVIDER_DIR  the directory of the built provider
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here"/*.tf "$work"
cd "$work"

# The provider as built, without a registry and without "init".
cat >cli.tfrc <<EOF
provider_installation {
  dev_overrides {
    "kuma-universal/kuma" = "$PROVIDER_DIR"
  }
  direct {}
}
EOF
export TF_CLI_CONFIG_FILE=$work/cli.tfrc CHECKPOINT_DISABLE=1 TF_IN_AUTOMATION=1

say() { printf '\n=== %s\n\n' "$*"; }
# What the CLI says about development overrides on every run is not the point here.
run() {
  "$TERRAFORM" "$@" -no-color >out 2>&1 || { cat out >&2; exit 1; }
  sed -e '/^Warning: Provider development overrides/,/^releases\.$/d' -e '/: Refreshing state\.\.\.\|: Reading\.\.\.\|: Read complete/d' out | cat -s
}
# Warnings are shown once, with the first plan.
quiet() { run "$@" | sed '/^Warning: /,$d'; }

say "Plan: seven policies and services, two proxies, and what they will get"
run plan -input=false -out=plan

say "Apply"
quiet apply -input=false plan | sed '/^Outputs:/,$d'
echo "Stored as files that kumactl can apply too:"
find mesh -name '*.yaml' | sort | sed 's/^/  /'

say "Effective timeouts, as the control plane will compute them"
run output -raw table
echo

say "A second plan is empty"
quiet plan -input=false -detailed-exitcode

say "Plan of a change: the frontend group waits 500ms instead of 1s (nothing is applied)"
run plan -input=false -var frontend_request_timeout=500ms | sed '/^Warning: MeshSubset/,$d'

say "Clean up"
run destroy -auto-approve | grep '^Destroy complete'

say "Impact of a change on a mesh of twenty proxies (nothing of it is applied)"
cp "$here"/../impact/*.tf .
rm effective.tf
quiet apply -input=false -auto-approve >applied
run plan -input=false -var payments_timeout=2s -out=change >planned
"$TERRAFORM" show -json change | sed -E 's/.*"summary":"(([^"\\]|\\.)*)".*/\1/; s/\\n/\n/g; s/\\"/"/g'
quiet destroy -auto-approve >destroyed

say "Take over a mesh of 40 resources that others made"
cp -r "$here"/../take-over/. takeover
cd takeover
quiet -chdir=apply apply -input=false -auto-approve >applied
quiet apply -input=false -auto-approve >listed
"$TERRAFORM" output -raw configuration >shop.tf
rm configuration.tf
echo "The first block of the configuration:"
sed -n '1,/^}$/p' shop.tf
echo
run plan -input=false | grep '^Plan:'
