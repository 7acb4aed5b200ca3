#!/usr/bin/env bash
# Runs the benches: native, in Chromium, and PyTorch on the same inputs. See benches/run.sh for what it measures.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/env.sh"
cd "$project_root"
find_browser || die "no browser to be found. Run: scripts/setup.sh browser"
find_python || die "no Python with torch to be found. Run: scripts/setup.sh python"
# The scripts that users take away, against the engine.
cargo test --locked --quiet --package lipscope-core --test pytorch
exec bash benches/run.sh "$@"
