"""A program's run as a value, and as a file that travels to another machine: a zip with a manifest and hashes."""

from __future__ import annotations

import hashlib
import json
import platform
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import error as zlib_error

from rewarp import __version__
from rewarp.errors import UsageError
from rewarp.files import replacing
from rewarp.verify.run.process import Ran

SCHEMA = "rewarp.program-run/1"
_MANIFEST, _STDOUT = "manifest.json", "stdout"


@dataclass(frozen=True)
class ProgramRun:
    command: tuple[str, ...]
    code: int | None
    ending: str
    seconds: float
    stdout: bytes
    stderr_tail: str
    files: Mapping[str, bytes | None]
    """None: the run did not write it."""
    machine: str
    recorded_by: str

    @classmethod
    def of(cls, command: Sequence[str], ran: Ran, stdout: bytes, files: Mapping[str, bytes | None]) -> ProgramRun:
        machine = f"{platform.system()} {platform.machine()}"
        return cls(
            tuple(command),
            ran.code,
            ran.ending,
            round(ran.seconds, 3),
            stdout,
            ran.stderr.tail[-4000:],
            dict(files),
            machine,
            f"rewarp {__version__}",
        )

    @property
    def ended_well(self) -> bool:
        return self.code == 0

    @property
    def provenance(self) -> dict[str, Any]:
        return {"command": list(self.command), "machine": self.machine, "recorded_by": self.recorded_by}

    @property
    def figures(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "ending": self.ending,
            "seconds": self.seconds,
            "stdout_bytes": len(self.stdout),
            "files": {name: None if data is None else len(data) for name, data in self.files.items()},
            "stderr_tail": self.stderr_tail,
        }


def write(run: ProgramRun, file: Path) -> None:
    """Whole or not at all."""
    members = {_STDOUT: run.stdout, **{f"files/{name}": data for name, data in run.files.items() if data is not None}}
    manifest = {
        "schema": SCHEMA,
        **run.provenance,
        "code": run.code,
        "ending": run.ending,
        "seconds": run.seconds,
        "stderr_tail": run.stderr_tail,
        "files": list(run.files),
        "sha256": {name: hashlib.sha256(data).hexdigest() for name, data in members.items()},
    }
    with replacing(file) as stream, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_MANIFEST, json.dumps(manifest, indent=1))
        for name, data in members.items():
            archive.writestr(name, data)


def read(file: Path) -> ProgramRun:
    try:
        with zipfile.ZipFile(file) as archive:
            manifest = json.loads(archive.read(_MANIFEST))
            if manifest.get("schema") != SCHEMA:
                raise UsageError(f"{file}: not a recorded run ({SCHEMA})")
            members = {name: archive.read(name) for name in manifest["sha256"]}
        for name, digest in manifest["sha256"].items():
            if hashlib.sha256(members[name]).hexdigest() != digest:
                raise UsageError(f"{file}: {name} was changed since it was recorded")
        return ProgramRun(
            tuple(manifest["command"]),
            manifest["code"],
            manifest["ending"],
            manifest["seconds"],
            members[_STDOUT],
            manifest["stderr_tail"],
            {name: members.get(f"files/{name}") for name in manifest["files"]},
            manifest["machine"],
            manifest["recorded_by"],
        )
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from None
    except (zipfile.BadZipFile, KeyError, TypeError, ValueError, AttributeError, EOFError, zlib_error) as error:
        raise UsageError(f"{file}: not a recorded run, or a damaged one ({error})") from None
