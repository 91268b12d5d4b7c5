"""C++, CUDA and Rust: comments, strings and preprocessor gates."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rewarp.lang.cpp.conditions import fold, number
from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.kinds import Kind
from rewarp.source import SourceFile, Span
from rewarp.targets import ROCM


def read(text: str | bytes, kind: Kind = Kind.CUDA) -> CodeFile:
    return CodeFile(SourceFile("a.cu", text.encode() if isinstance(text, str) else text), kind)


def code(text: str, kind: Kind = Kind.CUDA) -> str:
    return read(text, kind).code.decode()


def live(text: str, word: str) -> bool:
    """Whether the target's compiler sees the place where a word stands."""
    at = text.index(word)
    return not read(text).unreachable(Span(at, at + len(word)), ROCM)


# --- comments and strings ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a // b\nc", "a     \nc"),
        ("a // b \\\n still\nc", "a       \n      \nc"),
        ("a // b \\\r\n still\r\nc", "a       \r\n      \r\nc"),
        ("a /* b\n* c */ d", "a     \n       d"),
        ("a /* b", "a     "),
        ("/* // */ a", "         a"),
        ("// /*\na", "     \na"),
        ("/**/a", "    a"),
        ('f("a // b") // c', 'f("      ")     '),
        ('f("a\\"b") g', 'f("    ") g'),
        ('\'"\' a "b"', "' ' a \" \""),
        ("'\\'' a", "'  ' a"),
        ('"a\nb', '""\nb'),
        ('"a\\\nb" c', '"  \n " c'),
        ('L"ab" u8"c"', '"   " "   "'),
        ("x = 1'000'000; y = '\"';", "x = 1'000'000; y = ' ';"),
        ("0xFF'FF 'a'", "0xFF'FF ' '"),
        ("case'\"':a", "case' ':a"),
        ('#error don\'t\n"a" b', '#error don\'t\n" " b'),
    ],
)
def test_comments_and_strings_are_blanked(text: str, expected: str) -> None:
    assert code(text) == expected


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ('R"(a "b" // c)"', 'a "b" // c'),
        ('R"x(a)" b)x"', 'a)" b'),
        ('u8R"(a\nb)"', "a\nb"),
        ('R"(never closed', "never closed"),
        ('"never closed', "never closed"),
        ('"a\\n"', "a\\n"),
        ('""', ""),
        ('FOOR"(a)"', "(a)"),
    ],
)
def test_literals(text: str, inner: str) -> None:
    document = read(text)
    assert [literal.text for literal in document.literals] == [inner]
    assert len(document.code) == len(text)


def test_a_raw_string_hides_what_follows_its_quotes() -> None:
    text = 'asm(R"(mov.u32 "%0"; // x)"); int a; // b'
    document = read(text)
    assert document.literals[0].text == 'mov.u32 "%0"; // x'
    assert b"int a;" in document.code
    assert b"mov" not in document.code


def test_literal_spans_hold_the_quotes_and_the_prefix() -> None:
    text = 'f(L"ab", R"(c)")'
    document = read(text)
    assert [text[x.where.start : x.where.end] for x in document.literals] == ['L"ab"', 'R"(c)"']


def test_includes() -> None:
    document = read(
        '#include <cuda.h>\n # include "a/b.h" // c\n// #include <d.h>\n/*\n#include <e.h>\n*/\nx = "#include <f.h>";\n'
    )
    assert [(i.path, i.system) for i in document.includes] == [("cuda.h", True), ("a/b.h", False)]


def test_words_are_code_only() -> None:
    document = read('#include <cuda_runtime.h>\ncudaFree(p); // cudaMalloc\ng("cudaMemcpy"); cudaFree(q);')
    assert document.words[b"cudaFree"] == [26, 70]
    assert not {b"cudaMalloc", b"cudaMemcpy", b"cuda_runtime"} & document.words.keys()


# --- Rust -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a /* b /* c */ d */ e", "a                   e"),
        ("a /* b /* c */ d", "a               "),
        ("fn f<'a>(x: &'a str) {} // 'b", "fn f<'a>(x: &'a str) {}      "),
        ("['\\'', '\"'] a", "['  ', ' '] a"),
        ("['\\u{1F600}', 'x']", "['         ', ' ']"),
        ('r#"a "b" c"# d', '"          " d'),
        ('b"a" br"b\\" c', '"  " "    " c'),
        ('"a\nb" c', '" \n " c'),
    ],
)
def test_rust(text: str, expected: str) -> None:
    assert code(text, Kind.RUST) == expected


def test_rust_characters_of_more_bytes() -> None:
    document = read("['é','\"'] \"a\"", Kind.RUST)
    assert [literal.text for literal in document.literals] == ["a"]


def test_rust_raw_literals() -> None:
    document = read('f(r#"a"b"#, "c", r"d")', Kind.RUST)
    assert [literal.text for literal in document.literals] == ['a"b', "c", "d"]


# --- preprocessor gates -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("#ifdef USE_ROCM\nX\n#endif", True),
        ("#ifndef USE_ROCM\nX\n#endif", False),
        ("#ifdef USE_ROCM\n#else\nX\n#endif", False),
        ("#if defined(USE_ROCM)\n#elif 1\nX\n#endif", False),
        ("#if !defined(USE_ROCM) && (defined(A) || defined(B))\nX\n#endif", False),
        ("#if (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 800) && !defined(USE_ROCM)\nX\n#endif", False),
        ("#if !defined(USE_ROCM) \\\n  && FOO\nX\n#endif", False),
        ("#if defined(USE_ROCM) || FOO\nX\n#else\nY\n#endif", True),
        ("#if FOO\n#ifndef USE_ROCM\nX\n#endif\n#endif", False),
        ("#ifndef USE_ROCM\n#if FOO\n#endif\nX\n#endif", False),
        ("#ifndef USE_ROCM\n#endif\nX", True),
        ("#if 0\nX\n#endif", False),
        ("#if 1 /* USE_ROCM */\nX\n#endif", True),
        ("#ifndef USE_ROCM\nX", False),
        ("#endif\n#else\nX", True),
        ("#ifndef MY_HIP_UTILS_H\n#define MY_HIP_UTILS_H\nX\n#endif", True),
        ("#if !defined(FOO_ROCM_H)\n#define FOO_ROCM_H\nX\n#endif", True),
        ("// #ifndef USE_ROCM\nX", True),
        ('f("\\\n#ifndef USE_ROCM\\\n");\nX', True),
        ("#if HIP_VERSION >= 60000\nX\n#endif", True),
        ("#if HIP_VERSION < 60000\nX\n#endif", True),
        ("#ifdef FOO\n#elifndef USE_ROCM\nX\n#endif", False),
        ("#if FOO(\nX\n#endif", True),
    ],
)
def test_gates(text: str, seen: bool) -> None:
    assert live(text, "X") is seen


def test_rust_has_no_preprocessor() -> None:
    document = read("#[cfg(x)]\n#if 0\nX", Kind.RUST)
    assert not document.unreachable(Span(12, 13), ROCM)


@pytest.mark.parametrize(
    ("condition", "value"),
    [
        ("A", None),
        ("YES", True),
        ("!YES", False),
        ("YES == 1", None),
        ("NO == 0", True),
        ("N >= 800", True),
        ("N / 100 == 8 && YES", True),
        ("defined N && defined(NO)", False),
        ("A || YES", True),
        ("A && NO", False),
        ("(A || NO) && YES", None),
        ("0x10 == 16 && 010 == 8 && 1'000u == 1000", True),
        ("__has_include(<a.h>) && NO", False),
        ("-1 < 0 && ~0 == -1 && (1 << 3) == 8", True),
        ("1 / 0", None),
        ("", None),
        ("(", None),
        ("A ? 1 : 0", None),
        ("1 +", None),
        ('"x" == 1', None),
    ],
)
def test_conditions(condition: str, value: bool | None) -> None:
    macros = {"YES": True, "NO": False, "N": 800}
    assert fold(condition, macros.get) is value


def test_numbers() -> None:
    assert number("3 * (KB << 10)", {"KB": 32}.get) == 98304
    assert number("3 * unknown", {}.get) is None


# --- anything at all --------------------------------------------------------------------

_PIECES = st.sampled_from(
    ["/*", "*/", "//", '"', "'", "\\", "\n", "\r\n", 'R"(', ')"', 'R"x(', ')x"', "#if 0", "#else", "#endif", "#ifdef A"]
    + ["#include <a>", "1'0", "é", "a", " ", "(", ")", "r#", '#"', "&&", "||", "!", "defined", "\0", "<<<", "u8", "L"]
)


@given(st.lists(_PIECES, max_size=60).map("".join), st.sampled_from([Kind.CUDA, Kind.CPP, Kind.RUST]))
@example('"\\', Kind.CUDA)
@example('"\\', Kind.RUST)
@example("'\\", Kind.RUST)
def test_any_text_keeps_its_length_and_lines(text: str, kind: Kind) -> None:
    document = CodeFile(SourceFile("a.cu", b" " * 9000 + text.encode()), kind)
    assert len(document.code) == len(document.source.view)
    assert document.code.count(b"\n") == document.source.view.count(b"\n")
    for literal in document.literals:
        assert 0 <= literal.where.start < literal.where.end <= len(document.source.view)
    assert document.includes is not None
    assert document.words is not None
    document.unreachable(Span(9000, 9000), ROCM)


@given(st.text(alphabet="()!&|=<>0123456789AXdefined '+-*/%~^\\\n", max_size=60))
def test_any_condition_folds(text: str) -> None:
    assert fold(text, {"A": True, "X": 3}.get) in (True, False, None)


@pytest.mark.parametrize(
    "text",
    [
        "'" * 200_000,
        '"' * 200_001,
        'R"(' * 60_000,
        "/*" * 100_000,
        "1'" * 100_000,
        "\\" * 200_000,
        "(" * 200_000,
        "#if (" * 40_000,
        "#if 0\n" * 30_000,
        "#if " + "!" * 100_000,
        "r#" * 100_000 + '"',
    ],
)
@pytest.mark.parametrize("kind", [Kind.CUDA, Kind.RUST])
def test_odd_input_takes_no_long_time(text: str, kind: Kind) -> None:
    document = read(text, kind)
    assert len(document.code) == len(text)
    document.unreachable(Span(0, 1), ROCM)
