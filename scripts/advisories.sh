#!/usr/bin/env bash
# Renews tests/advisories: the published advisories about every package of Cargo.lock, copied from a clone of
# https://github.com/rustsec/advisory-db, with a work tree or bare:
#   git clone --bare --depth 1 https://github.com/rustsec/advisory-db target/advisory-db
#   scripts/advisories.sh target/advisory-db
# All of Cargo.lock and not only what is built here: then the copy is the same on every machine.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/env.sh"
[ $# = 1 ] || die "usage: scripts/advisories.sh FOLDER, of a clone of https://github.com/rustsec/advisory-db"
database=$(cd -- "$1" && pwd) || die "there is no folder $1"
cd "$project_root"

commit=$(git -C "$database" rev-parse --verify HEAD) || die "$1 is no clone of a git repository"
day=$(git -C "$database" show -s --format=%cs HEAD)
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT

sed -n 's/^name = "\(.*\)"$/\1/p' Cargo.lock | LC_ALL=C sort -u > "$new/names"
git -C "$database" ls-tree -d --name-only HEAD crates/ | sed 's#^crates/##' | LC_ALL=C sort > "$new/known"
mapfile -t folders < <(LC_ALL=C comm -12 "$new/names" "$new/known" | sed 's#^#crates/#')
[ ${#folders[@]} -gt 0 ] || die "$1 has no advisory about any package of Cargo.lock: is it a clone of advisory-db?"

mkdir "$new/advisories"
git -C "$database" archive HEAD -- "${folders[@]}" | tar -x -C "$new/advisories"
# A withdrawn advisory no longer applies to its package.
{ grep -rlZE '^withdrawn *=' "$new/advisories/crates" || true; } | xargs -0r rm
find "$new/advisories/crates" -type d -empty -delete
{
  echo "# The packages of which advisories were looked up: those of Cargo.lock. Written by scripts/advisories.sh."
  echo "# Source: https://github.com/rustsec/advisory-db, commit $commit of $day."
  echo "# The advisories are in the public domain (CC0-1.0), but for those that name another licence and their author's page."
  cat "$new/names"
} > "$new/advisories/packages.txt"

rm -rf tests/advisories
cp -R "$new/advisories" tests/advisories
say "$(find tests/advisories -name 'RUSTSEC-*.md' | wc -l) advisories of $day: cargo test -p lipscope-dependencies says which of them apply"
