#!/usr/bin/env bash
# Packs the site into one archive that any static file server can serve: scripts/release.sh [SITE] [FOLDER]
# Builds the site first unless SITE is given. The archive is written to dist-release/, or to FOLDER.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/env.sh"
cd "$project_root"
site=${1:-}
folder=${2:-dist-release}
if [ -z "$site" ]; then
  bash scripts/build.sh
  site=dist
fi
[ -f "$site/index.html" ] || die "$site holds no site. Run: make build"

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
name=lipscope-$version
staging=$(mktemp -d)
trap 'rm -rf "$staging"' EXIT
mkdir -p "$folder" "$staging/$name"
cp -R "$site" "$staging/$name/site"
cp LICENSE "$staging/$name/LICENSE.txt"
sed "s/VERSION/$version/g" scripts/release/README-offline.txt > "$staging/$name/README-offline.txt"
# Files have the time of the last commit and are sorted by name, so that the same site gives the same archive.
python3 - "$staging" "$folder/$name.zip" "$(git log -1 --format=%ct 2>/dev/null || echo 315532800)" <<'PYTHON'
import pathlib, sys, time, zipfile

staging, archive, seconds = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
    for path in sorted(path for path in staging.rglob("*") if path.is_file()):
        info = zipfile.ZipInfo(path.relative_to(staging).as_posix(), time.gmtime(seconds)[:6])
        info.compress_type = zipfile.ZIP_DEFLATED
        info.external_attr = 0o644 << 16
        out.writestr(info, path.read_bytes())
PYTHON
say "$folder/$name.zip, $(($(wc -c < "$folder/$name.zip") / 1000)) KB"
