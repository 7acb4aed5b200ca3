#!/usr/bin/env bash
# Builds the engine as an npm package in pkg/, for Node, browsers and bundlers: scripts/npm.sh [release|site]
# With "site", for the tests, it leaves out the optimisations that take long, and builds the package in one call with those of
# the site: alone it would get other features, and all that it needs would be compiled a second time.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/env.sh"
. "$project_root/scripts/versions.sh"
cd "$project_root"
profile=${1:-release}
# Where it may be empty, the list is written with +: bash 3.2, that of macOS, takes an empty one for an unset variable.
selection=()
[ "$profile" = release ] || selection=(--package lipscope-npm --package lipscope --package lipscope-workers)
rm -rf pkg
# wasm-pack takes the package that cargo compiles last for its own. So that this is the engine, the others are compiled first.
[ ${#selection[@]} -eq 0 ] ||
  cargo build --quiet --locked --lib --target wasm32-unknown-unknown --profile "$profile" "${selection[@]}"
# wasm-pack would download its own tools: it gets the installed ones, and wasm-opt runs here.
wasm-pack --quiet build --profile "$profile" --target web --mode no-install --no-opt --out-dir "$project_root/pkg" --out-name lipscope \
  crates/npm -- --locked ${selection[@]+"${selection[@]}"}
if [ "$profile" = release ]; then
  # shellcheck disable=SC2086
  wasm-opt -O3 $WASM_FEATURES -o pkg/optimised.wasm pkg/lipscope_bg.wasm
  mv pkg/optimised.wasm pkg/lipscope_bg.wasm
fi
node scripts/npm/assemble.mjs pkg
