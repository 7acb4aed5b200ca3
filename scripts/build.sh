#!/usr/bin/env bash
# Builds the static site into dist/. Trunk keeps the last good dist/ when a build fails: only the exit status tells.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/env.sh"
cd "$project_root"
# Trunk works offline, so what it needs is fetched before.
cargo fetch --quiet --locked --target wasm32-unknown-unknown
if ! trunk build "$@"; then
  die "the site was not built; dist/, if it is there, is an older one."
fi
node scripts/offline.mjs dist
node scripts/sizes.mjs dist
