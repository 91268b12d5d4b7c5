"""Modules that nothing imports unless the code has asked for something first."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewarp.api import scan
from rewarp.config import Config
from rewarp.findings import Severity
from rewarp.lang.python import PythonFile
from rewarp.project import conditional_imports
from rewarp.project.conditional_imports import conditionally_imported
from rewarp.project.role_names import Role, RoleOf
from rewarp.source import SourceFile
from rewarp.workspace import Folder

GATED = "if has_pycuda():\n    from .gl import Context\n"
HEAD = "import pycuda.driver\n"


def _asked(root: Path, files: dict[str, str]) -> frozenset[str]:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    tree = Folder(root)
    roles = {path: RoleOf(Role.TESTS if "tests/" in path else Role.PACKAGE, "") for path in tree.files()}
    return conditionally_imported(tree, roles, frozenset({"pycuda"}))


@pytest.mark.parametrize(
    "importer",
    [
        GATED,
        "try:\n    from .gl import Context\nexcept ImportError:\n    Context = None\n",
        "def context():\n    from .gl import Context\n    return Context()\n",
        "def context():\n    from p import gl\n    return gl.Context()\n",
        GATED + "try:\n    import p.gl\nexcept ImportError:\n    pass\n",
    ],
)
def test_a_module_behind_a_question(tmp_path: Path, importer: str) -> None:
    assert _asked(tmp_path, {"p/__init__.py": importer, "p/gl.py": HEAD}) == {"p/gl.py"}


@pytest.mark.parametrize(
    "files",
    [
        {"p/__init__.py": "from .gl import Context\n"},
        {"p/__init__.py": "from . import gl\n"},
        {"p/__init__.py": GATED, "p/other.py": "from p.gl import Context\n"},  # somebody runs other.py
        {"p/__init__.py": "", "run.py": "if __name__ == '__main__':\n    from p.gl import Context\n"},
        {"p/__init__.py": "", "run.py": "def main():\n    from p.gl import Context\n\n\nmain()\n"},
        {"p/__init__.py": ""},  # nobody imports it: it is run itself
        {"p/__init__.py": "", "tests/test_gl.py": "def test():\n    from p.gl import Context\n"},
    ],
)
def test_a_module_that_is_imported_as_it_is(tmp_path: Path, files: dict[str, str]) -> None:
    assert not _asked(tmp_path, {**files, "p/gl.py": HEAD})


def test_who_is_only_reached_through_such_a_module(tmp_path: Path) -> None:
    files = {
        "p/__init__.py": GATED,
        "p/gl.py": "from .deep.context import Context\n",
        "p/deep/__init__.py": "from .context import Context\n" + HEAD,
        "p/deep/context.py": HEAD + "from p import gl\n",
    }
    assert _asked(tmp_path, files) == {"p/deep/__init__.py", "p/deep/context.py"}
    (tmp_path / "p/main.py").write_text("from p.deep import context\n")
    assert not _asked(tmp_path, files)


def test_a_chain_without_end(tmp_path: Path) -> None:
    files = {f"p/m{n}.py": f"from .m{n + 1} import x\n" for n in range(400)}
    assert not _asked(tmp_path, {"p/__init__.py": "if x:\n    from .m0 import x\n", **files, "p/m400.py": HEAD})


def test_importers_are_parsed_once_and_only_until_one_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    parse = conditional_imports.python_file

    def counted(source: SourceFile) -> PythonFile:
        parsed.append(source.path)
        return parse(source)

    monkeypatch.setattr(conditional_imports, "python_file", counted)
    both = "from p import first, second\n"
    files = {"p/__init__.py": "", "p/a.py": both, "p/b.py": both, "p/first.py": HEAD, "p/second.py": HEAD}
    assert not _asked(tmp_path, files)
    assert parsed == ["p/a.py"]


def test_there_a_library_of_nvidias_only_informs(tmp_path: Path) -> None:
    files = {"p/__init__.py": GATED, "p/gl.py": HEAD, "p/main.py": HEAD}
    _asked(tmp_path, files)
    found = scan(tmp_path, config=Config(), use_cache=False, jobs=1).findings
    severities = {(finding.path, finding.severity) for finding in found if finding.rule == "LIB-009"}
    assert severities == {("p/gl.py", Severity.INFO), ("p/main.py", Severity.CRASH)}
