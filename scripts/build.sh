#!/usr/bin/env bash
# Builds the static site into dist/. A build that fails keeps the last good dist/: only the exit status tells.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/env.sh"
cd "$project_root"
# Trunk works offline, so what it needs is fetched before.
cargo fetch --quiet --locked --target wasm32-unknown-unknown
# Trunk builds all but the page's own modules, which it cannot cut in two: scripts/split.sh does. From a folder without a
# Cargo.toml, or Trunk would build that.
staging=target/pageless
mkdir -p "$staging"
sed -e '/data-bin="app"/d' -e 's#\(data-trunk.*href="\)#\1../../#' index.html > "$staging/index.html"
if ! trunk build --dist "$project_root/$staging/site" "$@" "$staging/index.html" ||
  ! bash scripts/split.sh "$staging/site" ||
  ! node scripts/styles.mjs "$staging/site" ||
  ! node scripts/offline.mjs "$staging/site"; then
  die "the site was not built; dist/, if it is there, is an older one."
fi
rm -rf dist
mv "$staging/site" dist
node scripts/sizes.mjs dist
