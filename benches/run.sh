#!/usr/bin/env bash
# Measures, keeps the results in docs/performance/, and writes benches/README.md and docs/performance.md from all of them:
#   benches/run.sh [native] [torch] [variants] [cores] [bounds] [python] [browser] [slider] [growth] [drag] [workers] [first_view] [train]
#                  [sizes]     (default: all)
# A part that is not named keeps its earlier numbers, with their date and commit. `make bench` calls this through
# scripts/bench.sh, which finds the browser (CHROME) and the Python with torch and scipy (LIPSCOPE_PYTHON).
# For steady numbers, run nothing else at the same time. LIPSCOPE_BENCH_QUICK=1 takes the shortest settings, to see that
# everything works; set LIPSCOPE_RECORDS too, so that such numbers are kept elsewhere.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/../scripts/env.sh"
cd "$project_root"
data=$target_dir/bench-data
web=$target_dir/bench-web
mkdir -p "$data" "$web"
# The browser that people use, not the one without windows.
export CHROME_SHELL=
# Every library that could use more threads is limited to one.
export OMP_NUM_THREADS=1 MKL_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 RAYON_NUM_THREADS=1
parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(native torch variants cores bounds python browser slider growth drag workers first_view train sizes)
quick=${LIPSCOPE_BENCH_QUICK:-}

wants() { # any of the parts
  local part name
  for part in "${parts[@]}"; do
    for name in "$@"; do [ "$part" != "$name" ] || return 0; done
  done
  return 1
}
for part in "${parts[@]}"; do
  case $part in
    native | torch | variants | cores | bounds | python | browser | slider | growth | drag | workers | first_view | train | sizes) ;;
    *) die "there is no part \"$part\": native, torch, variants, cores, bounds, python, browser, slider, growth, drag, workers, first_view, train, sizes" ;;
  esac
done

# Everything is built before the first measurement.
if wants native torch cores; then
  say "benches: building the native one"
  cargo bench --locked --package lipscope-benches --bench measure --no-run
fi
if wants variants; then
  say "benches: building that of variants"
  cargo bench --locked --package lipscope-benches --bench variants --no-run
fi
if wants cores bounds python train; then
  say "benches: building the command line"
  cargo build --locked --release --package lipscope-cli
fi
if wants python; then
  say "benches: building the Python package"
  bash scripts/python.sh
  rm -rf "$target_dir/bench-python"
  "$LIPSCOPE_NUMPY" -m zipfile -e dist-python/*.whl "$target_dir/bench-python"
fi
if wants browser; then
  say "benches: building Chromium's"
  cargo build --locked --release --package lipscope-benches --example browser --target wasm32-unknown-unknown
  wasm-bindgen --target web --no-typescript --out-dir "$web" --out-name browser \
    "$target_dir/wasm32-unknown-unknown/release/examples/browser.wasm"
  # As scripts/modules.sh does with the site's workers.
  # shellcheck disable=SC2086
  wasm-opt -O3 --low-memory-unused $WASM_FEATURES -o "$web/optimised.wasm" "$web/browser_bg.wasm"
  mv "$web/optimised.wasm" "$web/browser_bg.wasm"
fi
# LIPSCOPE_DIST names a site that was built from this commit already.
if wants slider growth drag workers first_view train sizes && [ -z "${LIPSCOPE_DIST:-}" ]; then
  say "benches: building the site"
  bash scripts/build.sh release
fi

# A part's record tells how long it took.
begin() {
  LIPSCOPE_PART_BEGAN=$(date +%s)
  export LIPSCOPE_PART_BEGAN
  say "benches: $1"
}

if wants native; then
  begin "native (about 5 minutes)"
  # Results left by an earlier run would be taken for those of this run.
  rm -rf "$target_dir/criterion"
  LIPSCOPE_BENCH_DATA=$data cargo bench --locked --package lipscope-benches --bench measure -- \
    ${quick:+--warm-up-time 0.01 --measurement-time 0.01}
  node benches/native.mjs "$target_dir/criterion" "$data"
fi
if wants torch; then
  begin "PyTorch and ARPACK (about 3 minutes)"
  # PyTorch reads the inputs that the native bench writes.
  wants native ||
    LIPSCOPE_BENCH_DATA=$data cargo bench --locked --package lipscope-benches --bench measure -- --list >/dev/null
  "$LIPSCOPE_PYTHON" -W ignore benches/peer.py "$data" "$data/peer.json"
  node benches/record.mjs torch "$data/peer.json"
fi
if wants variants; then
  begin "attention of today's models, PyTorch and ARPACK beside it (about 8 minutes)"
  variants=$target_dir/bench-variants
  rm -rf "$target_dir"/criterion/variant-* "$variants"
  LIPSCOPE_BENCH_DATA=$variants cargo bench --locked --package lipscope-benches --bench variants -- \
    ${quick:+--warm-up-time 0.01 --measurement-time 0.01}
  "$LIPSCOPE_PYTHON" -W ignore benches/variants.py "$variants" "$data/variants.json"
  node benches/variants.mjs "$target_dir/criterion" "$variants" "$data/variants.json"
fi
if wants cores; then
  begin "all cores (about 11 minutes)"
  wants native torch ||
    LIPSCOPE_BENCH_DATA=$data cargo bench --locked --package lipscope-benches --bench measure -- --list >/dev/null
  # shellcheck disable=SC2086
  node benches/cores.mjs "$target_dir/release/lipscope" "$data" ${quick:+quick}
fi
if wants bounds; then
  begin "the bounds beside the norm"
  # shellcheck disable=SC2086
  node benches/bounds.mjs "$target_dir/release/lipscope" ${quick:+1}
fi
if wants python; then
  begin "a call from Python beside the command line"
  env -u RAYON_NUM_THREADS PYTHONPATH="$target_dir/bench-python" \
    "$LIPSCOPE_NUMPY" benches/python.py "$target_dir/release/lipscope" "$([ -n "$quick" ] && echo 1 || echo 7)" "$data/python.json"
  node benches/record.mjs python "$data/python.json"
fi
if wants browser; then
  begin "Chromium (about 3 minutes)"
  # shellcheck disable=SC2086
  node benches/browser.mjs "$web" ${quick:+products limit}
fi
for page in slider growth drag workers first_view; do
  wants "$page" || continue
  begin "the page, $page"
  # shellcheck disable=SC2086
  node "benches/$page.mjs" ${quick:+3}
done
if wants train; then
  begin "a step of training (about 2 minutes)"
  # shellcheck disable=SC2086
  node benches/train.mjs "$target_dir/release/lipscope" ${quick:+quick}
fi
if wants sizes; then
  begin "sizes"
  node scripts/sizes.mjs "${LIPSCOPE_DIST:-dist}" --named "$target_dir/modules/named.wasm" --json "$data/sizes.json" >/dev/null
  node benches/record.mjs sizes "$data/sizes.json"
fi

node benches/table.mjs
