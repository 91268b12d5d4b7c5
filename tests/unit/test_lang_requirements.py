"""Requirement strings, requirements files, setup.cfg, and no input that breaks them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewarp.errors import UnreadableSource
from rewarp.lang.kinds import Kind
from rewarp.lang.requirements import RequirementsFile, SetupCfg, normalise, requirement
from rewarp.source import SourceFile, Span

PIECES = st.sampled_from(
    "torch a-b c_d [x,y] == >= ~= 1.0 +cu121 ; , @ https://x/y#egg=z -r --index-url --hash=sha256:0 # \\ \n \r\n \t = é"
    " \ufeff [options] [options.extras_require] install_requires cuda".split(" ")
    + ["\n", "\n    ", " ", "install_requires =\n    "]
)
TEXTS = st.one_of(
    st.lists(PIECES, max_size=60).map("".join).map(str.encode),
    st.binary(max_size=200).map(lambda data: data.replace(b"\0", b" ")),
)


def requirements(data: bytes) -> RequirementsFile:
    return RequirementsFile(SourceFile("requirements.txt", data), Kind.REQUIREMENTS)


def setup_cfg(data: bytes) -> SetupCfg:
    return SetupCfg(SourceFile("setup.cfg", data), Kind.SETUP_CFG)


@pytest.mark.parametrize(
    ("text", "name", "extras"),
    [
        ("torch", "torch", ()),
        (" Torch >= 2 ", "torch", ()),
        ("nvidia_cudnn.cu12==9", "nvidia-cudnn-cu12", ()),
        ("jax[CUDA12, k8s]>=0.4", "jax", ("cuda12", "k8s")),
        ("torch@https://x/y.whl", "torch", ()),
        ("torch; python_version<'3.9'", "torch", ()),
        ("torch (>=2)", "torch", ()),
        ("torch #1", "torch", ()),
    ],
)
def test_requirement(text: str, name: str, extras: tuple[str, ...]) -> None:
    item = requirement(text, Span(0, 0), "group")
    assert item
    assert (item.name, item.extras, item.group, item.text) == (name, extras, "group", text.strip())


@pytest.mark.parametrize("text", ["", "-r x.txt", "./local", "https://x/y.whl", "git+https://x", "{{ x }}", "$X", "-"])
def test_not_a_requirement(text: str) -> None:
    assert requirement(text, Span(0, 0)) is None


def test_normalise() -> None:
    assert normalise("A__b.-C") == "a-b-c"


def test_requirements_file() -> None:
    data = (
        b"\xef\xbb\xbfnumpy # one\r\n--extra-index-url https://x/whl/cu121\r\n# torch\r\n"
        b"torch==2.0 \\\r\n    --hash=sha256:0\r\n-r other.txt\nhttps://x/a.whl\n  six"
    )
    document = requirements(data)
    assert [item.name for item in document.requirements] == ["numpy", "torch", "six"]
    assert [command.texts for command in document.commands] == [
        ["pip", "--extra-index-url", "https://x/whl/cu121"],
        ["pip", "-r", "other.txt"],
        ["pip", "https://x/a.whl"],
    ]
    places = [document.source.original(document.span(item)) for item in document.requirements]
    assert [data[slice(*place)][:5] for place in places] == [b"numpy", b"torch", b"six"]


def test_setup_cfg() -> None:
    document = setup_cfg(
        b"[metadata]\nname = x\nrequires = no\n[options]\npackages = find:\ninstall_requires =\n    torch>=2 # why\n"
        b"    # not\n    six\ntests_require = pytest\n[options.extras_require]\ncuda =\n  cupy-cuda12x\n[other]\na =\n  b\n"
    )
    found = [(item.name, item.group) for item in document.requirements]
    assert found == [("torch", ""), ("six", ""), ("pytest", ""), ("cupy-cuda12x", "cuda")]
    view = document.source.view
    assert [view[slice(*document.span(item))] for item in document.requirements][:2] == [b"torch>=2", b"six"]


@given(TEXTS)
def test_no_input_breaks_it(data: bytes) -> None:
    try:
        _ = SourceFile("x", data).view
    except UnreadableSource:
        return
    for document in (requirements(data), setup_cfg(data)):
        view = document.source.view
        for item in document.requirements:
            start, end = document.span(item)
            assert 0 <= start < end <= len(view)
            raw = view[start:end].decode("utf-8", "replace")
            assert item.name in normalise(raw)
        for command in document.commands:
            start, end = document.span(command)
            assert 0 <= start < end <= len(view)
            raw = view[start:end].replace(b"\\\r\n", b"   ").replace(b"\\\n", b"  ").decode("utf-8", "replace")
            for word in command.words[1:]:
                assert word.text in raw


@pytest.mark.parametrize("piece", ["a", "a-", "a[", " ", "#", " #", "\\\n", "-r ", "a==1\n", "[", "a =\n  b\n", "- "])
def test_time_grows_with_size_only(piece: str) -> None:
    begin = time.process_time()
    data = (piece * 20_000).encode()
    for document in (requirements(data), requirements(b"a" + data), setup_cfg(data), setup_cfg(b"[options]\n" + data)):
        assert document.requirements is not None
        assert document.commands is not None
    assert time.process_time() - begin < 120
