"""Who asks for an extra, a dependency group or a cargo feature, by its name or with all the others."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rewarp.verify.isolation.roles import Role, role_of, says_amd
from rewarp.verify.isolation.tree import Trees

_ASIDE = (Role.DOCUMENTATION, Role.CI, Role.DEVELOPMENT, Role.C, Role.CMAKE)
_ALL_EXTRAS = re.compile(rb"--all-(?:extras|groups)\b|\ball-extras\b")
_ALL_FEATURES = re.compile(rb"--all-features\b|\ball-features\s*=\s*true")
_BUILDS_RUST = re.compile(rb"\b(?:cargo|maturin|rustflags|rustc-cfg|setuptools_rust|setuptools-rust)\b")
_EXTRAS = re.compile(rb"\bextras_require\b")
_READS_EXTRAS = re.compile(
    rb"optional[-_]dependencies|dependency[-_]groups|Provides[-_]Extra|provides_extra|options\.extras_require", re.I
)
"""A program that speaks of the tables themselves may install all that stands in them."""
_DECLARE = re.compile(r"(^|/)(pyproject\.toml|setup\.cfg|[\w.-]*\.lock)$")


def extra(name: str, trees: Trees, declared_in: str | None = None) -> str | None:
    """Who asks for an extra or group; ``declared_in`` names a file whose own tables were looked at already."""
    word = re.escape(name.encode())
    named = re.compile(
        rb"[\w.'\"/]\[(?:[\w.-]+,\s*)*" + word + rb"(?:,\s*[\w.-]+)*\]|--(?:extra|group|only-group)[ =]" + word + rb"\b"
    )
    for path, data in _texts(trees):
        if _ALL_EXTRAS.search(data):
            return f"{path} asks for all extras or groups"
        if _READS_EXTRAS.search(data) and not _DECLARE.search(path):
            return f"{path} reads which extras or groups there are, and may install them all"
        if (
            path != declared_in
            and named.search(data)
            and not (path.endswith(".py") and not re.search(rb"['\"][\w./-]*\[[^\]'\"]*" + word, data))
        ):
            return f"{path} asks for {name}"
    return None


def extras_elsewhere(trees: Trees) -> str | None:
    """Who declares extras outside pyproject.toml; a table there takes their place."""
    found = (path for path, data in _texts(trees) if path.endswith(("setup.py", "setup.cfg")) and _EXTRAS.search(data))
    return next(found, None)


def feature(name: str, trees: Trees) -> str | None:
    """Who builds with a feature of cargo; the manifests themselves are looked at elsewhere."""
    word = re.compile(rb"(?<![\w-])" + re.escape(name.encode()) + rb"(?![\w-])")
    for path, data in _texts(trees):
        if path.endswith("Cargo.toml"):
            continue
        if _ALL_FEATURES.search(data):
            return f"{path} asks for all features"
        code = b"\n".join(line for line in data.splitlines() if not line.lstrip().startswith((b"#", b"//")))
        if b"feature" in code and _BUILDS_RUST.search(code) and word.search(code):
            return f"{path} builds with features, and speaks of {name}"
    return None


def _texts(trees: Trees) -> Iterator[tuple[str, bytes]]:
    for path in trees.paths("before"):
        if role_of(path) not in _ASIDE and not says_amd(path) and (data := trees.text(path, "before")):
            yield path, data
