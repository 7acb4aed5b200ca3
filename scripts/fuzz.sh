#!/usr/bin/env bash
# Reads random and broken input at every door (tests/fuzz) and writes the results into docs/reliability.md.
#   MINUTES=30 SEED= DOOR= PROCESSES=0 scripts/fuzz.sh
# Without a seed it takes one that no run in the table has, so that runs add up; with DOOR it takes seed 1.
# The build is optimised, but has debug assertions and overflow checks: they stop at faults that a release would not notice.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/env.sh"
cd "$project_root"

options=(--minutes "${MINUTES:-30}" --processes "${PROCESSES:-0}")
if [ -n "${SEED:-}" ]; then options+=(--seed "$SEED"); fi
# A run of one door writes no report: the table is about all doors.
if [ -n "${DOOR:-}" ]; then options+=(--door "$DOOR"); else options+=(--report docs/reliability.md); fi
exec cargo run --locked --quiet --profile fuzz --package lipscope-fuzz -- run "${options[@]}"
