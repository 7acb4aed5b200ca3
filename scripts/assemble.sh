#!/usr/bin/env bash
# Trunk runs this when it has put the page, styles and assets together (Trunk.toml): adds the WebAssembly and the documents,
# takes comments out of styles and scripts, puts the opening view and the styles into index.html, and writes the list of files that
# makes the site work offline.
# Trunk names the profile in TRUNK_PROFILE, and the folder of the site in TRUNK_STAGING_DIR.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/env.sh"
cd "$project_root"
profile=$([ "$TRUNK_PROFILE" = release ] && echo release || echo site)
bash scripts/modules.sh "$TRUNK_STAGING_DIR" "$profile"
cargo run --quiet --locked --profile "$profile" --package lipscope-documents -- "$TRUNK_STAGING_DIR"
node scripts/lean.mjs "$TRUNK_STAGING_DIR"
node scripts/opening.mjs "$TRUNK_STAGING_DIR"
node scripts/offline.mjs "$TRUNK_STAGING_DIR"
