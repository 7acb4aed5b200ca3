#!/usr/bin/env bash
# Builds the site's WebAssembly and puts it into a site that Trunk has begun: scripts/modules.sh SITE [release|site]
# The page is cut into modules for the first picture, for the rest (src/later.rs) and for the Chinese texts (src/main.rs).
# wasm-split-cli cuts it by the linker's relocations, before wasm-bindgen runs, and Trunk has no hook between the two.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/env.sh"
cd "$project_root"
site=$1
profile=${2:-release}
built=$target_dir/wasm32-unknown-unknown
work=$target_dir/modules

# Relocations and the names of functions are needed to cut the page; wasm-bindgen and wasm-opt leave them out.
build=(cargo build --locked --target wasm32-unknown-unknown --bins)
if [ "$profile" = release ]; then
  "${build[@]}" --profile page --package lipscope
  "${build[@]}" --profile workers --package lipscope-workers
  page=$built/page/app.wasm
  workers_from=$built/workers
else
  # One call, so that what the page and its workers share is compiled once.
  "${build[@]}" --profile "$profile" --package lipscope --package lipscope-workers
  page=$built/$profile/app.wasm
  workers_from=$built/$profile
fi
rm -rf "$work"
mkdir -p "$work/page" "$work/workers"

# The workers' modules are made at the same time as the page's: neither needs the other.
bind_workers() {
  local worker
  for worker in worker model_worker train_worker; do
    wasm-bindgen "$workers_from/$worker.wasm" --target web --no-typescript --out-dir "$work/workers" --out-name "$worker" || return 1
    echo "import init from './$worker.js'; await init();" > "$work/workers/${worker}_loader.js"
  done
}
bind_workers &
workers=$!

wasm-split-cli "$page" "$work/cut" --target web --out-name app
# The later module finds memory, table and stack under the linker's names.
wasm-bindgen "$work/cut/app.wasm" --target web --no-typescript --keep-lld-exports --out-dir "$work/page" --out-name app
mv "$work/cut/__wasm_split.js" "$work/page"
rm "$work/cut/app.wasm"
mv "$work"/cut/*.wasm "$work/page"
wait "$workers"

if [ "$profile" = release ]; then
  # The first module with the names of its functions: scripts/sizes.mjs lists its crates by them.
  # shellcheck disable=SC2086
  wasm-opt -Os -g $WASM_FEATURES "$work/page/app_bg.wasm" -o "$work/named.wasm"
  # The page by size, the numerics by speed. --low-memory-unused folds additions into loads: right unless something lies in the first
  # KiB of memory, and that is the end of the stack, where a program is about to overflow anyway.
  for module in "$work"/page/*.wasm "$work"/workers/*.wasm; do
    case $module in */page/*) level=(-Os) ;; *) level=(-O3 --low-memory-unused) ;; esac
    # shellcheck disable=SC2086
    wasm-opt "${level[@]}" --strip-debug --strip-producers --strip-target-features $WASM_FEATURES "$module" -o "$module"
  done
fi
cp "$work"/workers/*.js "$work"/workers/*.wasm "$site"
node scripts/split.mjs "$work/page" "$site"
