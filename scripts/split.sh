#!/usr/bin/env bash
# Builds the page's WebAssembly as two modules, one for the first view and one for the rest (src/app/later.rs), and puts
# them into a site that Trunk has built without them: scripts/split.sh SITE
# wasm-split-cli uses the linker's relocations, before wasm-bindgen runs, which Trunk does not support.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/env.sh"
cd "$project_root"
site=$1
work=$target_dir/split

# Splitting needs the name of every function; wasm-opt removes the names afterwards.
cargo rustc --locked --target wasm32-unknown-unknown --profile page --features split --bin app -- \
  -C strip=none -C link-arg=--emit-relocs
rm -rf "$work"
mkdir -p "$work"
wasm-split-cli "$target_dir/wasm32-unknown-unknown/page/app.wasm" "$work/cut" --target web --out-name app
# The second module imports memory, table and stack under the linker's names.
wasm-bindgen "$work/cut/app.wasm" --target web --no-typescript --keep-lld-exports --out-dir "$work" --out-name app
mv "$work/cut/__wasm_split.js" "$work"
rm "$work/cut/app.wasm"
mv "$work"/cut/*.wasm "$work"
for module in "$work"/*.wasm; do
  # shellcheck disable=SC2046
  wasm-opt -Os --strip-debug --strip-producers --strip-target-features $(wasm_opt_features) "$module" -o "$module"
done
node scripts/split.mjs "$work" "$site"
