#!/usr/bin/env bash
# Builds the engine as an npm package in pkg/, for Node, browsers and bundlers.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/env.sh"
. "$project_root/scripts/versions.sh"
cd "$project_root"
rm -rf pkg
# wasm-pack would download its own tools: it gets the installed ones, and wasm-opt runs here.
wasm-pack --quiet build --release --target web --mode no-install --no-opt --out-dir pkg --out-name lipscope \
  . -- --locked --no-default-features --features npm
# shellcheck disable=SC2086
wasm-opt -O3 $WASM_FEATURES -o pkg/optimised.wasm pkg/lipscope_bg.wasm
mv pkg/optimised.wasm pkg/lipscope_bg.wasm
node scripts/npm/assemble.mjs pkg
