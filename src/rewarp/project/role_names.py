"""Roles that the names of files and folders tell; what a project itself says of them goes first (``roles``)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import Enum
from functools import lru_cache
from typing import NamedTuple


class Role(str, Enum):
    PACKAGE = "package"
    """What the project is: what it installs, builds or runs."""
    TESTS = "tests"
    EXAMPLES = "examples"
    BENCHMARKS = "benchmarks"
    DOCS = "docs"
    VENDORED = "vendored"
    """Third-party code kept in the project: vendored."""
    GENERATED = "generated"
    TOOLING = "tooling"
    """Continuous integration, images, scripts around the project."""
    DATA = "data"
    """Code that is kept to be read, as a corpus is: nothing imports, builds or installs it."""
    DEAD = "dead"
    """Nothing builds, imports or includes it."""


class RoleOf(NamedTuple):
    role: Role
    reason: str


def is_of_package(path: str, roles: Mapping[str, RoleOf]) -> bool:
    """Whether a file is a part of the package itself, as what has no role is."""
    return path not in roles or roles[path].role is Role.PACKAGE


_FOLDERS = (
    (Role.VENDORED, r"third[_-]?party|3rd[_-]?party|externals?|deps|dependencies|_?vendor(ed)?|submodules?|extern"),
    (Role.TESTS, r"([\w-]*[_-])?(unit[_-]?)?tests?|testing|tests?_\w+|unittests?|testsuite|fuzz"),
    (
        Role.EXAMPLES,
        r"([\w-]*[_-])?(examples?|samples|demos?|tutorials?|exercises?|pocs?|notebooks?|reproducers)|sample",
    ),
    (Role.BENCHMARKS, r"([\w-]*[_-])?(benchmarks?|benchs?|benches|benchmarking)"),
    (Role.DOCS, r"docs?|documentation|website"),
    (Role.DEAD, r"archived?|attic|_?graveyard|obsolete|backups?"),
    (
        Role.TOOLING,
        r"\.github|\.buildkite|\.circleci|\.gitlab|\.ci|ci|\.jenkins|\.azure[\w-]*|\.devcontainer|\.vscode|\.devops|docker"
        r"|dockerfiles?|scripts?|tools?",
    ),
)
_PROGRAMS = frozenset({"tool", "tools", "script", "scripts"})
"""Of code that is compiled these hold programs of the project as often as not."""
_CODE = r"\.(py|sh|bash|ipynb|cu|cuh|cpp|cc|cxx|c|h|hpp|hip|rs)"
_FILES = (
    (Role.TESTS, rf"tests?[_-].*{_CODE}|.*[_-]tests?{_CODE}|tests?{_CODE}|conftest\.py|tox\.ini|pytest\.ini"),
    (Role.BENCHMARKS, rf"(bench|benchmark)[_-].*{_CODE}|.*[_-](bench|benchmark){_CODE}|(bench|benchmark){_CODE}"),
    (Role.EXAMPLES, r"(example|demo|tutorial)s?[_.-].*|.*_(example|demo)\.\w+"),
    (Role.DOCS, r"readme.*|changelog.*|license.*|copying.*|.*\.(md|rst)|mkdocs\.yml|\.readthedocs\.ya?ml"),
    (
        Role.TOOLING,
        r"(.*[._-])?dockerfile.*|docker-compose.*|\.gitlab-ci\.ya?ml|\.pre-commit-config\.yaml|noxfile\.py|codecov\.yml"
        r"|requirements[_-](dev|test|lint|docs|ci|build).*",
    ),
)
C_FAMILY = (".cu", ".cuh", ".cpp", ".cc", ".cxx", ".c", ".h", ".hh", ".hpp", ".hxx", ".hip", ".inl", ".ipp", ".tpp")
_FLATTENED = re.compile(r"[^~]*\w(?:~|%2F)\w.*")
"""Names in which the path of another repository was written into one word: nothing can import them."""
_LEFT_OVER = re.compile(r".*(\.(bak|bkp|backup|orig|old|save)|~)", re.I)
_BY_FOLDER = [(role, re.compile(pattern, re.I)) for role, pattern in _FOLDERS]
_BY_FILE = [(role, re.compile(pattern, re.I)) for role, pattern in _FILES]
ASIDE = (Role.TESTS, Role.EXAMPLES, Role.BENCHMARKS, Role.DOCS, Role.VENDORED)
"""What surrounds a project without being a part of it."""


@lru_cache(maxsize=200_000)
def named_role(path: str) -> RoleOf | None:
    """The role that a path alone tells: of its outermost folder that has one, then of its own name."""
    return next(_named(path), None)


def _named(path: str) -> Iterator[RoleOf]:
    """Every role that a part of a path names, the outermost first."""
    *folders, name = path.split("/")
    # Below src/ lie a crate's modules, whatever they are called; some of them are tests.
    modules = folders.index("src") if name.endswith(".rs") and "src" in folders else len(folders)
    compiled = name.endswith((*C_FAMILY, ".rs"))
    if any(_FLATTENED.fullmatch(part) for part in (*folders, name)):
        yield RoleOf(Role.DATA, "its name holds the path of a file of some other repository")
    if _LEFT_OVER.fullmatch(name):  # wherever it lies: a test's Makefile.bkp is read by nobody either
        yield RoleOf(Role.DEAD, f"it is called {name}")
    for at, folder in enumerate(folders):
        for role, pattern in _BY_FOLDER:
            if pattern.fullmatch(folder) and not (compiled and folder.lower() in _PROGRAMS):
                if at < modules or role is Role.TESTS:
                    yield RoleOf(role, f"it lies in {folder}/")
    for role, pattern in _BY_FILE:
        if pattern.fullmatch(name):
            yield RoleOf(role, f"it is called {name}")


def is_among_programs(path: str) -> bool:
    """Whether a file lies in a folder of programs that people start: ``tools/train.py``; not among those that a service runs."""
    *folders, _ = path.lower().split("/")
    hidden = any(folder.startswith(".") or folder == "ci" for folder in folders)
    return not hidden and not _PROGRAMS.isdisjoint(folders) and {found.role for found in _named(path)} == {Role.TOOLING}


@lru_cache(maxsize=200_000)
def names_role(path: str, *roles: Role) -> bool:
    """Whether any part of a path names one of these roles."""
    return any(found.role in roles for found in _named(path))


def is_aside(path: str) -> bool:
    """Whether a name on the way to a file says that it is no part of the project itself."""
    return names_role(path, *ASIDE)
