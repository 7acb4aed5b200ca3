#!/usr/bin/env bash
# Measures natively, in Chromium and with PyTorch, one after the other, and writes the table in docs/performance.md.
# `make bench` calls it through scripts/bench.sh, which finds the browser (CHROME) and the Python with torch
# (LIPSCOPE_PYTHON).
# For steady numbers, run nothing else at the same time.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/../scripts/env.sh"
cd "$project_root"
data=$target_dir/bench-data
web=$target_dir/bench-web
mkdir -p "$data" "$web"
# Every library that could use more threads is limited to one.
export OMP_NUM_THREADS=1 MKL_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 RAYON_NUM_THREADS=1

say "benches: native (about 2 minutes, and the build)"
LIPSCOPE_BENCH_DATA=$data cargo bench --locked --bench measure -- "$@"

say "benches: Chromium (about 3 minutes, and the build)"
module=$(cargo build --locked --release --no-default-features --bench browser --target wasm32-unknown-unknown --message-format=json |
  node -e '
    const lines = require("fs").readFileSync(0, "utf8").trim().split("\n").map(JSON.parse);
    const files = lines.filter((l) => l.target?.name === "browser").flatMap((l) => l.filenames ?? []);
    console.log(files.find((name) => name.endsWith(".wasm")));
  ')
wasm-bindgen --target web --no-typescript --out-dir "$web" --out-name browser "$module"
# As index.html tells Trunk to do with the worker.
# shellcheck disable=SC2086
wasm-opt -O3 $WASM_FEATURES -o "$web/optimised.wasm" "$web/browser_bg.wasm"
mv "$web/optimised.wasm" "$web/browser_bg.wasm"
bash scripts/build.sh
node benches/browser.mjs "$web" "$data/browser.json"

say "benches: PyTorch (about 1 minute)"
"$LIPSCOPE_PYTHON" -W ignore benches/peer.py "$data" "$data/peer.json"

node benches/table.mjs "$data" "$target_dir/criterion" docs/performance.md
