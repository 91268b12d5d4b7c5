"""The crate that stands for cudarc on AMD: HIP, rocBLAS, rocRAND and hiprtc in its shape, put into the workspace."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path

from rewarp import runtime
from rewarp.port.changes import Change, PhaseResult, PortPhase
from rewarp.port.rust.manifests import LAYER, versions_asked
from rewarp.port.tree import Tree

_WHY = "HIP and its libraries in the shape of cudarc, loaded at run time; only the feature rocm brings it in."


_OPTIONAL = {"f16": "half", "f8": "float8"}
"""The features of the layer that bring in another crate."""
_KNOWN = """
[lints.rust]
unexpected_cfgs = { level = "warn", check-cfg = ['cfg(feature, values("f16", "f8"))'] }
"""


_ATTENTION = "attention"
"""The module of the layer that crates need which call FlashAttention's library."""


def add(tree: Tree, asked: Collection[str], attention: bool, result: PhaseResult) -> None:
    """``asked``: the features of cudarc that the workspace asks for; ``attention``: whether it needs that module."""
    if f"{LAYER}/Cargo.toml" in tree:
        return
    folder = Path(runtime.__file__).parent
    for file in sorted((folder / LAYER).rglob("*")):
        if file.suffix in (".rs", ".toml") and (attention or file.stem != _ATTENTION):
            path = file.relative_to(folder).as_posix()
            data = file.read_bytes()
            if file.name == "Cargo.toml":
                data = _manifest(data.decode(), asked, versions_asked(tree, _OPTIONAL.values())).encode()
            elif file.name == "lib.rs" and not attention:
                data = data.replace(f"pub mod {_ATTENTION};\n".encode(), b"")
            result.changes.append(Change(path, data, PortPhase.LIBRARIES, _WHY))


def _manifest(text: str, asked: Collection[str], versions: Mapping[str, str]) -> str:
    """The layer's manifest without the crates that nobody asks for: the workspace may have to build without a network. The others
    are of the workspace's own versions, so that their types are its types."""
    unasked = [feature for feature in _OPTIONAL if feature not in asked]
    names = (*unasked, *(_OPTIONAL[feature] for feature in unasked))
    lines = [line for line in text.splitlines() if not line.startswith(tuple(f"{name} = " for name in names))]
    if len(unasked) == len(_OPTIONAL):
        lines = [line for line in lines if line != "[dependencies]"]
    lines = [_at_version(line, versions) for line in lines]
    return "\n".join(lines).rstrip() + "\n" + (_KNOWN if unasked else "")


def _at_version(line: str, versions: Mapping[str, str]) -> str:
    version = versions.get(line.partition(" = {")[0])
    return re.sub(r'version = "[^"]*"', f'version = "{version}"', line) if version else line
