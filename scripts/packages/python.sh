#!/usr/bin/env bash
# Checks the wheel and the source distribution of the Python package as a stranger would use them:
#   scripts/packages/python.sh [FOLDER]
# FOLDER (dist-packages/) gets both. The wheel is that of dist-python/, which `make python` builds.
#   - twine reads the description of both as the index will.
#   - The wheel is installed where there is no Rust, and the source distribution where there is, each into an environment of its
#     own, and the example of the README runs there.
# The source distribution is compiled from nothing, which takes most of the time.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/../env.sh"
. "$project_root/scripts/versions.sh"
cd "$project_root"
folder=${1:-dist-packages}
wheels=(dist-python/lipscope-"$LIPSCOPE_VERSION"-*.whl)
[ -f "${wheels[0]}" ] || die "dist-python/ holds no wheel. Run: make python"
mkdir -p "$folder"
rm -f "$folder"/lipscope-*.whl "$folder"/lipscope-*.tar.gz
cp "${wheels[0]}" "$folder/"
maturin sdist --manifest-path crates/python/Cargo.toml --out "$folder" >/dev/null
wheel=$folder/${wheels[0]##*/}
source=$folder/lipscope-$LIPSCOPE_VERSION.tar.gz

"$packaging_dir/bin/twine" check --strict "$wheel" "$source"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
node scripts/packages/example.mjs crates/python/README.md python > "$scratch/example.py"

# Installs a package into an environment of its own and runs the example there.
use() { # package, the folders of programs
  local package=$1 path=$2 home=$scratch/${1##*.}
  python3 -m venv "$home"
  (
    package=$(cd "${package%/*}" && pwd)/${package##*/}
    cd "$scratch"
    unset CARGO_TARGET_DIR PYTHONPATH
    export PATH=$home/bin:$path
    pip install --quiet --disable-pip-version-check "$package" </dev/null
    python example.py
  )
}

without_rust=/usr/bin:/bin
if PATH=$without_rust command -v cargo >/dev/null; then
  die "there is a cargo in $without_rust: nothing here shows that the wheel needs none"
fi
use "$wheel" "$without_rust"
say "$wheel, $(($(wc -c < "$wheel") / 1000)) KB: installed without Rust, and the example runs"
use "$source" "$PATH"
say "$source, $(($(wc -c < "$source") / 1000)) KB: built, and the example runs"
