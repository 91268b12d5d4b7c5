"""What versions of HIP's headers say of one unit: names that older ones lack, and two versions side by side."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from rewarp.tables.cuda import first_versions
from rewarp.toolchain import Toolchain
from rewarp.toolchain.newer import numbers, with_newer_headers
from rewarp.verify.build.store import Result
from rewarp.verify.checks import Check, Outcome

_UNDECLARED = re.compile(r"(?:undeclared identifier|unknown type name) '(\w+)'")
_SINCE = (
    (re.compile(r"__(?:shfl(?:_up|_down|_xor)?|ballot|any|all|match_(?:any|all)|reduce_\w+)_sync"), "7.0"),
    (re.compile(r"__hip_fp8(?:x[24])?_e(?:4m3|5m2)"), "6.3"),
)
"""HIP's own names that are no twin of a name of CUDA's, or stood behind a macro before."""


def newer_of(compilers: Mapping[str, Toolchain]) -> dict[str, Toolchain]:
    """By architecture, the compilers that can also be had with newer headers."""
    each = ((arch, with_newer_headers(compiler)) for arch, compiler in compilers.items())
    return {arch: newer for arch, newer in each if newer}


def too_new(result: Result, why: str, compiler: Toolchain) -> str | None:
    """What is said where every error is about a name that is newer than the headers here, or a header that is not here."""
    messages = [refusal.message for refusal in result.refusals] or [why]
    # Where headers of two versions are mixed, the name may belong to one of the older.
    version = compiler.filled_from or compiler.hip_version
    said = [_newer(message, version) for message in messages if not message.endswith("file not found")]
    return said[0] if said and all(said) else None


def _newer(why: str, version: str | None) -> str | None:
    """What is said of a name of HIP's that the compiler's headers are too old for."""
    match = _UNDECLARED.search(why)
    since = _first_version(match[1]) if match else None
    if match is None or since is None or version is None or numbers(since) <= numbers(version):
        return None
    return f"{match[1]} is there since HIP {since}, and the headers here are those of HIP {version}"


def _first_version(name: str) -> str | None:
    return first_versions().get(name) or next((since for names, since in _SINCE if names.fullmatch(name)), None)


def settled(older: Check, newer: Check, compiler: Toolchain) -> Check:
    """The check with the older headers, where the newer say of what they lack that it compiles."""
    if older.outcome is not Outcome.NOT_CHECKED or newer.outcome is not Outcome.PASSED or "since HIP" not in older.why:
        return older
    why = f"{older.why}; with those of {compiler.hip_version} it compiles"
    return replace(older, outcome=Outcome.PASSED, why=why)
