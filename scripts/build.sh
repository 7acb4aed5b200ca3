#!/usr/bin/env bash
# Builds the static site into dist/. A failed build leaves the previous dist/ in place and exits with an error.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/env.sh"
cd "$project_root"
# Trunk runs offline, so its dependencies are fetched first.
cargo fetch --quiet --locked --target wasm32-unknown-unknown
# Trunk builds everything except the page's own WebAssembly, which it cannot split in two: scripts/split.sh does. It
# runs in a folder without a Cargo.toml, because Trunk would build that.
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
