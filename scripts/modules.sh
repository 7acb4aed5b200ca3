#!/usr/bin/env bash
# Builds the site's WebAssembly and puts it into a site that Trunk has begun: scripts/modules.sh SITE [release|site]
# The page is cut into modules for the first picture, for the rest (src/later.rs) and for the Chinese texts (src/main.rs), the
# engine's worker into the tasks of the first picture and the rest (crates/workers/src/bin/worker.rs). wasm-split-cli cuts by the
# linker's relocations, before wasm-bindgen runs, and Trunk has no hook between the two.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/env.sh"
cd "$project_root"
site=$1
profile=${2:-release}
built=$target_dir/wasm32-unknown-unknown
work=$target_dir/modules

# Relocations and the names of functions are needed to cut a module; wasm-bindgen and wasm-opt leave them out.
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

# Cuts a module: cut MODULE NAME FOLDER. The later modules find memory, table and stack under the linker's names.
cut() {
  wasm-split-cli "$1" "$work/cut-$2" --target web --out-name "$2" || return 1
  wasm-bindgen "$work/cut-$2/$2.wasm" --target web --no-typescript --keep-lld-exports --out-dir "$3" --out-name "$2" || return 1
  rm "$work/cut-$2/$2.wasm"
}

# The workers' modules are made at the same time as the page's: neither needs the other.
make_workers() {
  local worker
  cut "$workers_from/worker.wasm" worker "$work/workers" || return 1
  # Workers have no hash in the names of their files. wasm-split-cli's names are those of the page's files, too.
  mv "$work/cut-worker/split_rest.wasm" "$work/workers/worker_rest.wasm"
  sed 's#/split_rest\.wasm#/worker_rest.wasm#' "$work/cut-worker/__wasm_split.js" > "$work/workers/worker_split.js"
  sed 's#from "\./__wasm_split\.js"#from "./worker_split.js"#' "$work/workers/worker.js" > "$work/workers/worker.js.new"
  mv "$work/workers/worker.js.new" "$work/workers/worker.js"
  # worker.js imports the script between its modules; imported here too, it comes a round trip sooner.
  echo "import init from './worker.js'; import './worker_split.js'; await init();" > "$work/workers/worker_loader.js"
  for worker in model_worker train_worker; do
    wasm-bindgen "$workers_from/$worker.wasm" --target web --no-typescript --out-dir "$work/workers" --out-name "$worker" || return 1
    echo "import init from './$worker.js'; await init();" > "$work/workers/${worker}_loader.js"
  done
}
make_workers &
workers=$!

cut "$page" app "$work/page"
mv "$work"/cut-app/* "$work/page"
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
