"""The isolation certificate for C, C++ and CUDA: golden cases, mutation of correct ports, and tokens."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewarp.lang.cpp.directives import shape
from rewarp.lang.cpp.tokens import Unreadable, tokenize
from rewarp.verify.isolation.cfamily.comparison import compare
from rewarp.verify.isolation.cfamily.residue import key, residue
from rewarp.verify.isolation.context import Context
from rewarp.verify.isolation.file_verdict import FileVerdict, IsolationVerdict
from rewarp.verify.isolation.tree import Trees
from rewarp.workspace import Folder

CASES = sorted((Path(__file__).parents[1] / "isolation" / "cfamily").glob("*.txt"))
_SECTION = re.compile(r"^--- (before|after|both|expect)(?:: (.*))?\n", re.MULTILINE)


def verdict_of(tmp: Path, files: list[tuple[str, str, str]]) -> FileVerdict:
    """The verdict on kernel.cu, with files as (kind, path, text) around it."""
    for kind, path, text in files:
        for side in ("before", "after"):
            if kind in (side, "both"):
                file = tmp / side / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(text.encode("utf-8"))
    trees = Trees(Folder(tmp / "before", everything=True), Folder(tmp / "after", everything=True))
    before, after = trees.read("kernel.cu", "before"), trees.read("kernel.cu", "after")
    assert before is not None
    assert after is not None
    return compare("kernel.cu", before, after, Context(trees))


def read_case(case: Path) -> tuple[list[tuple[str, str, str]], str]:
    parts = _SECTION.split(case.read_text(encoding="utf-8"))[1:]
    files = [(k, a or "kernel.cu", t) for k, a, t in zip(parts[::3], parts[1::3], parts[2::3]) if k != "expect"]
    return files, next(a for k, a in zip(parts[::3], parts[1::3]) if k == "expect")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_case(case: Path, tmp_path: Path) -> None:
    files, expected = read_case(case)
    found = verdict_of(tmp_path, files)
    wanted = IsolationVerdict.IDENTICAL if expected == "proved" else IsolationVerdict(expected)
    assert found.verdict is wanted, found
    assert case.stem.startswith("proved") == (expected == "proved")
    if wanted is not IsolationVerdict.IDENTICAL:
        assert found.why
        assert found.places


PROVED = [case for case in CASES if case.stem.startswith("proved")]


def _texts_around(case: Path) -> list[list[tuple[str, str, str]]]:
    """Each way to change one token of the new file that NVIDIA's compiler sees."""
    files, _ = read_case(case)
    before = next(text for kind, path, text in files if (kind, path) == ("before", "kernel.cu"))
    kept = {token.text for token in tokenize(before.encode()) if token.kind in ("word", "number", "string")}
    found = []
    for kind, path, text in files:
        if kind != "after":
            continue
        for word in sorted(kept):
            for match in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", text):
                changed = text[: match.start()] + "zzz_mutant" + text[match.end() :]
                found.append([(k, p, changed if (k, p) == (kind, path) else t) for k, p, t in files])
    return found


@pytest.mark.parametrize("case", PROVED, ids=lambda case: case.stem)
def test_mutated_port_falls(case: Path, tmp_path: Path) -> None:
    """Where a mutation is proved, what reaches NVIDIA must really be untouched: it hit a comment or HIP's branch."""
    proved = mutants = 0
    for number, files in enumerate(_texts_around(case)):
        mutants += 1
        proved += verdict_of(tmp_path / str(number), files).verdict is IsolationVerdict.IDENTICAL
    assert mutants
    assert proved < mutants


@pytest.mark.parametrize(
    ("old", "new"),
    [("#else", "#elif 0"), ("#ifdef", "#ifndef"), ("#ifndef", "#ifdef"), ("#if ", "#if !"), ("||", "&&")],
)
def test_flipped_gate_falls(old: str, new: str, tmp_path: Path) -> None:
    fell = 0
    for number, case in enumerate(PROVED):
        files, _ = read_case(case)
        after = next(text for kind, path, text in files if (kind, path) == ("after", "kernel.cu"))
        # A gate around nothing, or one that only HIP's branches hold, may be flipped freely.
        if old in after and "\n#else\n" in after and not (old == "#else" and after.startswith("#ifndef")):
            flipped = [(k, p, t.replace(old, new, 1) if (k, p) == ("after", "kernel.cu") else t) for k, p, t in files]
            assert verdict_of(tmp_path / str(number), flipped).verdict is not IsolationVerdict.IDENTICAL, case
            fell += 1
    assert fell or old == "||"


# --- against a preprocessor that knows every macro ---------------------------------------------

_NAMES = ["A", "B", "USE_ROCM", "__HIPCC__"]


@st.composite
def programs(draw: st.DrawFn, depth: int = 0) -> list[str]:
    lines: list[str] = []
    for _ in range(draw(st.integers(0, 3))):
        if depth < 3 and draw(st.booleans()):
            name, other = draw(st.sampled_from(_NAMES)), draw(st.sampled_from(_NAMES))
            opening = draw(
                st.sampled_from(
                    [
                        f"#ifdef {name}",
                        f"#ifndef {name}",
                        f"#if defined({name}) && !defined({other})",
                        f"#if !(defined({name}) || defined({other}))",
                        f"#if {name} > 1 || defined({other})",
                    ]
                )
            )
            lines += [opening, *draw(programs(depth + 1))]
            if draw(st.booleans()):
                lines += [f"#elif defined({draw(st.sampled_from(_NAMES))})", *draw(programs(depth + 1))]
            if draw(st.booleans()):
                lines += ["#else", *draw(programs(depth + 1))]
            lines.append("#endif")
        else:
            lines.append(f"x{draw(st.integers(0, 2))};")
    return lines


class Known:
    """Macros as a compiler knows them: defined to 2, or not at all."""

    def __init__(self, off: set[str]) -> None:
        self.off = off

    def is_off(self, name: str) -> bool:
        return name in self.off

    def is_zero(self, name: str) -> bool:
        return name in self.off

    def is_operand(self, name: str) -> bool:
        return True


def _seen(lines: list[str], defined: set[str]) -> list[str]:
    """What a plain preprocessor keeps, with every macro known."""
    kept: list[str] = []
    stack: list[list[bool]] = []  # for each open conditional: is this branch live, was one taken
    for line in lines:
        live = all(branch[0] for branch in stack)
        if not line.startswith("#"):
            kept += [line] if live else []
            continue
        word, _, rest = line[1:].partition(" ")
        if word == "endif":
            stack.pop()
            continue
        if word == "ifdef":
            rest = f"defined({rest})"
        elif word == "ifndef":
            rest = f"!defined({rest})"
        value = word == "else" or _truth(rest, defined)
        if word in ("elif", "else"):
            taken = stack[-1][1]
            stack[-1] = [value and not taken, taken or value]
        else:
            stack.append([value, value])
    return kept


def _truth(text: str, defined: set[str]) -> bool:
    text = re.sub(r"defined\((\w+)\)", lambda match: str(match[1] in defined), text)
    text = re.sub(r"\b(A|B|USE_ROCM|__HIPCC__)\b", lambda match: "2" if match[1] in defined else "0", text)
    return bool(eval(text.replace("&&", " and ").replace("||", " or ").replace("!", " not ")))


@settings(max_examples=80)
@given(programs(), programs())
def test_equal_residues_mean_equal_programs(one: list[str], other: list[str]) -> None:
    off = {"USE_ROCM", "__HIPCC__"}
    residues = [
        [key(item) for item in residue(shape(tokenize("\n".join(lines).encode() + b"\n")).nodes, Known(off))]
        for lines in (one, other)
    ]
    same = all(_seen(one, names) == _seen(other, names) for names in (set[str](), {"A"}, {"B"}, {"A", "B"}))
    assert same or residues[0] != residues[1]


@settings(max_examples=60)
@given(programs(), st.data())
def test_wrapping_in_gates_is_proved(lines: list[str], data: st.DataObject) -> None:
    """Each plain line may go under #ifndef USE_ROCM, or get a branch for HIP before it."""
    ported: list[str] = []
    for line in lines:
        wrap = data.draw(st.sampled_from(["", "ifndef", "else"])) if not line.startswith("#") else ""
        if wrap == "ifndef":
            ported += ["#ifndef USE_ROCM", line, "#endif"]
        elif wrap == "else":
            ported += ["#if defined(USE_ROCM)", "hip;", "#else", line, "#endif"]
        else:
            ported.append(line)
    keys = [
        [key(item) for item in residue(shape(tokenize("\n".join(part).encode() + b"\n")).nodes, Known({"USE_ROCM"}))]
        for part in (lines, ported)
    ]
    assert keys[0] == keys[1]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("a<::b> c", "a < :: b > c"),
        ("a<:b:>", "a <: b :>"),
        ("x+++y", "x ++ + y"),
        ("1e+5f 0x1p-3 1'0", "1e+5f 0x1p-3 1'0"),
        ("k<<<1,2>>>()", "k <<< 1 , 2 >>> ( )"),
        ('u8"a\\"b" L\'c\'', 'u8"a\\"b" L\'c\''),
        ('fooR"(x)"', 'fooR "(x)"'),
        ("a/**/b", "a b"),
        ("in\\\nt x;", "int x ;"),
    ],
)
def test_tokens(text: str, tokens: str) -> None:
    assert " ".join(token.text for token in tokenize(text.encode()) if token.kind != "newline") == tokens


@settings(max_examples=60)
@given(st.binary(max_size=200))
def test_any_bytes_give_tokens_or_a_reason(data: bytes) -> None:
    with contextlib.suppress(Unreadable):
        assert all(token.line >= 1 for token in tokenize(data))


def test_lines_are_those_of_the_file() -> None:
    tokens = tokenize(b"a\n/* 1\n2 */ b \\\n c\nd\n")
    assert [(token.text, token.line) for token in tokens if token.kind == "word"] == [
        ("a", 1),
        ("b", 3),
        ("c", 4),
        ("d", 5),
    ]
