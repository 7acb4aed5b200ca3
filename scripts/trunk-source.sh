#!/usr/bin/env bash
# Copies index.html, with which Trunk begins, two folders down. Beside Cargo.toml, Trunk would build the page's WebAssembly
# itself; scripts/modules.sh does that.
set -euo pipefail
cd "$(dirname -- "${BASH_SOURCE[0]}")/.."
mkdir -p target/site-source
sed -e 's#\(data-trunk.*href="\)#\1../../#' index.html > target/site-source/index.html.new
# Written only when it changed: Trunk watches it.
cmp -s target/site-source/index.html.new target/site-source/index.html || cp target/site-source/index.html.new target/site-source/index.html
