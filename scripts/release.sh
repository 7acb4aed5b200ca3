#!/usr/bin/env bash
# Packs the site into one archive that any static file server can serve: scripts/release.sh [SITE] [FOLDER]
# Builds the site first unless SITE is given. The archive is written to dist-release/, or to FOLDER, with its digest beside it.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/env.sh"
. "$project_root/scripts/versions.sh"
cd "$project_root"
site=${1:-}
folder=${2:-dist-release}
if [ -z "$site" ]; then
  bash scripts/build.sh
  site=dist
fi
[ -f "$site/index.html" ] || die "$site holds no site. Run: make build"

name=lipscope-$LIPSCOPE_VERSION
staging=$(mktemp -d)
trap 'rm -rf "$staging"' EXIT
mkdir -p "$folder" "$staging/$name"
cp -R "$site" "$staging/$name/site"
cp LICENSE "$staging/$name/LICENSE.txt"
sed "s/VERSION/$LIPSCOPE_VERSION/g" scripts/release/README-offline.txt > "$staging/$name/README-offline.txt"
find_any_python || die "python3 is missing."
"$any_python" scripts/packages/archive.py "$staging" "$folder/$name.zip" "$(commit_seconds)"
say "$folder/$name.zip, $(($(wc -c < "$folder/$name.zip") / 1000)) KB"
