"""F-strings of Python 3.12 for the parser of an older one."""

from __future__ import annotations

import ast

import pytest

from rewarp.lang import parsers
from rewarp.lang.nested_quotes import without_nested_quotes


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ('f"{now("%H")} at"', "f\"{now('%H')} at\""),
        ("f'{a['x']:>{w['y']}}' 'z'", "f'{a[\"x\"]:>{w[\"y\"]}}' 'z'"),
        ("f\"{'\\n'.join(x)}\\n\"", "f\"{'__'.join(x)}\\n\""),
        ('f"{{ {d["a"]} }}"', "f\"{{ {d['a']} }}\""),
        ('rf"\\{d["a"]}"', "rf\"\\{d['a']}\""),
        ('x = "it\'s" # f"{a["b"]}"\ny = f"{a["b"]}"', 'x = "it\'s" # f"{a["b"]}"\ny = f"{a[\'b\']}"'),
        ('f"{lambda_ if {1: 2}[k["q"]] else 0!r:x}"', "f\"{lambda_ if {1: 2}[k['q']] else 0!r:x}\""),
    ],
)
def test_what_an_older_python_takes(newer: str, older: str) -> None:
    found = without_nested_quotes(newer.encode())
    assert found == older.encode()
    assert len(found) == len(newer)
    ast.parse(found)
    tree = parsers.python(newer)  # whatever Python this is
    assert isinstance(tree, ast.Module)


@pytest.mark.parametrize(
    "text",
    [
        "f\"{now('%H')} at\"",  # as it always was
        'x = "{a["',
        "f'{a}' \"{b['c']}\"",
        'f"{a["it\'s"]}"',  # no quotes are left
        'f"{\n a["b"]}"',
        'f"{a["b"]',
        '"""f"{a["b"]}" in a text"""',
        '# f"{a["b"]}"',
        "",
    ],
)
def test_what_is_left_alone(text: str) -> None:
    assert without_nested_quotes(text.encode()) is None


@pytest.mark.parametrize("text", ['f"{now("%H"}"', "f'{a['x'}'", 'f"{a b["c"]}"', "def f(:"])
def test_what_no_python_takes_is_refused(text: str) -> None:
    with pytest.raises(SyntaxError):
        parsers.python(text)
