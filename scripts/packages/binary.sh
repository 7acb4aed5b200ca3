#!/usr/bin/env bash
# Packs the command line for one platform, with man pages, completions and licence: scripts/packages/binary.sh [TARGET] [FOLDER]
# TARGET is this machine's own, or another one that it can run. The archive and its SHA-256 digest are written to dist-release/,
# or to FOLDER. With LIPSCOPE_GLIBC=2.17, cargo-zigbuild links a Linux program that needs no newer C library.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/../env.sh"
. "$project_root/scripts/versions.sh"
cd "$project_root"
target=${1:-$(rustc -vV | sed -n 's/^host: //p')}
folder=${2:-dist-release}

# The name of a target with a C library is only for zigbuild; the folder of the program has the name without it.
build=(build --target "$target")
[ -z "${LIPSCOPE_GLIBC:-}" ] || build=(zigbuild --target "$target.$LIPSCOPE_GLIBC")
cargo "${build[@]}" --quiet --locked --release --package lipscope-cli
suffix=
kind=tar.gz
case $target in *windows*) suffix=.exe kind=zip ;; esac
program=$target_dir/$target/release/lipscope$suffix

name=lipscope-$LIPSCOPE_VERSION-$target
staging=$(mktemp -d)
trap 'rm -rf "$staging"' EXIT
mkdir -p "$folder" "$staging/$name"
cp "$program" docs/command_line.md CHANGELOG.md "$staging/$name/"
cp LICENSE "$staging/$name/LICENSE.txt"
# The licence of the font that PDF files embed.
cp crates/cli/fonts/OFL.txt "$staging/$name/LICENSE-font.txt"
"$program" generate "$staging/$name"
"$program" --version
find_any_python || die "python3 is missing."
"$any_python" scripts/packages/archive.py "$staging" "$folder/$name.$kind" "$(commit_seconds)"
say "$folder/$name.$kind, $(($(wc -c < "$folder/$name.$kind") / 1000)) KB"
