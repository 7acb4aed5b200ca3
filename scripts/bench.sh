#!/usr/bin/env bash
# Runs the benches: native, in Chromium, and PyTorch on the same inputs: scripts/bench.sh [PART...]
# See benches/run.sh for the parts and for what each measures.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/env.sh"
cd "$project_root"
find_browser || die "no browser to be found. Run: scripts/setup.sh browser"
# Only these parts need PyTorch and SciPy.
case " ${*:-torch} " in
  *" torch "* | *" variants "* | *" cores "* | *" python "*) find_python || die "no Python with torch and scipy to be found. Run: scripts/setup.sh python" ;;
esac
find_numpy || die "no Python with numpy and matplotlib to be found. Run: scripts/setup.sh numpy"
# Before PyTorch is measured: the programs that users export must find the engine's norms with this PyTorch.
case " ${*:-torch} " in
  *" torch "*) cargo test --locked --quiet --package lipscope-core --test pytorch ;;
esac
exec bash benches/run.sh "$@"
