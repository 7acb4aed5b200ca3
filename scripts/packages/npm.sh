#!/usr/bin/env bash
# Packs the npm package and uses it as a stranger would: scripts/packages/npm.sh [FOLDER]
# Packs pkg/, which `make npm` builds, into FOLDER (dist-packages/), installs the tarball into a project of its own, and runs the
# example of its README there.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/../env.sh"
. "$project_root/scripts/versions.sh"
cd "$project_root"
folder=${1:-dist-packages}
[ -f pkg/package.json ] || die "pkg/ holds no package. Run: make npm"
mkdir -p "$folder"
rm -f "$folder"/lipscope-*.tgz
npm pack ./pkg --silent --pack-destination "$folder" >/dev/null
tarball=$(cd "$folder" && pwd)/lipscope-$LIPSCOPE_VERSION.tgz
[ -f "$tarball" ] || die "npm did not write $tarball"

project=$(mktemp -d)
trap 'rm -rf "$project"' EXIT
cd "$project"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --offline "$tarball" >/dev/null
for file in LICENSE README.md index.d.ts; do
  [ -s "node_modules/lipscope/$file" ] || die "the package lacks $file"
done
node "$project_root/scripts/packages/example.mjs" node_modules/lipscope/README.md js > example.mjs
node example.mjs
say "$tarball, $(($(wc -c < "$tarball") / 1000)) KB: installed, and the example of its README runs"
