"""Documentation, CI and files of developers' tools: no part of what is built or run, unless something reads them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from rewarp.verify.isolation.context import Context
from rewarp.verify.isolation.reach.collecting import has_name, takes
from rewarp.verify.isolation.roles import Role, role_of, suffix

_METADATA = re.compile(r"(^|/)(pyproject\.toml|setup\.cfg|Cargo\.toml|MANIFEST\w*\.in|package\.json|meta\.ya?ml)$")
"""They name a README or a licence for who looks at the package; nothing is read from it that does something."""
_SITES = re.compile(
    r"(^|/)(mkdocs\.ya?ml|book\.toml|_config\.ya?ml|conf\.py|[Dd]oxyfile[\w.]*|\.?typos\.toml|REUSE\.toml)$|^docs?/"
)
_ONLY_SPEAKS = re.compile(
    r"^\s*(?:(?:@?echo|printf|cp|install|rm|git|COPY|ADD|message)\b|//)|CPACK_|install\s*\(|doc\s*=\s*include_str"
)
_WORD = re.compile(r"""[\s"'`();,\\|&<>=]+""")
_PREFIX = re.compile(r"^(?:\$\{[^}]*\}|\$\w+|\$\([^)]*\)|\{[^}]*\})/")
_QUOTED = re.compile(r"""(["'])((?:\\.|(?!\1)[^\\\n]){0,4999})\1""")
_AMONG_TESTS = re.compile(r"(?:python/|src/)?(?:tests?|unit_?tests)/")
_RUNS = re.compile(r"\.(py|rs|sh|bash|cpp|cc|c|cu)$")
_ASKS_GIT = re.compile(rb"hatchling|flit_core|pdm|maturin|poetry|scikit_build_core|scikit-build-core|\[package\]")
"""Tools that leave out of a package what git ignores."""
_IGNORED = re.compile(r"(^|/)\.gitignore$")


def why_read(path: str, context: Context, gone: bool) -> str | None:
    """Who reads a file that is usually for people only; ``gone``: it is there no longer, or under another name."""
    if _IGNORED.search(path):
        return _why_ignored(path, context)
    if path.endswith(".pyi") and (lazy := context.trees.containing("attach_stub", "before")):
        return f"{lazy[0]} loads modules by their stubs"
    name = posixpath.basename(path)
    for other in context.trees.containing(name, "before"):
        if other == path or _SITES.search(other) or _is_list_of_tests(other, context):
            continue
        text = (context.trees.text(other, "before") or b"").decode("latin-1")
        if _METADATA.search(other):
            if gone and _means(name, path, other, text):
                return f"{other} names it, and it is gone"
        elif _reads(path, other, text, gone):
            return f"{other} may read it"
    if role_of(path) is Role.DOCUMENTATION:
        for one in context.collectors.all():
            near = [pattern for pattern in one.patterns if has_name(pattern.rpartition("/")[0])]
            if _RUNS.search(one.path) and not _SITES.search(one.path) and any(takes(pattern, path) for pattern in near):
                return f"{one.path} collects files by a pattern that may take it in"
    return None


def _is_list_of_tests(path: str, context: Context) -> bool:
    """Whether it is a list that lies among the tests, and that only tests and files for people speak of."""
    if not _AMONG_TESTS.match(path) or suffix(path) not in (".txt", ".lst", ".list"):
        return False
    others = context.trees.containing(posixpath.basename(path), "before")
    quiet = (Role.DOCUMENTATION, Role.CI, Role.DEVELOPMENT)
    return all(other == path or _AMONG_TESTS.match(other) or role_of(other) in quiet for other in others)


def _reads(path: str, other: str, text: str, gone: bool) -> bool:
    name = posixpath.basename(path)
    if not gone and other.endswith("setup.py") and "long_description" in text and name.upper().startswith("README"):
        return False
    programs = role_of(other) in (Role.PYTHON, Role.C) or suffix(other) in (".ipynb", ".rs")
    for line in text.splitlines():
        if name in line and (gone or not _ONLY_SPEAKS.search(line)):
            if any(_means(word, path, other, text) for word in _words(line, programs, name)):
                return True
    return False


def _words(line: str, programs: bool, name: str) -> Iterator[str]:
    """What may be a path: in a program a text of its own, in a command any word."""
    if programs:
        yield from (match[2] for match in _QUOTED.finditer(line.replace('\\"', '"')))
        yield from re.findall(r"#[ \t]*include[ \t]*<([^<>]+)>", line)
    elif not line.lstrip().startswith(("#", "//")):
        yield from (word for word in _WORD.split(line) if word.endswith(name))


def _means(word: str, path: str, other: str, text: str) -> bool:
    """Whether a path in another file may be this one."""
    plain = _PREFIX.sub("", word)
    if plain != word or word.startswith(("/", "../")):
        return ("/" + path).endswith("/" + posixpath.normpath(plain).lstrip("./"))
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(other), word))
    if path in (posixpath.normpath(word), beside):
        return True
    folder = posixpath.basename(posixpath.dirname(path))
    return (
        word == posixpath.basename(path) and bool(folder) and bool(re.search(rf"['\"]{re.escape(folder)}/?['\"]", text))
    )


def _why_ignored(path: str, context: Context) -> str | None:
    """Tools that pack may leave out what git ignores; a pattern that matches no file of the project changes nothing."""
    packers = (context.trees.read("pyproject.toml", "before") or b"") + (
        context.trees.read("Cargo.toml", "before") or b""
    )
    if not _ASKS_GIT.search(packers):
        return None
    sides = [(context.trees.read(path, side) or b"").decode("latin-1").splitlines() for side in ("before", "after")]
    folder = posixpath.dirname(path)
    for line in set(sides[0]) ^ set(sides[1]):
        pattern = line.strip()
        if pattern and not pattern.startswith("#"):
            for other in context.trees.paths("after"):
                if other != path and _ignores(pattern, other, folder):
                    return f"{pattern} is about {other}, and tools that pack may ask what git ignores"
    return None


def _ignores(pattern: str, path: str, folder: str) -> bool:
    pattern = pattern.lstrip("!").rstrip("/")
    translated = "".join(
        {"**": ".*", "*": "[^/]*", "?": "[^/]"}.get(part, re.escape(part))
        for part in re.split(r"(\*\*|\*|\?)", pattern.strip("/"))
    )
    start = re.escape(folder + "/") if folder else ""
    anywhere = "" if "/" in pattern.rstrip("/") else "(?:.*/)?"
    return bool(re.fullmatch(f"{start}{anywhere}{translated}(?:/.*)?", path))
