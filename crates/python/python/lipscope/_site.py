"""Serves the page's files to browsers on this machine."""

from __future__ import annotations

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

#: The folder of the page's files; a wheel without the page lacks it.
FOLDER = Path(__file__).parent / "site"

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript",
    ".css": "text/css",
    ".wasm": "application/wasm",
    ".svg": "image/svg+xml",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
}


class Site:
    """Serves the files of a folder at an address of this machine, as long as the process runs.

    Attributes
    ----------
    address : str
        ``http://127.0.0.1:PORT/``; no other machine reaches it.
    """

    def __init__(self, folder: Path = FOLDER) -> None:
        # Port 0: any that is free.
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Files, directory=str(folder)))
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}/"
        threading.Thread(target=self._server.serve_forever, name="lipscope site", daemon=True).start()

    def close(self) -> None:
        """Stops serving."""
        self._server.shutdown()
        self._server.server_close()


_shared: Site | None = None
_lock = threading.Lock()


def shared() -> Site | None:
    """The site of this process, started when it is first asked for; None where the package holds no page."""
    global _shared
    with _lock:
        if _shared is None and (FOLDER / "index.html").exists():
            _shared = Site()
        return _shared


class _Files(SimpleHTTPRequestHandler):
    extensions_map = {**SimpleHTTPRequestHandler.extensions_map, **_TYPES}
    protocol_version = "HTTP/1.1"

    def end_headers(self) -> None:
        # A later process may serve another build at this port.
        self.send_header("Cache-Control", "no-cache")
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def list_directory(self, path: Any) -> None:
        self.send_error(404)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Writes nothing: the lines of a server would clutter a notebook."""
