#!/usr/bin/env bash
# Times what someone who works on Lipscope waits for, on this machine, and writes it into benches/README.md:
#   scripts/times.sh [serve] [serve-fresh] [test] [test-here] [test-empty] [test-fresh]     (default: serve test)
#   serve        `make serve` with an empty target until the page answers, then until a one-line change is on it
#   serve-fresh  the same with no crates and no tools installed either (they are downloaded and compiled again)
#   test         takes the parts of the last whole `make test` in this folder; it runs nothing
#   test-here    `make test` in this folder, with what this machine has: it may be fresh, or the target empty or warm
#   test-empty   `make test` with an empty target
#   test-fresh   `make test` with no crates and no tools installed either
# All but `test` and `test-here` work on the last commit, in a temporary clone with a target of its own.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/env.sh"
cd "$project_root"
times=${LIPSCOPE_RECORDS:-$project_root/docs/performance}/times.tsv
parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(serve test)

work=$(mktemp -d "${TMPDIR:-/tmp}/lipscope-times.XXXXXX")
# Where tests are run and the site is served.
clone=
stamp=()
load=
child=
end_child() {
  [ -z "$child" ] || kill -- "-$child" 2>/dev/null || true
  [ -z "$child" ] || wait "$child" 2>/dev/null || true
  child=
}
trap 'end_child; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# Puts a line into the table, in the place of an earlier one of the same name: its name, verdict, seconds, then date, commit and machine,
# and the load if others were at work.
keep() {
  mkdir -p "$(dirname "$times")"
  [ -e "$times" ] || printf 'what\tverdict\tseconds\tdate\tcommit\tmachine\tload\n' > "$times"
  awk -F '\t' -v what="$1" '$1 != what' "$times" > "$work/times.tsv"
  (IFS=$'\t'; printf '%s\n' "$*") >> "$work/times.tsv"
  cp "$work/times.tsv" "$times"
  say "times: $1: $2, $3 s"
}

# Keeps a line with today's date and the clone's commit.
stamped() { # name, verdict, seconds
  keep "$@" "${stamp[@]}" "$load"
}

new_clone() {
  load=$(busy)
  [ -z "$load" ] || say "times: the machine is busy (load $load): what is measured now is too long"
  clone=$work/clone
  rm -rf "$clone"
  git clone --quiet --shared "$project_root" "$clone"
  IFS=$'\t' read -r -a stamp < <(cd "$clone" && node benches/record.mjs stamp)
}

# Settings with which tools find nothing installed, as in an empty home folder. Rust itself, Node and the browser stay.
fresh=()
make_fresh() {
  local kind
  fresh=()
  for kind in CARGO_HOME XDG_CACHE_HOME PIP_CACHE_DIR npm_config_cache; do
    rm -rf "${work:?}/$kind"
    fresh+=("$kind=$work/$kind")
  done
}

# Waits until URL answers 200, with another text than the one in FILE if there is one, and puts the text there.
served() { # url, file, seconds at most
  node -e '
    const { existsSync, readFileSync, writeFileSync } = require("fs");
    const [url, file, limit, pid] = process.argv.slice(1);
    const before = existsSync(file) ? readFileSync(file, "utf8") : null;
    const end = Date.now() + 1000 * limit;
    (async () => {
      for (;;) {
        const text = await fetch(url).then((answer) => (answer.status === 200 ? answer.text() : null), () => null);
        if (text !== null && text !== before) return writeFileSync(file, text);
        if (Date.now() > end) throw new Error(`${url} did not change within ${limit} s`);
        try { process.kill(Number(pid), 0); } catch { throw new Error("make serve has ended"); }
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
    })().catch((error) => { console.error(`times: ${error.message}`); process.exit(1); });
  ' "$1" "$2" "$3" "$child"
}

# Serves the clone: its name in the table, and settings of the environment.
serve() {
  local name=$1 port started=$SECONDS verdict=ok
  shift
  port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')
  # A process group of its own, so that what it started can be ended with it.
  set -m
  env -u CARGO_TARGET_DIR -u DISPLAY -u WAYLAND_DISPLAY "$@" make -C "$clone" serve PORT="$port" > "$work/serve.log" 2>&1 &
  child=$!
  set +m
  rm -f "$work/page.html"
  served "http://127.0.0.1:$port/" "$work/page.html" 3600 || verdict=FAILED
  stamped "$name" $verdict $((SECONDS - started))
  [ $verdict = ok ] || { tail -n 20 "$work/serve.log" >&2; die "the site was not served."; }
}

# Changes one line of the page that is served.
change() {
  local started verdict=ok url
  url=$(grep -o 'http://127.0.0.1:[0-9]*/' "$work/serve.log" | tail -n 1)
  node -e '
    const { readFileSync, writeFileSync } = require("fs");
    const text = readFileSync(process.argv[1], "utf8");
    const changed = text.replace("class=\"page\"", "class=\"page timed\"");
    if (changed === text) { console.error("times: src/shell.rs has no class=\"page\" to change"); process.exit(1); }
    writeFileSync(process.argv[1], changed);
  ' "$clone/src/shell.rs"
  started=$SECONDS
  served "$url" "$work/page.html" 1800 || verdict=FAILED
  stamped "$1" $verdict $((SECONDS - started))
}

# `make test` in the clone: its name in the table, and settings of the environment.
run_tests() {
  local name=$1 started=$SECONDS verdict=ok
  shift
  env -u CARGO_TARGET_DIR "$@" make -C "$clone" test > "$work/test.log" 2>&1 || verdict=FAILED
  stamped "$name" $verdict $((SECONDS - started))
  tail -n 24 "$work/test.log"
}

# The parts of the last run of all of them, with the date and commit of that run.
last_tests() {
  local file=$target_dir/times/test.tsv run machine what verdict seconds date commit state total=0 all=ok load
  # The last part is python; a run with all parts began with check.
  run=$(awk -F '\t' '$1 == "check" { began[$4] = 1 } $1 == "python" && began[$4] { run = $4 } END { print run }' "$file" 2>/dev/null) || true
  if [ -z "$run" ]; then
    say "times: no whole run of make test is noted in $file"
    return
  fi
  machine=$(node benches/record.mjs stamp | cut -f 3)
  # Drops the lines of earlier runs, which may have other steps.
  [ ! -e "$times" ] || { awk '!/^test: /' "$times" > "$work/times.tsv" && cp "$work/times.tsv" "$times"; }
  while IFS=$'\t' read -r what verdict seconds date commit state load; do
    [ "$date" = "$run" ] || continue
    keep "test: $what" "$verdict" "$seconds" "${date%T*}" "$commit" "$machine" "$load"
    case $what in *" "*) continue ;; esac
    total=$((total + seconds))
    [ "$verdict" = ok ] || all=FAILED
  done < "$file"
  awk -F '\t' -v run="$run" '$4 == run { print $5 "\t" $6 "\t" $7; exit }' "$file" > "$work/run"
  IFS=$'\t' read -r commit state load < "$work/run"
  keep "test, $state target" $all $total "${run%T*}" "$commit" "$machine" "$load"
}

# `make test` in this folder, with its own target. A machine without crates and tools is as fresh as `make_fresh` makes it.
test_here() {
  local name="test, warm target" target_dir=$project_root/target clone=$project_root
  if [ ! -e "${CARGO_HOME:-$HOME/.cargo}/registry" ] && [ ! -e "$tools_bin" ]; then
    name="test, fresh machine"
  elif [ ! -e "$target_dir/debug" ]; then
    name="test, empty target"
  fi
  load=$(busy)
  IFS=$'\t' read -r -a stamp < <(node benches/record.mjs stamp)
  run_tests "$name"
}

for part in "${parts[@]}"; do
  case $part in
    serve | serve-fresh)
      new_clone
      if [ "$part" = serve ]; then
        serve "serve, empty target"
        change "serve, one-line change"
      else
        make_fresh
        serve "serve, fresh machine" "${fresh[@]}"
      fi
      end_child
      ;;
    test) last_tests ;;
    test-here) test_here ;;
    test-empty) new_clone; run_tests "test, empty target" ;;
    test-fresh) new_clone; make_fresh; run_tests "test, fresh machine" "${fresh[@]}" ;;
    *) die "there is no part \"$part\": serve, serve-fresh, test, test-here, test-empty, test-fresh" ;;
  esac
done
node benches/table.mjs
