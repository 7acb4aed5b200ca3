#!/usr/bin/env bash
# Reads random and broken input at every door (tests/fuzz) and writes what came of it into docs/reliability.md.
#   MINUTES=30 SEED=1 DOOR= PROCESSES=0 scripts/fuzz.sh
# The build is that of the tests: debug assertions and overflow checks see what a release computes on with.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/env.sh"
cd "$project_root"

options=(--minutes "${MINUTES:-30}" --seed "${SEED:-1}" --processes "${PROCESSES:-0}")
# One door alone is for looking at it: the table is about all of them.
if [ -n "${DOOR:-}" ]; then options+=(--door "$DOOR"); else options+=(--report docs/reliability.md); fi
exec cargo run --locked --quiet --package lipscope-fuzz -- run "${options[@]}"
