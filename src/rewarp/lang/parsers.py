"""The parsers of others, asked in one place: what is nested too deeply for one is broken to it, as any other broken text."""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator
from typing import Any

from rewarp.lang.nested_quotes import without_nested_quotes
from rewarp.lang.nesting import LONGEST_NAME, has_endless_word
from rewarp.lang.remembered import Remembered

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_LONG_LINE, _MANY_PARTS = 1_000, 400
_BARE_KEY = re.compile(r"[\w \t.\[-]*")
_F_STRING = re.compile(
    r"""(?is)(?<!\w)(?:f|fr|rf)(?:\'{3}(?:\\.|[^\\])*?\'{3}|"{3}(?:\\.|[^\\])*?"{3}|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")"""
)
_MANY_FIELDS = 5_000
_READS_FIELDS_AGAIN = sys.version_info < (3, 12)
"""Before 3.12 Python looks for each field of an f-string from its beginning: time in the square of their number."""
_TOO_DEEP = "nested too deeply to be read"
_trees: Remembered[ast.Module] = Remembered(1_000_000)


def _has_endless_key(line: str) -> bool:
    """Whether a line is a key of many parts: ``tomllib`` takes time in the square of their number."""
    key = line.partition("=")[0]
    return _BARE_KEY.fullmatch(key) is not None and key.count(".") > _MANY_PARTS


def toml(text: str) -> dict[str, Any]:
    """What a TOML text says. Raises TOMLDecodeError."""
    if any(len(line) > _LONG_LINE and _has_endless_key(line) for line in text.splitlines()):
        raise tomllib.TOMLDecodeError(_TOO_DEEP)
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise tomllib.TOMLDecodeError(_TOO_DEEP) from None


def from_json(text: str | bytes) -> Any:
    """What a JSON text says. Raises ValueError."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None


def has_endless_fields(text: str) -> bool:
    """Whether an f-string holds more fields than anybody writes."""
    if text.count("{") <= _MANY_FIELDS:
        return False
    return any(match[0].count("{") > _MANY_FIELDS for match in _F_STRING.finditer(text))


def check_fields(text: str | bytes) -> None:
    """Raises SyntaxError for what this Python would read in no time that anybody waits."""
    if _READS_FIELDS_AGAIN and has_endless_fields(text if isinstance(text, str) else text.decode("latin-1")):
        raise SyntaxError(f"an f-string of more than {_MANY_FIELDS:,} fields")


def python(
    text: str | bytes, *, filename: str = "<unknown>", feature_version: tuple[int, int] | None = None
) -> ast.Module:
    """The tree of a Python text. It is shared: nobody may change it. Raises SyntaxError, and ValueError for what holds
    NUL bytes."""
    return _trees.get((text, feature_version), len(text), lambda: _python(text, filename, feature_version))


def _python(text: str | bytes, filename: str, feature_version: tuple[int, int] | None) -> ast.Module:
    check_fields(text)
    try:
        tree = _tree(text, filename, feature_version)
    except (RecursionError, MemoryError):
        raise SyntaxError(_TOO_DEEP) from None
    data = text.encode("utf-8", "replace") if isinstance(text, str) else text
    if has_endless_word(data) and any(len(name) > LONGEST_NAME for name in _names(tree)):
        raise SyntaxError(f"a name of more than {LONGEST_NAME:,} characters")
    return tree


def _tree(text: str | bytes, filename: str, feature_version: tuple[int, int] | None) -> ast.Module:
    try:
        return ast.parse(text, filename, feature_version=feature_version)
    except SyntaxError:
        older = for_this_python(text) if feature_version is None else None
        if older is None:
            raise
        return ast.parse(older, filename)


def for_this_python(text: str | bytes) -> bytes | None:
    """A text whose f-strings are written for Python 3.12, as an older one takes it; None where that is not what it is."""
    if not _READS_FIELDS_AGAIN or b"{" not in (
        data := text.encode("utf-8", "replace") if isinstance(text, str) else text
    ):
        return None
    return without_nested_quotes(data)


def _names(tree: ast.AST) -> Iterator[str]:
    """All names of a program; texts are none."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant):
            for _, value in ast.iter_fields(node):
                yield from (each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str))
