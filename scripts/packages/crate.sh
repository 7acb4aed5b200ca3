#!/usr/bin/env bash
# Packs lipscope-core and uses it as a stranger would: scripts/packages/crate.sh [FOLDER]
# Packs the crate as `cargo publish` would into FOLDER (dist-packages/), and runs the first example of its page in a crate
# outside the workspace that knows nothing but the packed file.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/../env.sh"
. "$project_root/scripts/versions.sh"
cd "$project_root"
folder=${1:-dist-packages}

name=lipscope-core-$LIPSCOPE_VERSION
# Cargo says of each test that it stays out of the package, which is meant. What --no-verify leaves out is done below.
cargo package --locked --quiet --allow-dirty --no-verify --package lipscope-core 2>&1 |
  { grep -v '^warning: ignoring test .* is not included in the published package$' || true; }
packed=$target_dir/package/$name.crate
[ -f "$packed" ] || die "cargo package wrote no $packed"
mkdir -p "$folder"
cp "$packed" "$folder/"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tar -xzf "$folder/$name.crate" -C "$scratch"
for file in LICENSE README.md examples/own_matrices.rs; do
  [ -s "$scratch/$name/$file" ] || die "the packed crate has no $file"
done
cmp LICENSE "$scratch/$name/LICENSE"

# With our lock file, so that it uses the versions that are tested here. It asks its dependencies for fewer features than all our
# crates together do, so they are compiled anew, and not optimised: the example takes a millisecond.
{
  printf '[package]\nname = "scratch"\nversion = "0.0.0"\nedition = "2024"\n\n'
  printf '[dependencies]\nlipscope-core = { path = "%s" }\n\n[profile.dev]\ndebug = false\n' "$name"
} > "$scratch/Cargo.toml"
cp Cargo.lock "$scratch/"

# The first block of code of the crate's page. A line that rustdoc hides begins with "# ".
mkdir "$scratch/src"
{
  echo 'fn main() -> Result<(), lipscope_core::InputError> {'
  awk '/^\/\/! ```/ { if (inside) exit; inside = 1; next } inside { sub(/^\/\/! ?/, ""); sub(/^# /, ""); print }' \
    "$scratch/$name/src/lib.rs"
  echo '}'
} > "$scratch/src/main.rs"

(cd "$scratch" && CARGO_TARGET_DIR=$target_dir/packages cargo run --quiet)
say "$folder/$name.crate, $(($(wc -c < "$folder/$name.crate") / 1000)) KB: a crate that depends on it runs the first example of its page"
