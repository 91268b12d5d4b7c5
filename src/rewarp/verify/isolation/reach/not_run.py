"""Files that are changed and that no NVIDIA user runs: tests that nothing else takes in, images and lists for AMD."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator

from rewarp.project.sides import is_for_amd
from rewarp.verify.isolation.context import Context
from rewarp.verify.isolation.file_verdict import Side
from rewarp.verify.isolation.reach.collecting import takes
from rewarp.verify.isolation.reach.images import starts_from_amd
from rewarp.verify.isolation.reach.package_lists import is_list_for_amd
from rewarp.verify.isolation.roles import Role, is_build_file, role_of

_TESTS = re.compile(r"(?:python/|src/)?(?:tests?|unit_?tests)/")
_AMONG_DOCUMENTS = re.compile(r"docs?/")
_IMPORTS_TESTS = re.compile(rb"^[ \t]*(?:from|import)[ \t]+(?:tests?|unit_?tests)\b", re.M)
_AMONG_TESTS = re.compile(r"(?:^|/)(?:unit_?)?tests?/")
_COLLECTED = re.compile(r"test_\w+|\w+_test")
"""What pytest and unittest look for: a file that says of itself that it is a test."""
_RUNS_TESTS = re.compile(r"(?i)pytest|unittest|\b(?:tox|nox|ctest)\b")
_COMMENT = re.compile(r"\s*(?:#|//)")
_READ_BY_LIT = (".mlir", ".ll")
_STEM = re.compile(r"\w{6,}", re.A)
_QUIET = (Role.DOCUMENTATION, Role.CI, Role.DEVELOPMENT)


def why_apart(path: str, context: Context) -> tuple[str, str] | None:
    """The method and the reason why a changed file is no NVIDIA user's; None where that is not certain."""
    if _is_test(path, context):
        context.trees.assume(
            "Tests are not what an NVIDIA user runs: those that nothing else takes in are not compared."
        )
        return "a test that nothing else takes in", "not part of what is built, installed or run by a user"
    if _is_script_of_documents(path, context):
        context.trees.assume("Documentation is not built where a project is built, installed or run.")
        return "a script that makes documents", "nothing but documents and CI speaks of it"
    if _is_image_for_amd(path, context):
        context.trees.assume("Images are built with the base images that their Dockerfiles name.")
        return "an image for AMD", "before and after, the image starts from AMD's: no NVIDIA user builds or runs it"
    if is_list_for_amd(path, context):
        context.trees.assume(
            "Nobody installs for NVIDIA from a list whose name says AMD, which no file for NVIDIA names."
        )
        return "a list of packages for AMD", "only images and lists of AMD's name it"
    return None


def _is_test(path: str, context: Context) -> bool:
    """A Python test, or a test of LLVM's tools, that was one before or is new, and that nothing outside of the tests takes in."""
    name = posixpath.basename(path)
    stem, end = posixpath.splitext(name)
    if not _STEM.fullmatch(stem.replace("-", "_")) or stem == "conftest":
        return False
    if end in _READ_BY_LIT:
        return bool(_TESTS.match(path)) and not _spoken_of(stem, context)
    if role_of(path) is not Role.PYTHON or name in ("setup.py", "__init__.py", "__main__.py"):
        return False
    if _COLLECTED.fullmatch(stem) and _AMONG_TESTS.search(path):
        return not _is_imported(path, context) and not any(map(_is_packaged(context), _importers_of_tests(context)))
    if not _TESTS.match(path) or _spoken_of(stem, context):
        return False
    if any(True for _ in _importers_of_tests(context)):
        return False
    packing = (one for one in context.collectors.all() if is_build_file(one.path))
    return not any(takes(pattern, path) for one in packing for pattern in one.patterns)


def _is_script_of_documents(path: str, context: Context) -> bool:
    """A Python file among the documents, in no package, that was one before or is new, and that no program has the name of."""
    folder, name = posixpath.split(path)
    stem = name.removesuffix(".py")
    if not _AMONG_DOCUMENTS.match(path) or role_of(path) is not Role.PYTHON or not _STEM.fullmatch(stem):
        return False
    sides: tuple[Side, Side] = ("before", "after")
    trees = context.trees
    if any(posixpath.join(folder, "__init__.py") in trees.side(side).entries for side in sides):
        return False
    others = (other for side in sides for other in trees.containing(stem, side))
    if not all(other == path or _AMONG_DOCUMENTS.match(other) or role_of(other) in _QUIET for other in others):
        return False
    # A program that runs or packs whatever lies there takes it in without its name.
    return context.collectors.why(path) is None


def _spoken_of(stem: str, context: Context) -> bool:
    """Whether a file that is no test has the word."""
    sides: tuple[Side, Side] = ("before", "after")
    return any(
        not _TESTS.match(other) and role_of(other) not in _QUIET
        for side in sides
        for other in context.trees.containing(stem, side)
    )


def _importers_of_tests(context: Context) -> Iterator[str]:
    """Programs that are no tests and import some test."""
    for other in {*context.trees.containing("tests", "before"), *context.trees.containing("test", "before")}:
        data = context.trees.read(other, "before") or b""
        if other.endswith(".py") and not _TESTS.match(other) and _IMPORTS_TESTS.search(data):
            yield other


def _is_packaged(context: Context) -> Callable[[str], bool]:
    """Whether a file is part of a package, and no script of its own."""
    return lambda path: posixpath.join(posixpath.dirname(path), "__init__.py") in context.trees.before.entries


def _is_imported(path: str, context: Context) -> bool:
    """Whether a program takes in a test that pytest or unittest collects by its name: by an import, or by a text that names it.
    What packs it, and commands that run tests, bring it to nobody who does not run tests."""
    folder, stem = posixpath.dirname(path), posixpath.basename(path).removesuffix(".py")
    name = re.escape(stem)
    takes_in = re.compile(
        rf"^[ \t]*(?:from[ \t]+(?P<module>[\w.]*?)\.?{name}[ \t]+import\b|import[ \t]+(?:[\w.]+[ \t]*,[ \t]*)*(?P<plain>[\w.]*?)\.?{name}\b"
        rf"|from[ \t]+(?P<package>[\w.]+)[ \t]+import\b[^\n]*\b{name}\b)"
        rf"|[\"'](?P<text>[^\"'\n]*?){name}(?:\.py)?[\"']",
        re.M,
    )
    sides: tuple[Side, Side] = ("before", "after")
    for side in sides:
        for other in context.trees.containing(stem, side):
            if other == path or other.startswith(".github/") or role_of(other) in (*_QUIET, Role.C):
                continue
            text = (context.trees.read(other, side) or b"").decode("utf-8", "replace")
            if not other.endswith((".py", ".ipynb")):
                lines = (line for line in text.splitlines() if stem in line and not _COMMENT.match(line))
                if not _AMONG_TESTS.search(other) and not all(map(_RUNS_TESTS.search, lines)):
                    return True
                continue
            for found in takes_in.finditer(text):
                before = re.split(r"[./\\]", next(filter(None, found.groups()), "").strip("./\\"))[-1]
                about_this = before in ("", posixpath.basename(folder)) or before.startswith("{")
                by_test = _AMONG_TESTS.search(other)
                if about_this and (
                    not by_test or (found["text"] is None and any(True for _ in _importers_of_tests(context)))
                ):
                    return True
    return False


def _is_image_for_amd(path: str, context: Context) -> bool:
    trees = context.trees
    if role_of(path) is not Role.DOCKERFILE or not is_for_amd(path):
        return False
    sides = [trees.read(path, side) for side in ("before", "after")]
    if not all(data is not None and starts_from_amd(path, data) for data in sides):
        return False
    name = posixpath.basename(path)
    programs = (
        other for other in trees.containing(name, "before") if role_of(other) in (Role.PYTHON, Role.C, Role.CMAKE)
    )
    return not any(True for _ in programs)
