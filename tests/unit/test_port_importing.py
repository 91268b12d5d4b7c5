"""How a file of a project imports another one: as it is sure to find it, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from port_trees import plain

from rewarp.port.python.importing import Imports
from rewarp.port.tree import Tree
from rewarp.source import SourceFile
from rewarp.workspace.documents import python_file

PACKAGING = {"pyproject.toml": b"[project]\nname = 'pkg'\n"}


def spelled(root: Path, files: dict[str, bytes], importer: str, file: str) -> str | None:
    tree = Tree(plain(root, files))
    return Imports(tree).spelled(python_file(SourceFile(importer, files[importer])), file)


@pytest.mark.parametrize(
    ("files", "importer", "gate", "module"),
    [
        # Its own imports have dots, or it is a member of an installed package.
        ({"pkg/__init__.py": b"", "pkg/a.py": b"from .b import c\n"}, "pkg/a.py", "pkg/_rocm.py", "._rocm"),
        (
            {"pkg/__init__.py": b"", "pkg/sub/__init__.py": b"", "pkg/sub/a.py": b"from .b import c\n"},
            "pkg/sub/a.py",
            "pkg/_rocm.py",
            ".._rocm",
        ),
        ({**PACKAGING, "pkg/__init__.py": b"", "pkg/a.py": b"import torch\n"}, "pkg/a.py", "pkg/_rocm.py", "._rocm"),
        ({**PACKAGING, "src/pkg/__init__.py": b"", "src/pkg/a.py": b""}, "src/pkg/a.py", "src/pkg/_rocm.py", "._rocm"),
        # Its own imports name the package.
        (
            {"pkg/__init__.py": b"", "pkg/b.py": b"", "pkg/a.py": b"from pkg.b import c\n"},
            "pkg/a.py",
            "pkg/_rocm.py",
            "pkg._rocm",
        ),
        ({"pkg/__init__.py": b"", "pkg/b.py": b"", "train.py": b"import pkg.b\n"}, "train.py", "pkg/g.py", "pkg.g"),
        # Somebody imports it as a member.
        (
            {"pkg/__init__.py": b"", "pkg/a.py": b"import torch\n", "pkg/b.py": b"from .a import x\n"},
            "pkg/a.py",
            "pkg/_rocm.py",
            "._rocm",
        ),
    ],
)
def test_the_way_that_is_shown(tmp_path: Path, files: dict[str, bytes], importer: str, gate: str, module: str) -> None:
    assert spelled(tmp_path, files, importer, gate) == module


@pytest.mark.parametrize(
    ("files", "importer", "gate"),
    [
        # A folder that has the name of an installed package: `thunder` is not what is beside it.
        (
            {**PACKAGING, "extensions/thunder/__init__.py": b"", "extensions/thunder/a.py": b"import thunder\n"},
            "extensions/thunder/a.py",
            "extensions/thunder/_rocm.py",
        ),
        (
            {
                **PACKAGING,
                "extensions/thunder/__init__.py": b"",
                "extensions/thunder/core.py": b"",
                "extensions/run.py": b"from thunder import jit\n",
            },
            "extensions/run.py",
            "extensions/thunder/_rocm.py",
        ),
        # A script in a package: with dots it would not run, and nothing shows where absolute imports start.
        (
            {"pkg/__init__.py": b"", "pkg/a.py": b"if __name__ == '__main__':\n    pass\n"},
            "pkg/a.py",
            "pkg/_rocm.py",
        ),
        # Nothing shows that it is ever imported as a member.
        ({"pkg/__init__.py": b"", "pkg/a.py": b"import torch\n"}, "pkg/a.py", "pkg/_rocm.py"),
        # Dots do not lead out of a package.
        ({"pkg/__init__.py": b"", "pkg/a.py": b"from .b import c\n"}, "pkg/a.py", "other/_rocm.py"),
    ],
)
def test_no_way_where_none_is_sure(tmp_path: Path, files: dict[str, bytes], importer: str, gate: str) -> None:
    assert spelled(tmp_path, files, importer, gate) is None
