"""Shell, Makefiles, Dockerfiles and .env files: commands, variables, gates, and no input that breaks them."""

from __future__ import annotations

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewarp.errors import UnreadableSource
from rewarp.lang.dockerfile import Dockerfile
from rewarp.lang.dotenv import DotEnv
from rewarp.lang.kinds import Kind
from rewarp.lang.makefile import Makefile
from rewarp.lang.shell import ShellFile, install_words, simple_commands, split_command, unquote
from rewarp.source import SourceFile
from rewarp.targets import GAUDI, ROCM

PIECES = st.sampled_from(
    """if then else elif fi for do done case esac ! [ ] [[ ]] && || | ; & ( ) { } $( ` ' " \\ # << <<- <<EOF EOF > >> 2>&1
    <<< = == $X ${X ${X} FROM RUN ENV ARG \t \n \r\n export sudo env A=1 A= pip install torch docker run -e nvidia-smi
    command -v é \ufeff""".split(" ")
)
SCRIPTS = st.one_of(
    st.lists(PIECES, max_size=60).map(" ".join).map(str.encode),
    st.lists(PIECES, max_size=60).map("".join).map(str.encode),
    st.binary(max_size=200).map(lambda data: data.replace(b"\0", b" ")),
)


def shell(text: str | bytes) -> ShellFile:
    data = text if isinstance(text, bytes) else textwrap.dedent(text).lstrip("\n").encode()
    return ShellFile(SourceFile("x.sh", data), Kind.SHELL)


def docker(text: str) -> Dockerfile:
    return Dockerfile(SourceFile("Dockerfile", textwrap.dedent(text).lstrip("\n").encode()), Kind.DOCKERFILE)


def make(text: str) -> Makefile:
    return Makefile(SourceFile("Makefile", text.encode()), Kind.MAKE)


def commands(text: str) -> list[str]:
    return [" ".join(command.texts) for command in shell(text).commands]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b; c && d | e || f & g", ["a b", "c", "d", "e", "f", "g"]),
        ("a 'b c' \"d e\" f\\ g", ["a b c d e f g"]),
        ("a \\\n  b \\\r\n  c\n", ["a b c"]),
        ("a # b\n# c\nd#e", ["a", "d#e"]),
        ("a > out 2>&1 < in b &> log", ["a b"]),
        ("X=1 Y=2 sudo -E -u me env Z=3 a b", ["a b"]),
        ("export X=1 Y", []),
        ("if ! a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]),
        ("while a; do b; done", ["a", "b"]),
        ("f() { a; }; (b; c)", ["f", "a", "b", "c"]),
        ("cat <<EOF\nnot this\nEOF\na", ["cat", "a"]),
        ("cat <<-'E O'\n\tnot this\n\tE O\na", ["cat", "a"]),
        ("cat <<A <<B > f\nx\nA\ny\nB\na", ["cat", "a"]),
        ("cat <<EOF\nnever closed", ["cat", "never closed"]),
        ("a <<< EOF\nb\nEOF", ["a", "b", "EOF"]),
        ("x=$(a b | c) d", ["d", "a b", "c"]),
        ('echo "$(a $(b))" `c`', ["echo $(a $(b)) `c`", "a $(b)", "b", "c"]),
        ("echo '$(a)'", ["echo $(a)"]),
        ("echo $((1 + 2))", ["echo $((1 + 2))"]),
        ("command -v a", ["command -v a"]),
        ("\ufeffa b", ["a b"]),
    ],
)
def test_commands(text: str, expected: list[str]) -> None:
    assert sorted(commands(text)) == sorted(expected)


def test_name_is_the_base_name() -> None:
    assert shell("/usr/local/cuda/bin/nvcc -V").commands[0].name == "nvcc"


def test_variables_set() -> None:
    text = """
    A=1 run
    export B="two words" C=$A
    declare -x D='4'
    env E=5 run
    docker run -e F=6 --env G=7 --env=H=8 -e I image
    J+=9
    """
    assert [(item.name, item.value) for item in shell(text).env_sets] == [
        ("A", "1"),
        ("B", "two words"),
        ("C", None),
        ("D", "4"),
        ("E", "5"),
        ("F", "6"),
        ("G", "7"),
        ("H", "8"),
        ("J", "9"),
    ]


def test_variables_read() -> None:
    text = "a $A \"${B:-x}\" '$C' d$D\nX=$E\nread y <<< $F\n# $G\n"
    assert {item.name for item in shell(text).env_reads} == {"A", "B", "D", "E", "F"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pip install torch 'numpy>=1'", ["torch", "numpy"]),
        ("python3 -m pip install -U --index-url https://x/y torch", ["torch"]),
        ("uv pip install --system torch==2.0", ["torch"]),
        ("uv add torch", ["torch"]),
        ("poetry add torch", ["torch"]),
        ("sudo -H /opt/bin/pip3.11 install torch", ["torch"]),
        ("conda run -n x pip install torch", ["torch"]),
        ("pip install -r requirements.txt -e . ./local $PKG a/b.whl x.whl git+https://x/y", []),
        ("pip uninstall torch", []),
        ("git add torch", []),
        ("apt-get install torch", []),
        ("npm install torch", []),
        ("pipenv install torch", ["torch"]),
        ("$PYTHON -m pip install torch", ["torch"]),
        ("echo pip install torch", []),
        ("grep -q 'pip install torch' log", []),
    ],
)
def test_requirements(text: str, expected: list[str]) -> None:
    assert [item.name for item in shell(text).requirements] == expected


def test_install_words_of_other_commands_are_none() -> None:
    assert install_words(shell("pip list").commands[0]) == ()


def test_split_command() -> None:
    assert split_command("A=1 sudo nvidia-smi -L | wc -l") == [["nvidia-smi", "-L"], ["wc", "-l"]]


# --- gates ---------------------------------------------------------------------------


def alive(text: str, target: object = ROCM) -> list[str]:
    document = shell(text)
    return [c.name for c in document.commands if c.name in ("nv", "amd") and not document.unreachable(c, target)]


@pytest.mark.parametrize(
    "condition",
    [
        "command -v nvidia-smi",
        "command -v nvidia-smi > /dev/null 2>&1",
        "which nvcc",
        "nvidia-smi &> /dev/null",
        '[ -x "$(command -v nvidia-smi)" ]',
        "! command -v rocm-smi",
        "[ ! -d /opt/rocm ]",
        "[[ ! -e /dev/kfd ]]",
        "[ -d /usr/local/cuda ]",
        '[ "$GPU_VENDOR" = nvidia ]',
        '[[ "$PLATFORM" != "rocm" ]]',
        '[ -z "$ROCM_HOME" ]',
        '[ "$USE_ROCM" != 1 ]',
        '[[ "$(uname)" == "Darwin" ]]',
        'command -v nvidia-smi && [ -n "$X" ]',
    ],
)
def test_gates(condition: str) -> None:
    assert alive(f"if {condition}; then\n  nv\nelse\n  amd\nfi") == ["amd"]


@pytest.mark.parametrize(
    "condition",
    [
        '[ "$X" = 1 ]',
        '[ "$DEVICE" = cuda ]',
        "command -v python",
        "command -v nvidia-smi || true",
        'command -v nvidia-smi && [ -n "$X" ] || [ -n "$Y" ]',
        "[ -d /data ]",
        "grep -q nvidia log",
    ],
)
def test_unknown_tests_rule_nothing_out(condition: str) -> None:
    assert alive(f"if {condition}; then nv; else amd; fi") == ["nv", "amd"]


def test_gates_by_target() -> None:
    text = "if command -v rocm-smi; then amd; elif command -v hl-smi; then nv; fi"
    assert alive(text) == ["amd"]
    assert alive(text, GAUDI) == ["nv"]


def test_gates_of_chains_and_nesting() -> None:
    assert alive("command -v nvidia-smi && nv") == []
    assert alive("command -v rocm-smi || nv") == []
    assert alive("command -v nvidia-smi; nv") == ["nv"]
    assert alive("if [ $X ]; then\nif which nvcc; then nv; fi\namd\nfi\nnv") == ["amd", "nv"]


def test_exclusive_and_handled() -> None:
    document = shell("if a; then b; else c; fi; d || true; e || exit 1; f | g || h")
    place = {command.name: command for command in document.commands}
    assert document.exclusive(place["b"], place["c"])
    assert not document.exclusive(place["b"], place["d"])
    handled = {name for name, command in place.items() if document.failure_is_handled(command)}
    assert handled == {"a", "d", "f", "g"}


# --- Makefiles, Dockerfiles, .env ----------------------------------------------------


def test_makefile() -> None:
    document = make(
        "X := 1\nexport Y ?= a \\\n  b\nN = $(shell nvidia-smi -L | wc -l)\nall:\n\t@a \\\n\t  b\n\tZ=1 c\n"
    )
    assert [c.texts for c in document.commands] == [["a", "b"], ["c"], ["nvidia-smi", "-L"], ["wc", "-l"]]
    assert [(v.name, v.value) for v in document.variables][:2] == [("X", "1"), ("Y", "a \\\n  b")]
    assert [item.name for item in document.env_sets] == ["Z", "X", "Y", "N"]


def test_dockerfile() -> None:
    document = docker(
        """
        # FROM nothing
        FROM a AS b
        ARG ONE
        ARG TWO=2
        ENV A=1 B="x y" \\
            C=$D
        ENV OLD some value
        RUN --mount=type=cache,target=/x apt-get update && \\
            # a comment, and an empty line

            pip install torch
        run ["nvidia-smi", "-L"]
        RUN <<EOF
        pip install numpy
        EOF
        COPY <<EOF /x
        RUN not this
        EOF
        CMD last
        """
    )
    assert [item.name for item in document.instructions] == [
        *("FROM", "ARG", "ARG", "ENV", "ENV", "RUN", "RUN", "RUN", "COPY", "CMD"),
    ]
    assert [c.texts for c in document.commands] == [
        ["apt-get", "update"],
        ["pip", "install", "torch"],
        ["nvidia-smi", "-L"],
        ["pip", "install", "numpy"],
        ["last"],
    ]
    assert [(item.name, item.value) for item in document.env_sets] == [
        ("TWO", "2"),
        ("A", "1"),
        ("B", "x y"),
        ("C", None),
        ("OLD", "some value"),
    ]


def test_dotenv() -> None:
    document = DotEnv(
        SourceFile(".env", b"\xef\xbb\xbfA=1 # one\nexport B='x # y'\n# C=3\nD = $A\r\nE=\n"), Kind.DOTENV
    )
    assert [(item.name, item.value) for item in document.env_sets] == [
        ("A", "1"),
        ("B", "x # y"),
        ("D", None),
        ("E", ""),
    ]
    spans = [document.span(item) for item in document.env_sets]
    assert [document.source.view[a:b] for a, b in spans] == [b"A=1", b"B='x # y'", b"D = $A", b"E="]


# --- anything at all -----------------------------------------------------------------


def check(document: ShellFile | DotEnv) -> None:
    view = document.source.view
    for command in document.commands:
        for word in command.words:
            start, end = document.span(word)
            assert 0 <= start < end <= len(view)
            raw = view[start:end].replace(b"\\\r\n", b"").replace(b"\\\n", b"").decode("utf-8", "replace")
            if not set("'\"\\\r\n") & set(raw):
                assert word.text in raw
    for item in (*document.env_sets, *document.env_reads, *document.requirements):
        start, end = document.span(item)
        assert 0 <= start <= end <= len(view)
        document.unreachable(item, ROCM)


@given(SCRIPTS)
def test_no_input_breaks_it(data: bytes) -> None:
    try:
        _ = SourceFile("x", data).view
    except UnreadableSource:
        return
    source = SourceFile("x", data)
    check(ShellFile(source, Kind.SHELL))
    check(Makefile(source, Kind.MAKE))
    check(Dockerfile(source, Kind.DOCKERFILE))
    check(DotEnv(source, Kind.DOTENV))


@given(SCRIPTS)
def test_words_are_what_their_spans_hold(data: bytes) -> None:
    for words in simple_commands(data):
        for text, (start, end) in words:
            if b"\\\n" not in data[start:end] and b"\\\r" not in data[start:end]:
                assert text == unquote(data[start:end].decode("utf-8", "replace"))


@pytest.mark.parametrize(
    "piece",
    ["${", "$(", "$(()", "<<A\n", "<<A B\n", '"', "'", "`", "\\", "((", "a=", "if a; then\n", "a && ", "\t", "#", "1"]
    + ["RUN a \\\n", "ENV A=\\\n", "$(a ", "X = \\\n", '"\\"', "{", "[ -d ", "if [ $A ]; then a; fi\n", " \\ "],
)
def test_long_runs_of_one_piece_are_read(piece: str) -> None:
    data = (piece * 20_000).encode()
    for document in (shell(data), make(data.decode()), docker(data.decode())):
        assert document.commands is not None
        assert document.env_sets is not None
        assert document.env_reads is not None
