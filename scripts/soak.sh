#!/usr/bin/env bash
# Uses the built site for a long time (tests/e2e/soak.mjs) and writes the results into docs/reliability.md.
#   MINUTES=60 SEED=1 scripts/soak.sh
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/env.sh"
cd "$project_root"
find_browser || die "no browser to be found. Run: scripts/setup.sh browser"
[ -e dist/index.html ] || bash scripts/build.sh site
cargo build --locked --quiet --package lipscope-cli
LIPSCOPE_BIN="$target_dir/debug/lipscope" exec node tests/e2e/soak.mjs --minutes "${MINUTES:-60}" --seed "${SEED:-1}"
