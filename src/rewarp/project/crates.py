"""Whether a Rust crate builds for AMD already."""

from __future__ import annotations

import re

from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.toml import TomlFile

AMD_FEATURE = re.compile(r"(?i)(rocm|hip|amd|amdgpu)([_-].*)?")
_AMD_NAME = re.compile(rb"(?i)\b(rocm|hip|amdgpu)(_\w*)?\b|::(Rocm|ROCm|Hip)\b")


def has_amd_feature(document: TomlFile) -> bool:
    """Whether the crate already has a feature for AMD."""
    features = document.data.get("features")
    return isinstance(features, dict) and any(AMD_FEATURE.fullmatch(name) for name in features)


def speaks_of_amd(document: CodeFile) -> bool:
    """Whether code or strings of a Rust file name ROCm or HIP."""
    if _AMD_NAME.search(document.code):
        return True
    return any(AMD_FEATURE.fullmatch(literal.text) for literal in document.literals)
