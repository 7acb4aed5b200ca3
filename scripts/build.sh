#!/usr/bin/env bash
# Builds the static site into dist/: scripts/build.sh [release|site]
# With "site", as for `make serve` and the browser tests: the same files, without the optimisations that take long. A
# build that fails keeps the last good dist/; only the exit status shows the failure.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/env.sh"
cd "$project_root"
# Trunk runs offline, so its dependencies are fetched first.
cargo fetch --quiet --locked --target wasm32-unknown-unknown
bash scripts/trunk-source.sh
# The form with + is for the bash 3.2 of macOS, which takes an empty list for an unset variable.
how=()
[ "${1:-release}" = release ] || how=(--release=false --cargo-profile "$1")
trunk build ${how[@]+"${how[@]}"} || die "the site was not built; dist/, if it is there, is an older one."
# Only the release has goals for its sizes. Sizes over their goal are printed first.
[ ${#how[@]} -gt 0 ] || node scripts/sizes.mjs dist --named "$target_dir/modules/named.wasm"
