"""A new header in a new folder: who looks there was told of the folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from port_trees import plain

from rewarp.port.proving.evidence import certificate
from rewarp.port.tree import Tree
from rewarp.verify.isolation.file_verdict import IsolationVerdict

SOURCE = b"#include <cub/cub.cuh>\nint main() { return 0; }\n"


@pytest.mark.parametrize(
    ("path", "identical"),
    [
        ("hip_shim/cub/cub.cuh", True),
        ("cub/cub.cuh", False),
        ("old/hip_shim/cub/cub.cuh", True),
        ("old/cub/cub.cuh", False),
        ("include/cub/cub.cuh", False),
    ],
)
def test_a_folder_with_a_librarys_name(path: str, identical: bool, tmp_path: Path) -> None:
    tree = Tree(plain(tmp_path, {"k.cu": SOURCE, "old/x.h": b"int x;\n"}))
    (file,) = certificate(tree, tree.holding({path: b"#pragma once\n"})).files
    assert (file.verdict is IsolationVerdict.IDENTICAL) is identical
