"""One page out of the pieces of a report: what it shows, and where lines of the source lead. The page is templates/site.html."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from rewarp import __version__
from rewarp.report import page
from rewarp.report.pieces import Piece, Results
from rewarp.targets import TARGETS
from rewarp.toolchain.demangle import demangled
from rewarp.workspace.identity import Identity

_VIEWS = {
    "scan": "scans",
    "port": "ports",
    "isolation": "certificates",
    "run": "runs",
    "parity": "parities",
    "bench": "benches",
    "bench-compare": "comparisons",
}
"""Which part of the page shows a kind; the rest is shown as it is."""
_LEVELS = ("static", "build", "machine", "run", "numbers", "isolation")


def render(results: Results, links: str = "auto") -> str:
    """The page. Data travels as JSON inside it; nothing is loaded from anywhere."""
    return page.fill("site.html", data(results, links))


def data(results: Results, links: str = "auto") -> dict[str, Any]:
    """Everything that the page shows."""
    states = _states(results.current)
    found: dict[str, Any] = {name: [] for name in (*_VIEWS.values(), "more")}
    for piece in results.current:
        shown = {
            "document": piece.document,
            "state": piece.identity.tree,
            "command": piece.command,
            "patch": piece.patch,
        }
        found[_VIEWS.get(piece.kind, "more")].append({**shown, "kind": piece.kind, "becomes": piece.becomes})
    rank = {name: place for place, name in enumerate(TARGETS)}
    for name in ("scans", "ports"):
        found[name].sort(key=lambda item: rank.get(item["document"].get("target"), len(rank)))
    found["more"] = [item for item in found["more"] if item["kind"] not in ("verify", "numbers")]
    newest = results.current[0] if results.current else None
    return {
        **found,
        "levels": sorted(_levels(results.current), key=lambda level: _LEVELS.index(level["level"])),
        "subject": _subject(results).tree,
        "name": os.path.basename(_subject(results).root) or "project",
        "rewarp": newest.rewarp if newest else __version__,
        "targets": {name: target.title for name, target in TARGETS.items()},
        "kernels": {name: demangled(name) for name in _kernels(results.current) if demangled(name) != name},
        "states": {
            tree: {"label": label, **_shown_identity(identity), "link": _link(identity, links)}
            for tree, (label, identity) in states.items()
        },
        "pieces": [_shown_piece(piece) for piece in results.current],
        "stale": [{**_shown_piece(piece), "why": why} for piece, why in results.stale],
        "unreadable": [{"file": file.name, "why": file.why} for file in results.unreadable],
    }


def _subject(results: Results) -> Identity:
    """The project itself: where it was before a port, if there is one."""
    pieces = results.current or [piece for piece, _ in results.stale]
    ports = [piece for piece in pieces if piece.kind == "port"]
    return (ports or pieces)[0].identity


def _states(pieces: Iterable[Piece]) -> dict[str, tuple[str, Identity | None]]:
    """The states of the project that the pieces are about, by hash: how each is called, and where it was seen."""
    states: dict[str, tuple[str, Identity | None]] = {}
    ports = [piece for piece in pieces if piece.becomes]
    for piece in pieces:
        tree = piece.identity.tree
        before = any(port.identity.tree == tree for port in ports)
        after = any(port.becomes == tree for port in ports)
        label = "as ported" if after and not before else "before the port" if before and not after else "as it is"
        states.setdefault(tree, (label, piece.identity))
    for port in ports:
        states.setdefault(str(port.becomes), ("as ported", None))
    return states


def _shown_identity(identity: Identity | None) -> dict[str, Any]:
    if identity is None:
        return {"commit": None, "clean": None, "remote": None}
    return {"commit": identity.commit, "clean": identity.clean, "remote": identity.remote}


def _shown_piece(piece: Piece) -> dict[str, Any]:
    return {
        "file": piece.file_name,
        "kind": piece.kind,
        "about": piece.about,
        "rewarp": piece.rewarp,
        "made": piece.made,
        "command": piece.command,
        "tree": piece.identity.tree,
        "commit": piece.identity.commit,
        "clean": piece.identity.clean,
    }


def _kernels(pieces: Iterable[Piece]) -> Iterator[str]:
    """The names of kernels that ran, as the machine has them."""
    for piece in pieces:
        ran = list(piece.document.get("runs") or ()) if piece.kind == "run" else []
        for level in (piece.document.get("levels") or ()) if piece.kind == "verify" else ():
            ran += (level.get("details") or {}).get("programs") or ()
        yield from (str(kernel["name"]) for run in ran for kernel in run.get("kernels") or ())


# --- evidence -------------------------------------------------------------------------------


def _levels(pieces: Iterable[Piece]) -> Iterator[dict[str, Any]]:
    """Every level of evidence that was gathered. What a port found by itself gives way to the same found by a command
    that was asked for it, and what nothing was checked of to whatever was checked; what contradicts stays side by side."""
    asked = [
        _level(level, piece, piece.identity.tree)
        for piece in pieces
        if piece.kind in ("verify", "numbers")
        for level in piece.document.get("levels") or [piece.document]
    ]
    by_ports = [
        _level(level, piece, str(piece.becomes))
        for piece in pieces
        if piece.kind == "port"
        for level in piece.document.get("verification") or ()
    ]
    checked = {(level["level"], level["state"]) for level in by_ports if not _unchecked(level)}
    for level in asked:
        if not (_unchecked(level) and (level["level"], level["state"]) in checked):
            yield level
    known = {(level["level"], level["state"]): level.get("outcome") for level in asked}
    for level in by_ports:
        other = known.get((level["level"], level["state"]))
        if other is None or level["outcome"] not in (other, "not checked"):
            yield level


def _unchecked(level: Mapping[str, Any]) -> bool:
    return level.get("outcome") == "not checked" and not any(
        count for outcome, count in level["counts"].items() if outcome != "not checked"
    )


def _level(level: Mapping[str, Any], piece: Piece, state: str) -> dict[str, Any]:
    name = level.get("level") if level.get("level") in _LEVELS else "numbers"
    checks = level.get("checks") or ()
    counts = level.get("counts") or Counter(check["outcome"] for check in checks)
    return {
        "provenance": {},
        **level,
        "counts": counts,
        "level": name,
        "by": piece.kind,
        "command": piece.command,
        "state": state,
    }


# --- links ----------------------------------------------------------------------------------


def _link(identity: Identity | None, links: str) -> str | None:
    """What the address of a file begins with; a commit's page only where the files are as the commit has them."""
    if identity is None or links == "none":
        return None
    host = (identity.remote or "").partition("://")[2].partition("/")[0]
    style = links if links != "auto" else next((name for name in ("github", "gitlab") if name in host), "file")
    if (
        style != "file"
        and identity.remote
        and identity.remote.startswith("https://")
        and identity.commit
        and identity.clean
    ):
        way = "/blob" if style == "github" else "/-/blob"
        return f"{identity.remote}{way}/{identity.commit}/{identity.prefix}"
    return Path(identity.root).as_uri() + "/" if os.path.isdir(identity.root) else None
