"""Python: what names denote, what is kept off a target, what a file sets and runs."""

from __future__ import annotations

import ast
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewarp.errors import UnreadableSource
from rewarp.lang import python
from rewarp.lang.python import PythonFile
from rewarp.source import SourceFile, Span
from rewarp.targets import GAUDI, ROCM


def parse(text: str | bytes) -> PythonFile:
    data = text if isinstance(text, bytes) else textwrap.dedent(text).encode()
    return python.parse(SourceFile("x.py", data))


def paths(text: str) -> set[str]:
    return set(parse(text).references)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("import torch\ntorch.cuda.foo()", "torch.cuda.foo"),
        ("import torch as t\nt.cuda.foo()", "torch.cuda.foo"),
        ("from torch import cuda\ncuda.foo()", "torch.cuda.foo"),
        ("from torch import cuda as c\nc.foo()", "torch.cuda.foo"),
        ("from torch.cuda import foo as f\nf()", "torch.cuda.foo"),
        ("import torch.cuda\ntorch.cuda.foo()", "torch.cuda.foo"),
        ("import torch.cuda as tc\ntc.foo()", "torch.cuda.foo"),
        ("import torch\nc = torch.cuda\nc.foo()", "torch.cuda.foo"),
        ("import torch\na = torch\nb = a.cuda\nb.foo()", "torch.cuda.foo"),
        ("import torch\nif (c := torch.cuda):\n    c.foo()", "torch.cuda.foo"),
        ("import torch\ng = getattr(torch, 'cuda').foo", "torch.cuda.foo"),
        ("import torch\np = torch.cuda.props(0)\np.major", "torch.cuda.props().major"),
        ("import torch\na, b = torch.cuda.cap()\nprint(a)", "torch.cuda.cap()[]"),
        ("import torch\nx, y = torch.cuda, 1\nx.foo()", "torch.cuda.foo"),
        ("import torch\ndef f():\n    torch.cuda.foo()", "torch.cuda.foo"),
        ("def f():\n    import torch\n    torch.cuda.foo()", "torch.cuda.foo"),
        ("try:\n    import torch\nexcept ImportError:\n    torch = None\ntorch.cuda.foo()", "torch.cuda.foo"),
        (
            "import torch\nclass A:\n    def __init__(self):\n        self.s = torch.cuda.S()\n"
            "    def f(self):\n        self.s.wait()",
            "torch.cuda.S().wait",
        ),
    ],
)
def test_resolves(text: str, path: str) -> None:
    assert path in paths(text)


@pytest.mark.parametrize(
    "text",
    [
        "import other as torch\ntorch.cuda.foo()",
        "from . import torch\ntorch.cuda.foo()",
        "import torch\ndef f(torch):\n    torch.cuda.foo()",
        "import torch\ndef f():\n    torch = object()\n    torch.cuda.foo()",
        "import torch\nfor torch in []:\n    torch.cuda.foo()",
        "import torch\nc = torch.cuda\nc = other\nc.foo()",
        "import torch\nwith open('x') as torch:\n    torch.cuda.foo()",
        "'torch.cuda.foo()'  # torch.cuda.foo()",
        "import torch\nx = lambda torch: torch.cuda.foo()",
        "import torch\nclass A:\n    torch = 1\n    y = torch.cuda.foo()",
    ],
)
def test_does_not_resolve(text: str) -> None:
    assert "torch.cuda.foo" not in paths(text)


def test_a_class_attribute_does_not_shadow_inside_methods() -> None:
    assert "torch.cuda.foo" in paths(
        "import torch\nclass A:\n    torch = 1\n    def f(self):\n        torch.cuda.foo()"
    )


def test_self_reference_ends() -> None:
    parse("x = x.y\na = b\nb = a\nb.c()").references  # noqa: B018


@pytest.mark.parametrize(
    "text",
    [
        "if torch.version.hip is None:\n    MARK",
        "if torch.version.hip is not None:\n    pass\nelse:\n    MARK",
        "if not torch.version.hip:\n    MARK",
        "if torch.version.cuda:\n    MARK",
        "if torch.version.cuda is not None and x:\n    MARK",
        "if torch.version.hip or x:\n    pass\nelse:\n    MARK",
        "IS_ROCM = torch.version.hip is not None\nif not IS_ROCM:\n    MARK",
        "HIP = bool(torch.version.hip)\nif not HIP:\n    MARK",
        "if is_rocm():\n    pass\nelse:\n    MARK",
        "if not current_platform.is_rocm():\n    MARK",
        "if current_platform.is_cuda():\n    MARK",
        "if torch.version.hip:\n    raise RuntimeError\nMARK",
        "def f():\n    if is_hip():\n        return 1\n    MARK",
        "if torch.version.hip:\n    sys.exit(1)\nMARK",
        "def f():\n    if torch.version.cuda is None:\n        return\n    MARK",
        "if torch.version.cuda is None:\n    pytest.skip('')\nMARK",
        "assert torch.version.hip is None\nMARK",
        "torch.version.cuda and MARK",
        "torch.version.hip or MARK",
        "0 if torch.version.hip else MARK",
        "while torch.version.cuda:\n    MARK",
        "@pytest.mark.skipif(torch.version.hip is not None, reason='')\ndef f():\n    MARK",
        "@unittest.skipUnless(torch.version.cuda, '')\ndef f():\n    MARK",
        "if TYPE_CHECKING:\n    MARK",
        "if getattr(torch.version, 'hip', None) is None:\n    MARK",
        "if sys.platform == 'win32':\n    MARK",
        "if (v := torch.version.cuda) is not None:\n    MARK",
        "if v := torch.version.cuda:\n    MARK",
        "if isinstance(torch.version.cuda, str):\n    MARK",
        "if DEVICE_TYPE == 'hip':\n    pass\nelse:\n    MARK",
        "if DEVICE_TYPE == 'hip':\n    pass\nelif DEVICE_TYPE == 'cuda':\n    MARK",
        "if DEVICE_TYPE == 'cuda':\n    MARK\nelif get_device() in ('hip', 'xpu') or DEVICE_TYPE == 'hip':\n    pass",
        "def f():\n    if backend in ('hip', 'xpu'):\n        return\n    MARK",
        "@skipIfRocm\ndef f():\n    MARK",
        "@skipIfRocm()\ndef f():\n    MARK",
        "@common.skipCUDAIfRocm\ndef f():\n    MARK",
        "@unittest.skipIf(TEST_WITH_ROCM, '')\ndef f():\n    MARK",
        "no_amd = pytest.mark.skipif(torch.version.hip is not None, reason='')\n@no_amd\ndef f():\n    MARK",
        "pytestmark = pytest.mark.skipif(torch.version.hip is not None, reason='')\ndef f():\n    MARK",
        "pytestmark = [pytest.mark.skipif(bool(torch.version.hip), reason='')]\ndef f():\n    MARK",
        "def _f():\n    MARK\nif torch.version.cuda:\n    _f()",
        "@functools.lru_cache\ndef _f():\n    MARK\ndef g():\n    return torch.version.hip is None and _f()",
        "def _f():\n    MARK\ndef _g():\n    _f()\nif torch.version.cuda:\n    _g()",
        "def _f():\n    MARK\n    _f()\nif torch.version.cuda:\n    _f()",
    ],
)
def test_gated_off_rocm(text: str) -> None:
    assert unreachable(text, ROCM)


@pytest.mark.parametrize(
    "text",
    [
        "MARK",
        "if torch.version.hip:\n    MARK",
        "if torch.version.hip is not None:\n    MARK",
        "if torch.cuda.is_available():\n    MARK",
        "if x.is_cuda:\n    MARK",
        "if x or torch.version.cuda:\n    MARK",
        "if x and torch.version.hip:\n    pass\nelse:\n    MARK",
        "if torch.version.hip:\n    log()\nMARK",
        "def f():\n    if is_hip():\n        return 1\nMARK",
        "if is_rocm_aiter_enabled():\n    pass\nelse:\n    MARK",
        "if device.type == 'cuda':\n    MARK",
        "if ship:\n    pass\nelse:\n    MARK",
        "if torch.version.cuda is None:\n    MARK",
        "if torch.version.cuda is None:\n    raise RuntimeError\nMARK",
        "assert torch.version.cuda\nMARK",
        "from torch.utils.cpp_extension import CUDA_HOME\nif CUDA_HOME is None:\n    sys.exit('no nvcc')\nMARK",
        "if MARK and torch.version.cuda:\n    pass",
        "@pytest.mark.skipif(torch.version.cuda is None, reason='')\ndef f():\n    pass\nMARK",
        "if DEVICE_TYPE == 'cuda':\n    MARK",
        "if name == 'hip':\n    pass\nelse:\n    MARK",
        "if x.device.type == 'hip':\n    pass\nelse:\n    MARK",
        "if isinstance(torch.version.cuda, (str, type(None))):\n    MARK",
        "@skipIfRocmArch(['gfx90a'])\ndef f():\n    MARK",
        "pytestmark = pytest.mark.skipif(torch.version.hip is not None, reason='')\nMARK",
        "if x:\n    pytestmark = pytest.mark.skipif(True, reason='')\ndef f():\n    MARK",
        "def f():\n    MARK\nif torch.version.cuda:\n    f()",
        "def _f():\n    MARK\n    _f()",
        "def _f():\n    MARK\nif torch.version.cuda:\n    _f()\nregister(_f)",
        "@register\ndef _f():\n    MARK\nif torch.version.cuda:\n    _f()",
        "class A:\n    def _f(self):\n        MARK\nif torch.version.cuda:\n    _f()",
    ],
)
def test_reachable_on_rocm(text: str) -> None:
    assert not unreachable(text, ROCM)


def test_gates_differ_by_target() -> None:
    text = "if torch.cuda.is_available():\n    MARK"
    assert unreachable(text, GAUDI)
    assert not unreachable(text, ROCM)
    assert unreachable("if is_hpu():\n    pass\nelse:\n    MARK", GAUDI)


@pytest.mark.parametrize(
    ("text", "settled"),
    [
        ("x = MARK and torch.version.hip is None", True),
        ("x = MARK or torch.version.hip", True),
        ("if not (MARK > 9 and not torch.version.hip):\n    pass", True),
        ("x = MARK or y and torch.version.cuda", False),
        ("x = MARK or torch.version.cuda", False),
        ("x = MARK and torch.version.hip", False),
        ("if MARK:\n    x = y and torch.version.cuda", False),
        ("x = [lambda: MARK, 1] and torch.version.cuda", False),
    ],
)
def test_settled_by_the_rest_of_the_condition(text: str, settled: bool) -> None:
    document, mark = marked(text)
    assert document.settled(mark, ROCM) is settled


def marked(text: str) -> tuple[PythonFile, ast.Name]:
    prelude = "import torch, sys, pytest, unittest\nfrom typing import TYPE_CHECKING\n"
    document = parse(prelude + text)
    marks = [node for node in document.nodes(ast.Name) if node.id == "MARK"]
    assert len(marks) == 1
    return document, marks[0]


def unreachable(text: str, target: object) -> bool:
    document, mark = marked(text)
    return document.unreachable(mark, target)


def test_imports_know_their_surroundings() -> None:
    document = parse(
        """
        import a
        try:
            import b.c
        except (ImportError, OSError):
            pass
        def f():
            from d import e
        with suppress(ImportError):
            import g
        import_module("h.i")
        """
    )
    assert {(i.full, i.optional, i.deferred) for i in document.imports} == {
        ("a", False, False),
        ("b.c", True, False),
        ("d.e", False, True),
        ("g", True, False),
        ("h.i", False, False),
    }


def test_environment() -> None:
    document = parse(
        """
        import os
        os.environ["A_B"] = "1"
        os.environ.setdefault("C_D", x)
        os.environ.update({"E_F": "2"}, G_H="3")
        run(env={"I_J": "4", **os.environ})
        cache["K_L"] = "5"
        child_env = dict(os.environ)
        child_env["U_V"] = "6"
        os.getenv("M_N"); os.environ["O_P"]; os.environ.get("Q_R"); "S_T" in os.environ
        """
    )
    assert {(e.name, e.value) for e in document.env_sets} == {
        ("A_B", "1"), ("C_D", None), ("E_F", "2"), ("G_H", "3"), ("I_J", "4"), ("U_V", "6"),
    }  # fmt: skip
    assert {e.name for e in document.env_reads} == {"M_N", "O_P", "Q_R", "S_T"}


def test_commands() -> None:
    document = parse(
        """
        import subprocess as sp, os
        sp.run(["nvidia-smi", "-L"])
        os.system("cd x && nvcc --version")
        cmd = ["nsys", flag]
        sp.check_output(cmd)
        print("nvidia-smi")
        """
    )
    assert sorted(c.texts for c in document.commands) == [
        ["cd", "x"], ["nsys", "{}"], ["nvcc", "--version"], ["nvidia-smi", "-L"],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("x = 'é'; torch.foo".encode(), "torch.foo"),
        ("\ufeffx = 'é'; torch.foo".encode(), "torch.foo"),
        ("# coding: latin-1\r\nx = 'é'; torch.foo".encode("latin-1"), "torch.foo"),
        ("# coding: shift-jis\nx = '日本'; torch.foo".encode("shift-jis"), "torch.foo"),
    ],
)
def test_spans_are_offsets_in_the_file(data: bytes, text: str) -> None:
    document = parse(data)
    node = next(iter(document.nodes(ast.Attribute)))
    start, end = document.span(node)
    assert document.source.view[start:end].decode() == text
    start, end = document.source.original(Span(start, end))
    assert document.source.data[start:end].decode() == text


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"def f(:\n", "not valid Python"),
        (b"print 'x'\n", "Python 2"),
        (b"x = '\xe9'\n", "not valid Python"),
        ("x = 1".encode("utf-16"), "does not accept"),
        (b"x = 1\0", "NUL"),
        (b"(" * 5000, "not valid Python"),
        (b"-" * 200_000 + b"1", "nested too deeply"),
    ],
)
def test_unreadable(data: bytes, reason: str) -> None:
    for attempt in (python.parse, python.check_syntax):
        with pytest.raises(UnreadableSource) as caught:
            attempt(SourceFile("x.py", data))
        assert reason in caught.value.reason


@given(st.text(alphabet="abtorch.cuda()[]=:,\n \"'#@é", max_size=120))
def test_no_text_breaks_the_document(text: str) -> None:
    try:
        document = parse(text.encode())
    except UnreadableSource:
        return
    for nodes in document.references.values():
        for node in nodes:
            start, end = document.span(node)
            assert 0 <= start < end <= len(document.source.data)
            document.unreachable(node, ROCM)
    assert document.env_sets is not None
    assert document.commands is not None


def test_commands_of_functions_that_hand_them_on() -> None:
    document = parse("""
        import subprocess

        def run(command, check=False):
            command = "source env && " + command
            return subprocess.run(command, shell=True, check=check)

        class Steps:
            def sh(self, line):
                subprocess.check_call(line.split())

            def all(self):
                self.sh("nvcc --version")
                other.sh("nvidia-smi")

        def tell(text):
            subprocess.run(["echo", "done"])

        run("conda install cuda && pip install torch", check=True)
        tell("nvcc")
        run()
        """)
    assert sorted(command.name for command in document.commands) == ["conda", "echo", "nvcc", "pip"]


def _value(text: str) -> tuple[PythonFile, ast.expr]:
    """The file, and the argument of the call of ``f`` in it."""
    document = parse(text)
    return document, next(call.args[0] for call in document.nodes(ast.Call) if document.raw(call.func) == "f")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("f([1])", "[1]"),
        ("a = [1]\nf(a)", "[1]"),
        ("a = [1]\nb = a\nf(b)", "[1]"),
        ("a = [1]\ndef g():\n    f(a)", "[1]"),
        ("a, b = [1], 2\nf(a)", "[1]"),
        # Bound again, a part of something, from outside, or by itself: a name is a name.
        ("a = [1]\na += [2]\nf(a)", "a"),
        ("a = [1]\na = [2]\nf(a)", "a"),
        ("a, b = g()\nf(a)", "a"),
        ("from m import a\nf(a)", "a"),
        ("def g(a):\n    f(a)", "a"),
        ("a = a\nf(a)", "a"),
        ("class C:\n    a = [1]\n    def g(self):\n        f(a)", "a"),
    ],
)
def test_what_a_name_stands_for(text: str, value: str) -> None:
    document, given = _value(text)
    assert ast.unparse(document.value_of(given)) == value


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ('f("gfx942")', ["gfx942"]),
        ('a = "gfx942"\nf([a, "gfx950"])', ["gfx942", "gfx950"]),
        ('a = ("gfx942",)\nb = a\nf(b)', ["gfx942"]),
        ('f(["gfx942", g()])', []),
        ('f(["gfx942", *others])', []),
        ("f([])", []),
        ("a = [a]\nf(a)", []),
    ],
)
def test_texts_are_all_known_or_none(text: str, texts: list[str]) -> None:
    document, given = _value(text)
    assert document.texts(given) == texts


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("for a in x:\n    f(a)", "x"),
        ("for a in x:\n    [f(a) for a in y]", "y"),
        ("any(f(a) for b in x for a in y)", "y"),
        ("{f(a): 1 for a in x}", "x"),
        ("for a, b in x:\n    f(a)", None),
        ("for b in x:\n    f(a)", None),
    ],
)
def test_the_loop_of_a_variable(text: str, line: str | None) -> None:
    document, given = _value(text)
    assert isinstance(given, ast.Name)
    loop = document.loop(given)
    assert (ast.unparse(loop.iter) if loop is not None else None) == line
