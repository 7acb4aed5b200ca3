#!/usr/bin/env bash
# All benches in one run, one thread each: native (criterion), Chromium, PyTorch; then one table, into docs/performance.md.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
. "$here/../scripts/env.sh"
cd "$project_root"
out=$target_dir/bench
rm -rf "$out"
mkdir -p "$out/data" "$out/web"

echo "lipscope: == native"
LIPSCOPE_BENCH_DATA=$out/data RAYON_NUM_THREADS=1 cargo bench --locked --bench measure

echo "lipscope: == Chromium"
bash scripts/build.sh
cargo build --locked --release --no-default-features --bench browser --target wasm32-unknown-unknown
module=$(ls -t "$target_dir"/wasm32-unknown-unknown/release/deps/browser-*.wasm | head -n 1)
wasm-bindgen --target web --no-typescript --out-dir "$out/web" --out-name browser "$module"
# As Trunk does for the site.
wasm-opt -O2 --enable-simd --enable-bulk-memory --enable-mutable-globals --enable-multivalue \
  --enable-nontrapping-float-to-int --enable-reference-types --enable-sign-ext \
  "$out/web/browser_bg.wasm" -o "$out/web/optimised.wasm"
mv "$out/web/optimised.wasm" "$out/web/browser_bg.wasm"
node benches/browser.mjs "$out/web" "$out/browser.json"

echo "lipscope: == PyTorch"
OMP_NUM_THREADS=1 MKL_NUM_THREADS=1 "$LIPSCOPE_PYTHON" benches/peer.py "$out/data" "$out/peer.json"

node benches/table.mjs "$out" "$target_dir/criterion" docs/performance.md
