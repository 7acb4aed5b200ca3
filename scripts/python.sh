#!/usr/bin/env bash
# Builds the wheel of the Python package into dist-python/: scripts/python.sh [wheel [TARGET]|dev]
# With a TARGET, as for a release, the wheel is one that an index takes: on Linux it needs no newer C library than manylinux2014 or
# musllinux_1_2 promise, for which zig links it.
# With "dev", for the tests, it packs the library that the build of the native tests has made: maturin would compile nearly
# everything again, because this package built alone has other features. If there is a site in dist/, it goes into the wheel,
# for notebooks.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/env.sh"
cd "$project_root"
package=crates/python/python/lipscope
site=$package/site
rm -rf dist-python "$site"
if [ -e dist/index.html ]; then
  cp -R dist "$site"
  # The service worker keeps the page for one address, and each kernel of a notebook serves it at another one.
  rm -f "$site/sw.js"
else
  say "dist/ holds no site: the wheel is built without the page, and lipscope.explore will only link to it"
fi

# Packs what maturin would put into the wheel: the package, the library beside it, and the metadata.
pack_tests_wheel() {
  local library tree=$target_dir/wheel
  for library in "$target_dir"/debug/lib_lipscope.{so,dylib}; do [ ! -e "$library" ] || break; done
  [ -e "$library" ] || die "there is no $library. Build it: cargo build --lib --bins --tests"
  rm -rf "$tree"
  mkdir -p "$tree" dist-python
  cp -R "$package" "$tree/lipscope"
  find "$tree" -name __pycache__ -prune -exec rm -rf {} +
  cp "$library" "$tree/lipscope/_lipscope.abi3.so"
  (cd crates/python && maturin pep517 write-dist-info --metadata-directory "$tree" --compatibility linux >/dev/null)
  "$maturin_dir/bin/python" -m wheel pack --dest-dir dist-python "$tree" >/dev/null
}

if [ "${1:-wheel}" = dev ]; then
  pack_tests_wheel
else
  target=()
  case ${2:-} in
    '') ;;
    *-linux-gnu) target=(--target "$2" --zig --compatibility manylinux2014) ;;
    *-linux-musl) target=(--target "$2" --zig --compatibility musllinux_1_2) ;;
    *) target=(--target "$2") ;;
  esac
  # The form with + is for the bash 3.2 of macOS, which takes an empty list for an unset variable.
  maturin build --quiet --locked --manifest-path crates/python/Cargo.toml --out dist-python ${target[@]+"${target[@]}"}
fi
say "built $(echo dist-python/*.whl)"
