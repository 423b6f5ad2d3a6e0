#!/usr/bin/env bash
# Runs the quickstart in a throw-away directory: plan, apply, the effective
# rules, the plan of a change. `make demo` calls it with
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
color=-no-color
[ -t 1 ] && color=

say() { printf '\n=== %s\n\n' "$*"; }
# What the CLI says about development overrides on every run is not the point here.
run() { "$TERRAFORM" "$@" $color 2>stderr || { cat stderr >&2; exit 1; }; }
quiet() { run "$@" | sed '/^╷/,/^╵/d'; }

say "Plan: seven policies and services, two proxies, and what they will get"
quiet plan -input=false -out=plan

say "Apply"
quiet apply -input=false plan >applied
sed '/^Outputs:/,$d' applied | tail -n 4
echo "Stored as files that kumactl can apply too:"
find mesh -name '*.yaml' | sort | sed 's/^/  /'

say "Effective timeouts, as the control plane will compute them"
run output -raw table
echo

say "A second plan is empty"
quiet plan -input=false -detailed-exitcode

say "Plan of a change: the frontend group waits 500ms instead of 1s (nothing is applied)"
run plan -input=false -var frontend_request_timeout=500ms

say "Clean up"
quiet destroy -auto-approve -var frontend_request_timeout=1s | tail -n 2
