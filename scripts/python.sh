#!/usr/bin/env bash
# Builds the wheel of the Python package into dist-python/: scripts/python.sh [wheel|dev]
# With "dev" as the tests have it: without the optimisations that take long. The site in dist/, where there is one, goes
# into the wheel, for notebooks.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/env.sh"
cd "$project_root"
site=crates/python/python/lipscope/site
rm -rf dist-python "$site"
if [ -e dist/index.html ]; then
  cp -R dist "$site"
  # The service worker keeps the page for an address, and that of a notebook's kernel is another one each time.
  rm -f "$site/sw.js"
else
  say "dist/ holds no site: the wheel is built without the page, and lipscope.explore will only link to it"
fi
maturin build --quiet --locked --manifest-path crates/python/Cargo.toml --profile "${1:-wheel}" --out dist-python
say "built $(echo dist-python/*.whl)"
