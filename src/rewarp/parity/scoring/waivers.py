"""Waivers: gaps accepted with a reason, until a day, and only as long as the code stays as it is.

```toml
[[waiver]]
unit = "trait method:BackendStorage::conv2d"
reason = "MIOpen has no 2D convolution for f64; nobody uses it"
owner = "ada@example.org"
expires = 2027-01-31
code = "3f1c9a0b2d4e5f60"
```
"""

from __future__ import annotations

import datetime
import hashlib
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rewarp.errors import UsageError
from rewarp.lang import parsers
from rewarp.parity.reading import sources
from rewarp.parity.scoring.scores import Judged
from rewarp.parity.units import Place, Side, Unit
from rewarp.workspace import Tree

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_TEXTS = ("unit", "reason", "owner", "code")
_LONGEST_BLOCK = 400
"""Lines of one place that count as the code of a unit."""


@dataclass(frozen=True)
class Waiver:
    """One gap, excused."""

    unit: str
    reason: str
    owner: str
    expires: datetime.date
    code: str
    """The fingerprint of the code that it excuses."""


@dataclass(frozen=True)
class Waivers:
    """Those that hold, and those that do not, with the reason."""

    held: tuple[Waiver, ...] = ()
    void: tuple[tuple[Waiver, str], ...] = ()

    @property
    def keys(self) -> frozenset[str]:
        return frozenset(waiver.unit for waiver in self.held)


def read(file: Path) -> list[Waiver]:
    """The waivers in a file."""
    try:
        return parse(str(file), file.read_bytes())
    except OSError as error:
        raise UsageError(f"cannot read the waivers {file}: {error.strerror}") from None


def parse(name: str, data: bytes) -> list[Waiver]:
    """Waivers, each of which must say everything: an excuse without an owner or an end is none."""
    try:
        found = parsers.toml(data.decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{name} is not TOML: {error}") from None
    entries = found.get("waiver", [])
    if not isinstance(entries, list) or set(found) - {"waiver"}:
        raise UsageError(f"{name}: waivers stand in [[waiver]] tables, and nothing else does")
    return [_waiver(f"{name}: waiver {number}", entry) for number, entry in enumerate(entries, 1)]


def _waiver(title: str, entry: Any) -> Waiver:
    known = {*_TEXTS, "expires"}
    if not isinstance(entry, dict) or set(entry) != known:
        raise UsageError(f"{title} must say {', '.join(sorted(known))}, and nothing else")
    for name in _TEXTS:
        if not isinstance(entry[name], str) or not entry[name].strip():
            raise UsageError(f"{title}: {name} must be a text that is not empty")
    expires = entry["expires"]
    if not isinstance(expires, datetime.date) or isinstance(expires, datetime.datetime):
        raise UsageError(f"{title}: expires must be a date, such as 2027-01-31 (no quotes)")
    return Waiver(entry["unit"], entry["reason"], entry["owner"], expires, entry["code"])


def check(waivers: Iterable[Waiver], gaps: Iterable[Judged], codes: Mapping[str, str], today: datetime.date) -> Waivers:
    """Which waivers hold: those of a gap that is still there, whose code is the same, before their last day is over."""
    by_key = {one.unit.key for one in gaps}
    held: dict[str, Waiver] = {}
    void: list[tuple[Waiver, str]] = []
    for waiver in waivers:
        if waiver.unit not in by_key:
            void.append((waiver, "there is no such gap (any more)"))
        elif waiver.expires < today:
            void.append((waiver, f"expired on {waiver.expires}"))
        elif waiver.code != codes.get(waiver.unit):
            void.append((waiver, f"the code it excuses has changed (now {codes.get(waiver.unit, 'unknown')})"))
        else:
            held[waiver.unit] = waiver
    return Waivers(tuple(held.values()), tuple(void))


# --- the code that is excused -----------------------------------------------------------------


def fingerprints(units: Iterable[Unit], tree: Tree) -> dict[str, str]:
    """By the key of a unit, a digest of the code that stands behind it on B's side, or on A's where B has none."""
    wanted = list(units)
    places = {place.path for unit in wanted for place in _excused(unit).evidence}
    contents, _ = sources.read(tree, sorted(places))
    lines = {path: data.decode("utf-8", "replace").splitlines() for path, data in contents.items()}
    return {unit.key: _fingerprint(unit, lines) for unit in wanted}


def _excused(unit: Unit) -> Side:
    return unit.b if unit.b.evidence else unit.a


def _fingerprint(unit: Unit, lines: Mapping[str, list[str]]) -> str:
    side = _excused(unit)
    dtypes = sorted((name, status.value) for name, status in unit.b.dtypes.items())
    digest = hashlib.sha256(repr((unit.key, unit.b.status.value, dtypes, sorted(unit.b.missing_kernels))).encode())
    for place in side.evidence:
        digest.update(f"\0{place.path}\0".encode("utf-8", "surrogateescape"))
        digest.update("\n".join(_block(lines.get(place.path, []), place)).encode("utf-8", "backslashreplace"))
    return digest.hexdigest()[:16]


def _block(lines: list[str], place: Place) -> list[str]:
    """The line of a place and what is indented below it, to the line that closes it; spaces at the ends do not count."""
    if not 1 <= place.line <= len(lines):
        return [place.text]
    first = lines[place.line - 1]
    depth = len(first) - len(first.lstrip())
    found = [first.strip()]
    for line in lines[place.line : place.line + _LONGEST_BLOCK]:
        text = line.strip()
        if text and len(line) - len(line.lstrip()) <= depth:
            # A bracket at the depth of the first line belongs to it; anything else is the next thing.
            if text[0] not in "}])":
                break
            found.append(text)
            if not text.endswith(("{", "(", "[")):
                break
        elif text:
            found.append(text)
    return found
