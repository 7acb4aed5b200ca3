#!/usr/bin/env bash
# Runs the parts of the test suite that are named (all of them by default), goes on after a failure, and sums up at the end.
#   scripts/test.sh [check] [native] [wasm] [site] [e2e] [npm]
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/env.sh"
. "$project_root/scripts/versions.sh"
cd "$project_root"

wasm=(--target wasm32-unknown-unknown)

# A part is a list of commands; the first that fails ends it.
part_check() {
  check_versions &&
    cargo fmt --check &&
    cargo clippy --locked --workspace --all-targets -- -D warnings &&
    cargo clippy --locked --package lipscope-core --test pytorch -- -D warnings &&
    cargo clippy --locked "${wasm[@]}" --package lipscope --package lipscope-workers --package lipscope-npm \
      --features lipscope/split -- -D warnings &&
    RUSTDOCFLAGS="-D warnings" cargo doc --locked --quiet --workspace --no-deps
}

part_native() {
  find_numpy || die "there is no Python with numpy. Run: scripts/setup.sh numpy"
  local verdict=0
  rm -rf "$target_dir/ratios"
  native_tests || verdict=$?
  print_ratios
  return $verdict
}

native_tests() {
  if cargo nextest --version >/dev/null 2>&1; then
    cargo nextest run --locked --no-fail-fast
  else
    cargo test --locked --no-fail-fast --lib --bins --tests
  fi && cargo test --locked --doc
}

# How near the tests came to what they allow, the nearest first. Tests write these files (tests/kit/src/ratios.rs).
print_ratios() {
  [ -d "$target_dir/ratios" ] || return 0
  say "worst ratios: error to tolerance, or norm to bound; 1 is all that a test allows"
  cat "$target_dir"/ratios/*.tsv | sort -t "$(printf '\t')" -k 3,3gr |
    awk -F '\t' '{ printf "  %-9.3g %-24s %s\n", $3, $1, $2 }'
}

part_wasm() {
  mkdir -p "$target_dir"
  # webdriver.json at the root is for plain `cargo test`; this one names the browser that was found.
  node -e '
    const { readFileSync, writeFileSync } = require("fs");
    const capabilities = JSON.parse(readFileSync("webdriver.json", "utf8"));
    capabilities["goog:chromeOptions"].binary = process.env.CHROME;
    writeFileSync(process.argv[1], JSON.stringify(capabilities));
  ' "$target_dir/webdriver.json" &&
    WASM_BINDGEN_TEST_WEBDRIVER_JSON="$target_dir/webdriver.json" \
    WASM_BINDGEN_TEST_TIMEOUT="${WASM_BINDGEN_TEST_TIMEOUT:-600}" \
      cargo test --locked "${wasm[@]}" --profile site --package lipscope-web-tests --no-fail-fast --tests
}

site_built=
part_site() {
  site_built=failed
  bash scripts/build.sh site && site_built=yes
}

part_e2e() {
  if [ "$site_built" = failed ]; then
    echo "the site was not built: nothing to test in the browser" >&2
    return 1
  fi
  # The page's numbers are compared with those of the command line, and of the programs that it writes.
  find_numpy || die "there is no Python with numpy. Run: scripts/setup.sh numpy"
  cargo build --locked --package lipscope-cli &&
    (cd tests/e2e && LIPSCOPE_BIN="$target_dir/debug/lipscope" node --test --test-reporter=spec --test-concurrency=1)
}

part_npm() {
  bash scripts/npm.sh && node --test --test-reporter=spec tests/npm/
}

parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(check native wasm site e2e npm)

for part in "${parts[@]}"; do
  case $part in
    check | native | site | npm) ;;
    wasm | e2e) find_browser || die "no browser to be found. Run: scripts/setup.sh browser" ;;
    *) die "there is no part \"$part\": check, native, wasm, site, e2e, npm" ;;
  esac
done

summary=()
failed=0
for part in "${parts[@]}"; do
  say "== $part"
  started=$SECONDS
  if "part_$part"; then verdict=ok; else verdict=FAILED failed=$((failed + 1)); fi
  summary+=("$(printf '%-8s %-7s %5d s' "$part" "$verdict" $((SECONDS - started)))")
done

echo
printf '  %s\n' "${summary[@]}"
if [ $failed -gt 0 ]; then
  die "$failed of ${#parts[@]} parts failed"
fi
say "all ${#parts[@]} parts passed"
