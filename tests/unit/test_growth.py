"""Inputs that are made to be hard to read: each comes to an end, none ends in a traceback, and no step is done over and
over again."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from rewarp import cli, engine
from rewarp.bench.logs.base import all_dialects
from rewarp.bench.logs.steps import StepDialect
from rewarp.errors import ParseError
from rewarp.findings import Failed
from rewarp.lang import parsers
from rewarp.lang.cmake import CMakeFile
from rewarp.lang.cover import Cover
from rewarp.lang.cpp.file import CodeFile, check_depth
from rewarp.lang.cpp.tokens import Token, Unreadable, tokenize
from rewarp.lang.kinds import Kind, kind_of_path
from rewarp.lang.nesting import DEEPEST, LONGEST_NAME, nests_too_deep
from rewarp.lang.parsing import parse
from rewarp.lang.python import PythonFile
from rewarp.lang.shell import ShellFile
from rewarp.lang.shell import cases as shell_cases
from rewarp.lang.shell import reading as shell_reading
from rewarp.parity.kernels import inventory, lexer
from rewarp.parity.kernels.definitions import CUDA, Definitions
from rewarp.parity.kernels.tokens import BODY
from rewarp.parity.rust.reading.limits import check as check_rust
from rewarp.port.cpp.translation import cuda_sources
from rewarp.port.tree import Tree
from rewarp.project.build import read_build
from rewarp.project.gates import NVIDIA, Evaluator, platform_for
from rewarp.project.gates.reach import Reach
from rewarp.rules.shapes.cuda import closing
from rewarp.source import SourceFile, Span
from rewarp.targets import TARGETS, Context
from rewarp.translation.code import blocks_around
from rewarp.translation.ptx_reader import statement_end
from rewarp.verify.build.cmake import _without_generators, read_cmake
from rewarp.verify.build.makefile import makefile_flags
from rewarp.verify.build.units import read_tree
from rewarp.verify.build.variables import Variables
from rewarp.verify.isolation.cfamily.macros import _defined_in
from rewarp.verify.isolation.python.gates.names import Names
from rewarp.verify.isolation.python.reading.modules import Module
from rewarp.verify.isolation.rust.comparison import NotRead
from rewarp.verify.isolation.rust.comparison import _tokens as rust_tokens
from rewarp.waves import find
from rewarp.waves.reading.syntax import Code
from rewarp.workspace import Folder

DEEP = 20_000
ROCM = TARGETS["rocm"]
SOURCE = Path(__file__).parents[2] / "src" / "rewarp"
FILES = {
    "pyproject.toml": "[tool.a]\na = " + "[" * DEEP,
    "b/pyproject.toml": "[project]\ndependencies = ['nvidia-nccl-cu12']\na = " + "{a = " * DEEP,
    "Cargo.toml": "[dependencies]\ncudarc = " + "[" * DEEP,
    "compile_commands.json": "[" * DEEP,
    "a.ipynb": '{"cells":' + "[" * DEEP,
    "b.ipynb": '{"nbformat":4,"metadata":{},"cells":[{"cell_type":"code","outputs":[],"source":"import torch\\ntorch.cuda'
    + ".a" * DEEP
    + '"}]}',
    "brackets.py": "import torch\ntorch.cuda.synchronize()\nx = " + "(" * DEEP,
    "signs.py": "import torch\nx = " + "-" * DEEP + "torch.cuda",
    "attributes.py": "import torch\nx = torch.cuda" + ".a" * DEEP,
    "some_attributes.py": "import torch\nx = torch.cuda" + ".a" * 900,
    "sums.py": "import torch\nx = " + "torch.cuda.device_count() + " * 900 + "1",
    "words.py": "import torch\nx = " + "'nvcc' + " * 900 + "'a'",
    "calls.py": "import torch\nx = torch.cuda.Stream" + "()" * 900,
    "elif.py": "import torch\nif torch.version.hip: pass\n" + "elif torch.cuda.is_available(): pass\n" * 900,
    "not.py": "import torch\nx = " + "not " * 900 + "torch.version.hip",
    "setup.py": "from torch.utils.cpp_extension import CUDAExtension\nx = "
    + '["a.cu"] + ' * 900
    + '[]\nsetup(ext_modules=[CUDAExtension("a", x)])',
    "a.yaml": "image: nvidia/cuda:12\na: " + "[" * DEEP,
    "b.yaml": "image: nvidia/cuda:12\na: " + "{a: " * DEEP,
    "c.yaml": "image: nvidia/cuda:12\n" + "- " * DEEP,
    "compose.yml": "services: {a: {runtime: nvidia, b: " + "[" * DEEP,
    "environment.yml": "dependencies: [cudatoolkit, " + "[" * DEEP,
    ".github/workflows/a.yml": "jobs:\n  a: {steps: [{run: nvidia-smi}, " + "[" * DEEP,
    "brackets/CMakeLists.txt": "find_package(CUDA)\nset(A " + "(" * DEEP,
    "variables/CMakeLists.txt": "enable_language(CUDA)\nset(A " + "${" * DEEP + "A" + "}" * DEEP + ")\n",
    "expressions/CMakeLists.txt": "enable_language(CUDA)\nset(A " + "$<" * DEEP + "A" + ">" * DEEP + ")\n",
    "CMakeLists.txt": "enable_language(CUDA)\n" + "if(USE_CUDA)\n" * 2000 + "set(A b)\n" + "endif()\n" * 2000,
    "conditions/CMakeLists.txt": "enable_language(CUDA)\nif(" + "(" * DEEP + "CUDA" + ")" * DEEP + ")\nendif()\n",
    "a.sh": "nvidia-smi\n" + "$(" * DEEP,
    "b.sh": "nvidia-smi\n" + '"$(' * DEEP,
    "c.sh": "nvidia-smi\n" + "if nvcc; then\n" * 5000,
    "d.sh": "nvidia-smi\n" + "${A:-" * DEEP,
    "Makefile": "NVCC=nvcc\nA = " + "$(" * DEEP + "A" + ")" * DEEP + "\n",
    "Dockerfile": "FROM nvidia/cuda:12\nRUN " + "$(" * DEEP + "\nENV A=" + "${A:-" * DEEP,
    "requirements.txt": "torch==2.0+cu118" + "[" * DEEP,
    ".env": "CUDA_HOME=" + "${A:-" * DEEP,
    "brackets.rs": "use cudarc;\nfn f() { " + "(" * DEEP,
    "not.rs": "use cudarc;\nfn f() { x = " + "!" * DEEP + "x; }",
    "calls.rs": "use cudarc;\nfn f() { x" + ".f()" * DEEP + "; }",
    "sums.rs": "use cudarc;\nfn f() { x = " + "1+" * DEEP + "1; }",
    "brackets.cu": "__global__ void k() { x = " + "(" * DEEP,
    "conditions.cu": "#if __CUDA_ARCH__\n" * DEEP + "cudaMalloc(&a, 1);",
    "condition.cu": "#if " + "(" * 1500 + "__CUDA_ARCH__\n",
    "question.cu": "__global__ void k() { x = a" + "?a:b" * DEEP,
    "a.log": '{"a":' * DEEP,
    "b.jsonl": '{"loss":' + "[" * DEEP,
    "c.json": "[" * DEEP,
}


def write(folder: Path, more: str = "") -> Path:
    for name, text in FILES.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text + more)
    return folder


COMMANDS = [
    ("scan", "{}", "--no-cache", "-j", "1"),
    ("translate", "{}", "--check", "--no-compile"),
    ("waves", "{}"),
    ("waves", "{}", "--diff"),
    ("parity", "{}", "--no-cache", "--jobs", "1"),
    ("verify", "isolation", "{}", "{}2"),
    ("bench", "logs", "{}/a.log", "{}/b.jsonl", "{}/c.json"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(w for w in command if "{" not in w))
def test_what_nests_without_end_ends_in_no_traceback(
    command: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = write(tmp_path / "t")
    write(tmp_path / "t2", "\n")
    if command[0] == "parity":  # which reads settings there, and stops at broken ones
        (tree / "pyproject.toml").unlink()
    assert cli.main([word.replace("{}", str(tree)) for word in command]) in (1, 2, 3)
    assert "Traceback" not in capsys.readouterr().err


def test_the_build_files_too(tmp_path: Path) -> None:
    assert "question.cu" in {unit.path for unit in read_tree(write(tmp_path)).units}


@pytest.mark.parametrize(
    "name",
    ["b/pyproject.toml", "Cargo.toml", "a.ipynb", "b.ipynb", "brackets.py", "attributes.py", "signs.py"]
    + ["CMakeLists.txt", "brackets.cu", "conditions.cu", "brackets.rs"],
)
def test_it_is_said_to_be_unread(name: str) -> None:
    kind = kind_of_path(name)
    assert kind is not None
    outcome = engine.scan(SourceFile(name, FILES[name].encode()), kind, Context(ROCM))
    assert isinstance(outcome, Failed)
    assert "nested" in outcome.reason or "deep" in outcome.reason or "expected" in outcome.reason.lower()


def test_parsers_of_others_are_asked_where_depth_is_thought_of() -> None:
    """``tomllib``, and ``json`` and ``ast`` where they read a project's files, end in a RecursionError otherwise."""
    toml = [file for file in SOURCE.rglob("*.py") if "tomllib.loads(" in file.read_text(encoding="utf-8")]
    assert [file.name for file in toml] == ["parsers.py"]
    deep = "[" * 100_000
    with pytest.raises(ValueError, match="deeply"):
        parsers.from_json(deep)
    with pytest.raises(ValueError, match="deeply"):
        parsers.toml(f"a = {deep}")
    with pytest.raises(ValueError, match="deeply"):
        parsers.toml("a." * 5_000 + "b = 1")
    assert parsers.toml(f"a.b = '{'a.' * 5_000}'")["a"]["b"]
    with pytest.raises(SyntaxError):
        parsers.python("a" + ".a" * 100_000)


@pytest.mark.parametrize(
    ("text", "deep"),
    [
        (b"(" * (DEEPEST + 1), True),
        (b"(" * (DEEPEST + 1) + b")" * (DEEPEST + 1), True),
        (b"f(a[0], {1});" * 10 * DEEPEST, False),
        (b"(" * (DEEPEST - 1) + b")" * (DEEPEST - 1), False),
        (b")" * 10 * DEEPEST, False),
        (b"{ if (a) { b[c(d)]; } }\n" * DEEPEST, False),
    ],
)
def test_depth_is_told_from_length(text: bytes, deep: bool) -> None:
    assert nests_too_deep(text) is deep


def test_brackets_in_comments_and_strings_are_none() -> None:
    text = b"// " + b"(" * 2 * DEEPEST + b'\nconst char *s = "' + b"{" * 2 * DEEPEST + b'";\n'
    check_depth(SourceFile("a.cu", text))
    with pytest.raises(ParseError, match="brackets"):
        check_depth(SourceFile("a.cu", text + b"(" * 2 * DEEPEST))
    with pytest.raises(ParseError, match="#if"):
        check_depth(SourceFile("a.cu", b"#if A\n" * 2 * DEEPEST))


@pytest.mark.parametrize("before", range(0, 1_000, 333))
def test_names_longer_than_any_are_not_read(before: int) -> None:
    for path, text in (("a.cu", "//{0}\nint {1};\n"), ("a.rs", "//{0}\nlet {1};\n"), ("a.py", "#{0}\n{1} = 1\n")):
        kind = kind_of_path(path)
        assert kind is not None
        parse(SourceFile(path, text.format(" " * before, "a" * LONGEST_NAME).encode()), kind)
        with pytest.raises(ParseError, match="name"):
            parse(SourceFile(path, text.format(" " * before, "a" * (LONGEST_NAME + 1)).encode()), kind)


def test_long_words_of_comments_and_strings_are_no_names() -> None:
    word = "a" * (2 * LONGEST_NAME)
    parse(SourceFile("a.cu", f'// {word}\nauto x = "{word}";\n'.encode()), Kind.CUDA)
    parse(SourceFile("a.py", f"# {word}\nx = '{word}'\n".encode()), Kind.PYTHON)


def test_each_statement_of_a_block_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: Counter[ast.stmt] = Counter()
    leaves = Reach._leaves

    def counted(self: Reach, statement: ast.stmt) -> bool:
        asked[statement] += 1
        return leaves(self, statement)

    monkeypatch.setattr(Reach, "_leaves", counted)
    lines = ["import torch", *["torch.cuda.synchronize()"] * 300]
    document = parse(SourceFile("a.py", "\n".join(lines).encode()), kind_of_path("a.py"))  # type: ignore[arg-type]
    for node in document.nodes(ast.Call):  # type: ignore[attr-defined]
        assert not document.unreachable(node, ROCM)
    assert asked
    assert max(asked.values()) == 1


def test_a_name_that_tests_ask_for_again_and_again_is_followed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: Counter[ast.Name] = Counter()
    held = Evaluator._held

    def counted(self: Evaluator, node: ast.Name) -> Any:
        asked[node] += 1
        return held(self, node)

    monkeypatch.setattr(Evaluator, "_held", counted)
    steps = "".join(f"    if a{n} and a{n}:\n        a{n + 1} = 2\n    a{n + 1} = a{n}\n" for n in range(40))
    text = f"def f(given):\n    a0 = 1\n    a0 = given\n{steps}    return a40\n"
    document = cast(PythonFile, parse(SourceFile("a.py", text.encode()), Kind.PYTHON))
    evaluator = Evaluator(document, platform_for(TARGETS["rocm"]))
    for node in document.nodes(ast.Name):
        if isinstance(node.ctx, ast.Load):
            assert evaluator.value(node).truth is None
    assert len(asked) > 100
    assert max(asked.values()) == 1


def test_what_follows_an_exit_is_unreachable_and_what_precedes_it_is_not() -> None:
    text = (
        b"import torch\ntorch.a()\ndef f():\n    torch.b()\n    if torch.version.hip:\n        return\n    torch.c()\n"
    )
    document = parse(SourceFile("a.py", text), kind_of_path("a.py"))  # type: ignore[arg-type]
    calls = {ast.unparse(node): document.unreachable(node, ROCM) for node in reversed(list(document.nodes(ast.Call)))}  # type: ignore[attr-defined]
    assert calls == {"torch.a()": False, "torch.b()": False, "torch.c()": True}


def test_snippets_and_columns_of_a_line_that_is_a_file() -> None:
    line = "    é = 1; " * 10_000
    source = SourceFile("a.py", line.encode())
    assert source.snippet(1).startswith("é = 1;")
    assert len(source.snippet(1)) <= 1_000
    places = [match.start() for match in re.finditer(b"1", source.view)]
    columns = [source.position(at).column for at in places]
    assert columns == [match.start() + 1 for match in re.finditer("1", line)]
    assert source.position(places[3]).column == columns[3]  # back again


def test_blocks_around_a_place() -> None:
    code = b"namespace a {\nint x;\nvoid f() {\nif (x) {}\nHERE\n}\n}\nTHERE"
    assert blocks_around(code, code.index(b"HERE")) == [b"namespace a ", b"\nvoid f() "]
    assert blocks_around(code, code.index(b"THERE")) == []


def test_an_asm_statement_that_another_one_follows_was_never_closed() -> None:
    view = b'asm("mov" : : "r"(a[0]) \n asm volatile("x;");'
    assert statement_end(view, 0) is None
    at = view.index(b"asm volatile")
    assert view[slice(*Span(at, statement_end(view, at) or 0))] == b'asm volatile("x;")'


@pytest.mark.parametrize(
    "text", ["$<A>b", "x$<A:$<B>c>d;$<", "a>b$<C<D>E>$<F>", "$<$<$<A>:b>", "$<a>$<b<$<c>", ">$<A>>"]
)
def test_generator_expressions_are_taken_out_in_one_pass(text: str) -> None:
    repeated = text
    while re.search(r"\$<[^<>]*>", repeated):
        repeated = re.sub(r"\$<[^<>]*>", "\0", repeated)
    assert _without_generators(text) == repeated


def test_what_nests_without_end_is_not_ported_and_kernels_in_it_are_unknown(tmp_path: Path) -> None:
    texts = {name: text.encode() for name, text in FILES.items() if name in ("brackets.cu", "conditions.cu")}
    found = inventory(texts, "cuda")
    assert {problem.path for problem in found.problems} == texts.keys()
    assert "*" in found.opaque
    for name, text in {**texts, "a.cu": b"__global__ void k() {}\n"}.items():
        (tmp_path / name).write_bytes(text)
    assert [source.path for source in cuda_sources(Tree(tmp_path))] == ["a.cu"]


def test_conditions_of_kernels_in_a_chain_without_end_are_cut() -> None:
    chain = "".join(f"#elif A{i}\n__global__ void k{i}() {{}}\n" for i in range(3_000))
    found = inventory({"a.cu": f"#if A\n{chain}#endif\n".encode()}, "cuda").kernels
    assert len(found) == 3_000
    assert found["k1"].condition == "!(A) && !(A0) && A1"
    assert sum(len(kernel.condition) for kernel in found.values()) < 3_000 * 5_000


def test_a_statement_that_branches_begin_anew_is_kept_once() -> None:
    definitions = Definitions(CUDA)
    tokens = [Token("word", name, 1, False) for name in ("__global__", "void", "k", "(", ")")]
    definitions.feed(tokens[:3], "a.cu", "")
    begun = definitions.state()
    definitions.feed([*tokens[3:], Token("mark", BODY, 1, False)], "a.cu", "A")
    definitions.restore(begun)
    assert definitions.state().pending is begun.pending  # and no copy of it
    definitions.feed(
        [Token("number", "2", 1, False), Token("word", "x", 1, False), *tokens[3:], Token("mark", BODY, 1, False)],
        "a.cu",
        "!A",
    )
    assert set(definitions.kernels) == {"k", "x"}


@pytest.mark.parametrize("unit", ["if (x) {\n", "[&]() {\n"])
def test_bodies_of_kernels_left_open_are_read_once(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: Counter[int] = Counter()
    monkeypatch.setattr(lexer, "_is_directive", lambda line: asked.update([line[0].line]) or line[0].text == "#")
    lexer.read(f"__global__ void k() {{}}\n{unit * 1_000}".encode())
    assert len(asked) == 1_001
    assert max(asked.values()) <= 3  # pairing braces, folding them, and taking statements apart


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("f() { a { b } c }", "f ( ) {}"),
        ("f() { a { b }", "f ( ) { a {...}"),
        ("f() {\n#if A\n{\n#else\n{{ }\n#endif\n} }", "f ( ) {}"),
        ("f() {\n#if A\n{\n#else\n{{\n#endif\n} }", "f ( ) { { { { } }"),
        ("f() {\n#if A\n}\n#else\n}\n#endif", "f ( ) { } }"),
        ("f() {\n#if A\ng() { }\n#endif\n}", "f ( ) {}"),
        ("f() {\n#define G\n}", "f ( ) { }"),
        ("f() { __global__ void k() { } }", "f ( ) { __global__ void k ( ) {} }"),
        ("#if A\nf() {\n#endif\n}", "f ( ) { }"),
        ("} f() { } }", "} f ( ) {} }"),
    ],
)
def test_bodies_are_folded_where_their_ends_are_sure(text: str, left: str) -> None:
    folded = (
        token.text for item in lexer.read(text.encode()) if isinstance(item, lexer.Statement) for token in item.tokens
    )
    assert " ".join(folded) == left


def cmake_options(folder: Path, text: str) -> tuple[str, ...]:
    (folder / "CMakeLists.txt").write_text(text + 'set(CMAKE_CUDA_FLAGS "${A}")\nadd_library(t a.cu)\n')
    return read_cmake([folder / "CMakeLists.txt"], folder, hip=False).by_folder[folder].options


def test_values_that_grow_line_by_line_are_put_together_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: Counter[str] = Counter()
    get = Variables.__getitem__

    def counted(self: Variables, name: str) -> str:
        asked[name] += 1
        return get(self, name)

    monkeypatch.setattr(Variables, "__getitem__", counted)
    lines = "".join(f"set(A ${{A}} -DA{i})\nlist(APPEND A -DB{i})\n" for i in range(300))
    options = cmake_options(tmp_path, f'set(A "")\n{lines}')
    assert options[:4] == ("-DA0", "-DB0", "-DA1", "-DB1")
    assert len(options) == 600
    assert asked["A"] < 5
    asked.clear()
    lines = "".join(f"CFLAGS := $(CFLAGS) -DA{i}\nCFLAGS += -DB{i}\n" for i in range(300))
    (tmp_path / "Makefile").write_text(f"CFLAGS =\n{lines}")
    assert len(makefile_flags(tmp_path / "Makefile").options) == 600
    assert asked["CFLAGS"] < 5


def test_variables_that_double_each_other_are_unknown(tmp_path: Path) -> None:
    doubled = "".join(f"set(V{i + 1} ${{V{i}}} ${{V{i}}})\n" for i in range(200))
    assert cmake_options(tmp_path, f"set(V0 -DA)\n{doubled}set(A ${{V3}})\n") == ("-DA",) * 8
    assert "-DA" not in cmake_options(tmp_path, f"set(V0 -DA)\n{doubled}set(A ${{V200}})\n")
    lines = "".join(f"A{i + 1} = {f'$(A{i}) ' * 10}\n" for i in range(30))
    (tmp_path / "Makefile").write_text(f"A0 = -DA\n{lines}CFLAGS = -DB $(A30)\n")
    assert "-DB" in makefile_flags(tmp_path / "Makefile").options
    strings = "".join(f"a{i + 1} = f'{f'{{a{i}}}' * 10}'\n" for i in range(30))
    (tmp_path / "setup.py").write_text(
        f"a0 = 'b'\n{strings}x = x\nCUDAExtension('a', ['a.cu', a14], extra_compile_args=x)\n"
    )
    assert "a.cu" in {unit.source for unit in read_build(Folder(tmp_path), NVIDIA).units}


def test_conditions_and_links_without_end_are_followed_to_it(tmp_path: Path) -> None:
    parts = " OR ".join(["NOT " * 3_000 + "USE_CUDA", *["USE_HIP"] * 3_000])
    assert cmake_options(tmp_path, f"set(A -DA)\nif({parts})\nset(A -DB)\nendif()\n") == ("-DB",)
    links = "".join(f"add_library(t{i} INTERFACE)\n" for i in range(1, 2_001))
    links += "".join(f"target_link_libraries(t{i} INTERFACE t{i + 1})\n" for i in range(1, 2_000))
    (tmp_path / "CMakeLists.txt").write_text(
        f"project(t CUDA)\nadd_library(t0 b.cu)\n{links}target_link_libraries(t0 t1)\n"
        "target_include_directories(t2000 INTERFACE include)\n"
    )
    (tmp_path / "b.cu").touch()
    (found,) = (unit for unit in read_tree(tmp_path).units if unit.path == "b.cu")
    assert found.flags.includes == (tmp_path / "include",)
    chain = "".join(f"elif A{i}: x += ['b.cu']\n" for i in range(900))
    text = f"x = []\nif A: pass\n{chain}CUDAExtension('a', x)\ny" + ".f()" * 90
    (tmp_path / "setup.py").write_text(text)
    of_setup = (unit for unit in read_build(Folder(tmp_path), NVIDIA).units if unit.system == "setup.py")
    assert {unit.source for unit in of_setup} == {"b.cu"}


def test_a_makefile_s_conditions_hold_where_all_around_them_do(tmp_path: Path) -> None:
    text = "ifeq (a,b)\nifeq (a,a)\nCFLAGS += -DNO\nendif\nelse\nifeq (a,a)\nCFLAGS += -DYES\nendif\nendif\n"
    (tmp_path / "Makefile").write_text(text + "ifeq ($(shell x),b)\nifeq (a,a)\nCFLAGS += -DPERHAPS\nendif\nendif\n")
    flags = makefile_flags(tmp_path / "Makefile")
    assert flags.options == ("-DYES",)
    assert flags.undecided == ("-DPERHAPS",)


def test_isolation_does_not_read_what_no_compiler_would() -> None:
    deep = "(" * 2 * DEEPEST
    assert tokenize(f'"{deep}" // {deep}\n'.encode())
    with pytest.raises(Unreadable, match="deeper"):
        tokenize(deep.encode())


@pytest.mark.parametrize("text", ['r#"a"', 'r##"a"#', '"a', '"a\\"', '"a\\', 'r#"' * 9, 'f("a"); "'])
def test_isolation_does_not_read_rust_whose_strings_do_not_end(text: str) -> None:
    with pytest.raises(NotRead, match="string"):
        rust_tokens(text.encode())
    assert rust_tokens(b'r#"a"# "a\\"" br"\\" \'"\' \'\\u{1F600}\'') == [
        'r#"a"#',
        '"a\\""',
        'br"\\"',
        "'\"'",
        "'\\u{1F600}'",
    ]


def test_the_branches_around_a_binding_are_looked_for_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: Counter[int] = Counter()
    around = Names._branches_around
    chain = Module.chain

    def counted(self: Module, node: ast.AST) -> list[ast.AST]:
        caller = sys._getframe(1).f_code
        asked[id(node)] += caller is around.__code__
        return chain(self, node)

    monkeypatch.setattr(Module, "chain", counted)
    text = "import torch\n" + "for i in range(32): torch.cuda.synchronize(i)\n" * 60
    for name, more in (("base", ""), ("head", "if torch.version.hip:\n    rocm = 1\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").write_text(text + more)
    cli.main(["verify", "isolation", str(tmp_path / "base"), str(tmp_path / "head"), "-q"])
    assert sum(asked.values()) > 60
    assert max(asked.values()) <= 2  # the trees of both sides, whose nodes may get the same number


_HANGS = """
import sys
from rewarp.source import SourceFile
from rewarp.translation.translator import translate
from rewarp.lang.parsing import parse
from rewarp.lang.kinds import Kind
from rewarp.verify.isolation.rust.comparison import NotRead
from rewarp.verify.isolation.rust.comparison import _tokens as rust_tokens
from rewarp.waves import find
for text in ("#include <" * 40_000, "'" + chr(92), "#if defined(__CUDA_ARCH__) && " * 20_000, "__device__ struct " * 20_000):
    text = text * 20_000 if len(text) < 9 else text
    source = SourceFile("a.cu", b"__global__ void k() { __shfl_sync(1, 2, 3); }" + text.encode())
    translate(source).data
    find(parse(source, Kind.CUDA))
parse(SourceFile("CMakeLists.txt", ("[[" + chr(10)).encode() * 300_000), Kind.CMAKE).calls
parse(SourceFile("a.sh", b"sudo " * 400_000), Kind.SHELL).commands
parse(SourceFile("a.yaml", b"- " * 1_000_000), Kind.YAML).entries
print("read")
"""

_PATTERNS_HANG = """
from rewarp.bench.logs.llama_bench import _CSV
from rewarp.bench.logs.llama_bench_preamble import _METAL
from rewarp.bench.logs.llama_bench_table import _RATE
from rewarp.verify.isolation.reach.collecting import _patterns
from rewarp.verify.isolation.packaging.lines import _CONTENT
from rewarp.verify.isolation.python.reading.project import _REQUIRES
long = 150_000
for unit in ("${A:-", "{", "<a", "[a"):
    assert list(_patterns(unit * (long // len(unit)) + " *.cu")) == ["*.cu"]
assert _CSV.search("\\n" * long + "build_commit,avg_ts")
assert _METAL.search("ggml_metal_init: GPU name: a" + " " * long + "b  ")[1].endswith(" b")
assert _RATE.search("1" * long) is None
assert _CONTENT.search(b"\\n" * long) is None
assert _REQUIRES.search(b"requires-python =" + b" " * long) is None
print("read")
"""


@pytest.mark.parametrize("script", [_HANGS, _PATTERNS_HANG], ids=["files", "expressions"])
def test_what_took_minutes_comes_to_an_end(script: str) -> None:
    """These took from 20 seconds to an hour; the limit says that none hangs, not how fast it is."""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=180)
    assert done.stdout.strip() == "read", done.stderr


def test_spans_that_nest_and_overlap_are_asked_as_one_by_one() -> None:
    spans = [Span(*sorted((at * 7 % 50, at * 13 % 50))) for at in range(1, 30)]
    cover = Cover(spans)
    for start in range(52):
        assert (start in cover) is any(span.start <= start < span.end for span in spans)
        for end in range(start, 52):
            held = any(span.start <= start and end <= span.end for span in spans)
            assert cover.holds(Span(start, end)) is held
    assert 0 not in Cover([])


def shell(text: str) -> ShellFile:
    document = parse(SourceFile("a.sh", text.encode()), kind_of_path("a.sh"))  # type: ignore[arg-type]
    assert isinstance(document, ShellFile)
    return document


def test_each_test_of_a_shell_script_is_folded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: Counter[int] = Counter()
    fold = shell_reading.fold

    def counted(test: shell_reading.Test, *others: object) -> bool | None:
        asked[id(test)] += 1
        return fold(test, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(shell_reading, "fold", counted)
    document = shell("if a0; then nvcc; " + "".join(f"elif a{i}; then nvcc; " for i in range(1, 200)) + "fi\nnvcc\n")
    assert not any(document.unreachable(command, ROCM) for command in document.commands)
    assert len(asked) == 200
    assert max(asked.values()) == 2  # as an arm's own, and as one before the others


def test_a_case_within_a_case_is_read_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    deep = 300
    tokens = CountedPattern(shell_cases._CASE_TOKEN)
    monkeypatch.setattr(shell_cases, "_CASE_TOKEN", tokens)
    text = "case $P in cuda)\n" * deep + "nvcc\n" + ";; rocm) hipcc ;; esac\n" * deep
    document = shell(text)
    found = {command.name: document.unreachable(command, ROCM) for command in document.commands}
    assert found["nvcc"]
    assert not found["hipcc"]
    assert tokens.count < 10 * deep


class CountedPattern:
    """A pattern that counts what it finds."""

    def __init__(self, pattern: re.Pattern[bytes]) -> None:
        self._pattern = pattern
        self.count = 0

    def finditer(self, *given: Any) -> Iterator[re.Match[bytes]]:
        for match in self._pattern.finditer(*given):
            self.count += 1
            yield match


def test_brackets_of_cmake_that_are_left_open_are_words() -> None:
    text = b"set(A [[a]] [=[b]]]=] [==[c [[d\n)\n#[[e\nset(B 1)\n#[=[set(C)]=]\nset(D)\n"
    calls = CMakeFile(SourceFile("CMakeLists.txt", text), Kind.CMAKE).calls
    assert [(call.name, call.texts) for call in calls] == [
        ("set", ["A", "[[a]]", "[=[b]]]=]", "[==[c", "[[d"]),
        ("set", ["B", "1"]),
        ("set", ["D"]),
    ]


def test_tests_around_a_place_are_counted_wherever_they_stand() -> None:
    for text in (b"if(A) " * 600, b"if(A)\n" + b"elseif(B)\n" * 600):
        with pytest.raises(ParseError, match="nested"):
            CMakeFile(SourceFile("CMakeLists.txt", text), Kind.CMAKE)
    CMakeFile(SourceFile("CMakeLists.txt", b"if(A)\nelseif(B)\nendif()\n" * 600), Kind.CMAKE)


def test_brackets_are_paired_as_counting_them_pairs_them() -> None:
    text = b"f(a[0], {b}) ) g((h] k( m"
    document = parse(SourceFile("a.cu", text), Kind.CUDA)
    assert isinstance(document, CodeFile)
    for at in (match.start() for match in re.finditer(rb"[(\[{]", text)):
        assert document.closing(at) == closing(text, at)


def test_names_of_functions_are_not_searched_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each search reads the whole file; there may be as many names as lines."""
    asked: set[bytes] = set()
    searched = Code._places_of

    def counted(self: Code, word: bytes) -> list[int]:
        asked.add(word)
        return searched(self, word)

    monkeypatch.setattr(Code, "_places_of", counted)
    lines = [
        f"__device__ int f{i}(unsigned mask, int lane) {{ return f{i - 1}(mask, lane) + __shfl_sync(mask, lane, 0); }}"
        for i in range(1, 100)
    ]
    assert find(parse(SourceFile("a.cu", "\n".join(lines).encode()), Kind.CUDA))  # type: ignore[arg-type]
    assert asked
    assert not any(re.fullmatch(rb"f\d+", word) for word in asked)


def test_an_f_string_of_thousands_of_fields() -> None:
    many = "{a}" * 6_000
    assert parsers.has_endless_fields(f"x = f'{many}'")
    assert parsers.has_endless_fields('x = Rf"""' + "{a}\\'\n" * 6_000 + '"""')
    assert not parsers.has_endless_fields("x = [" + "f'{a}{b}', " * 6_000 + "]")
    assert not parsers.has_endless_fields("x = [" + "{}, " * 6_000 + "]  # it's if'")
    if sys.version_info < (3, 12):
        with pytest.raises(SyntaxError, match="fields"):
            parsers.python(f"x = f'{many}'")


def test_an_f_string_of_thousands_of_fields_in_a_file_that_is_scanned() -> None:
    text = "import torch\nx = f'" + "{torch.version.cuda}" * 6_000 + "'\n"
    outcome = engine.scan(SourceFile("a.py", text.encode()), Kind.PYTHON, Context(ROCM))
    assert isinstance(outcome, Failed) is (sys.version_info < (3, 12))


@pytest.mark.parametrize("unit", ['"', "a, ", "'a ", 'r#"', "r########\n", "b'\n", "fn f<\n", "match x {"])
def test_what_is_no_rust_is_not_parsed(unit: str) -> None:
    with pytest.raises(ParseError):
        check_rust(b"use cudarc;\nfn f() {}\n" + unit.encode() * 10_000 + b"\nfn g() {}\n")


@pytest.mark.parametrize(
    "text",
    [
        "static T: [u32; 20000] = [" + "1, " * 20_000 + "];\n",
        'const KERNEL: &str = r#"' + "__global__ void k() " * 2_000 + '"#;\n',
        "enum E { " + "Abc,\n" * 5_000 + "}\n",
        "/* " + "words " * 5_000 + "*/\nfn f() {}\n",
        "fn f() { " + "{ if x " * 3_000 + "}" * 3_000 + " }\n",
        "// it's\n" + "fn f<'a>(x: &'a str) -> char { '\"' }\n" * 1_000,
    ],
)
def test_what_may_be_rust_is(text: str) -> None:
    check_rust(text.encode())


def test_the_place_of_a_statement_is_looked_up() -> None:
    """Each use of a name asks whether it follows each binding; walking the block for that takes the square of it."""
    tree = ast.parse("import torch as t\nif t:\n    x = t\n    y = x\nelse:\n    z = 1\n")
    module = Module("a.py", tree, SimpleNamespace(project=None))  # type: ignore[arg-type]
    first, test = module.tree.body
    assert isinstance(test, ast.If)
    assert module.follows(test.body[1], first)
    assert module.follows(test.body[1], test.body[0])
    assert not module.follows(test.body[0], test.body[1])
    assert not module.follows(test.orelse[0], test.body[0])
    assert not module.follows(first, first)


@pytest.mark.parametrize(
    "dialect", [d for d in all_dialects().values() if isinstance(d, StepDialect)], ids=lambda d: d.name
)
def test_no_dialect_reads_a_long_line_over_and_over(dialect: StepDialect) -> None:
    """Nothing in a step or a figure runs to the end of the line from each of its beginnings."""
    for pattern in (dialect.step, *(figure.pattern for figure in dialect.figures)):
        one_after_another = re.sub(rb"\(\?=\.\*[^()]*\)", b"", pattern.pattern)
        assert not re.search(rb"\.[*+].*\.[*+]", one_after_another), pattern


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (b"#define A 1\n#  undef\tB\n#if defined(C)\n", {b"A", b"B"}),
        (b"#define/* a *//* ** */ A\n#def\\\nine B\n", {b"A", b"B"}),
        (b"#define define A\n", {b"define", b"A"}),
        (b"#define /*" + b" " * 2_000 + b"*/ A\n", None),
        (b"#define " + b"/**/" * 2_000 + b";\n", None),
    ],
)
def test_the_names_that_a_file_defines_are_read_once(text: bytes, names: set[bytes] | None) -> None:
    found = _defined_in(text)
    assert found is None if names is None else found is not None and names <= found
