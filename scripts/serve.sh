#!/usr/bin/env bash
# Builds the site, serves it, and rebuilds it after each change, at PORT and ADDRESS.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/env.sh"
cd "$project_root"
port=${PORT:-8080}
address=${ADDRESS:-127.0.0.1}

# Trunk opens the port only after the build, so this first tests whether the port is free.
node -e '
  const [port, host] = process.argv.slice(1);
  require("net").createServer()
    .once("error", (error) => { console.error(`lipscope: cannot listen on ${host}:${port} (${error.code}). Choose another port: make serve PORT=8081`); process.exit(1); })
    .listen({ port: Number(port), host }, function () { this.close(); });
' "$port" "$address" || exit 1

cargo fetch --quiet --locked --target wasm32-unknown-unknown
open=()
if [ "$(uname -s)" = Darwin ] || { [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] && command -v xdg-open >/dev/null; }; then
  open=(--open)
fi
bash scripts/trunk-source.sh
say "building, about four minutes the first time; then open http://$address:$port/"
exec trunk serve --release=false --cargo-profile site --address "$address" --port "$port" "${open[@]}"
