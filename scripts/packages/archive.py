"""Packs a folder: archive.py FOLDER ARCHIVE SECONDS

The archive is a .zip or a .tar.gz. Its files are sorted by name and have the time SECONDS, so that the same files give the same
archive. Beside it ARCHIVE.sha256 gets its digest, as `sha256sum --check` reads it.
"""

import gzip
import hashlib
import io
import os
import pathlib
import sys
import tarfile
import time
import zipfile

folder, archive, seconds = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
files = sorted((path.relative_to(folder).as_posix(), path) for path in folder.rglob("*") if path.is_file())


def mode(path):
    return 0o755 if os.access(path, os.X_OK) else 0o644


if archive.suffix == ".zip":
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
        for name, path in files:
            info = zipfile.ZipInfo(name, time.gmtime(seconds)[:6])
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = mode(path) << 16
            out.writestr(info, path.read_bytes())
else:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as out:
        for name, path in files:
            info = tarfile.TarInfo(name)
            info.size, info.mtime, info.mode = path.stat().st_size, seconds, mode(path)
            with path.open("rb") as file:
                out.addfile(info, file)
    archive.write_bytes(gzip.compress(packed.getvalue(), compresslevel=9, mtime=seconds))

digest = hashlib.sha256(archive.read_bytes()).hexdigest()
pathlib.Path(f"{archive}.sha256").write_bytes(f"{digest}  {archive.name}\n".encode())
