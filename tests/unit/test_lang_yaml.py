"""YAML: scalars with their key paths, shell inside, variables, packages, and no input that breaks it."""

from __future__ import annotations

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewarp.errors import UnreadableSource
from rewarp.lang.kinds import Kind
from rewarp.lang.yaml import YamlFile
from rewarp.source import SourceFile
from rewarp.targets import ROCM

PIECES = st.sampled_from(
    "a b key run env environment name value pip dependencies - : # | > |- >+ ' \" [ ] { } , {{ }} --- % & * ! \n \n \n"
    " \r\n \r \t é \ufeff https://x/y#z a=b $X".split(" ")
    + ["  ", "    ", ": ", "- ", "\n  ", "\n    "]
)
TEXTS = st.one_of(
    st.lists(PIECES, max_size=80).map("".join).map(str.encode),
    st.binary(max_size=200).map(lambda data: data.replace(b"\0", b" ")),
)


def yaml(text: str | bytes, kind: Kind = Kind.YAML) -> YamlFile:
    data = text if isinstance(text, bytes) else textwrap.dedent(text).lstrip("\n").encode()
    return YamlFile(SourceFile("x.yaml", data), kind)


def scalars(text: str | bytes) -> list[tuple[str, str]]:
    return [(".".join(entry.path), entry.value) for entry in yaml(text).entries if entry.value]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1\nb:\n  c: two words\n", [("a", "1"), ("b.c", "two words")]),
        ("a:\n- x\n- y\nb: z\n", [("a", "x"), ("a", "y"), ("b", "z")]),
        ("a:\n  - n: 1\n    m: 2\n  - n: 3\n", [("a.n", "1"), ("a.m", "2"), ("a.n", "3")]),
        ("a:\n  - - x\n    - y\n", [("a", "x"), ("a", "y")]),
        ("a: [x, 'y z', \"w\"]\n", [("a", "x"), ("a", "y z"), ("a", "w")]),
        ("a: \"x # y\" # z\nb: 'c' # d\ne: f#g # h\n", [("a", "x # y"), ("b", "c"), ("e", "f#g")]),
        ("\"quoted key\": 1\n'and': 2\n", [("quoted key", "1"), ("and", "2")]),
        ("nvidia.com/gpu: 1\n", [("nvidia.com/gpu", "1")]),
        ("a: http://x:80/y\n", [("a", "http://x:80/y")]),
        ("a:\n  b: 1\n---\nc: 2\n", [("a.b", "1"), ("c", "2")]),
        ("a: |\n  x: 1\n  # y\n\n  z\nb: 2\n", [("a", "  x: 1\n  # y\n\n  z\n"), ("b", "2")]),
        ("a:\n  - |\n    x: 1\n    y\n  - z\n", [("a", "    x: 1\n    y\n"), ("a", "z")]),
        ("- a: |\n    x\n  b: 2\n", [("a", "    x\n"), ("b", "2")]),
        ("a: |", [("a", "")][:0]),
        ("\ufeffa: 1\n", [("a", "1")]),
        ("a: 1\r\nb: 2\r\n", [("a", "1"), ("b", "2")]),
        ("{{- if .X }}\na: {{ .Y }}\n{{- end }}\n", [("", "{{- if .X }}"), ("a", "{{ .Y }}"), ("", "{{- end }}")]),
    ],
)
def test_entries(text: str, expected: list[tuple[str, str]]) -> None:
    found = scalars(text)
    if "{{" in text:  # a template's own lines have no key of theirs
        found = [(path if value.startswith("{{ .") else "", value) for path, value in found]
    assert found == expected


def test_shell_inside() -> None:
    document = yaml(
        """
        jobs:
          steps:
            - run: pip install torch  # comment
            - run: |
                a \\
                  b
                # c
                if command -v nvidia-smi; then nvidia-smi; fi
            - run: >-
                docker run
                --gpus all
            - script:
                - "quoted one"
                - |
                  in a list
            - command: ["bash", "-c", "x y"]
            - name: not this
        """
    )
    texts = [" ".join(command.texts) for command in document.commands]
    assert texts == [
        "pip install torch",
        "a b",
        "command -v nvidia-smi",
        "nvidia-smi",
        "docker run --gpus all",
        "quoted one",
        "in a list",
        "bash",
        "-c",
        "x y",
    ]
    assert [item.name for item in document.requirements] == ["torch"]
    smi = document.commands[3]
    assert document.source.view[slice(*document.span(smi))] == b"nvidia-smi"
    assert document.unreachable(smi, ROCM)


def test_variables() -> None:
    document = yaml(
        """
        env:
          A: 1
          B: ${{ x }}
        services:
          x:
            environment:
              - C=3
              - D
        spec:
          env:
            - name: E
              value: "5"
        runtime_env:
          env_vars:
            F: "6"
        """
    )
    found = {item.name: item.value for item in document.env_sets if item.name.isupper()}
    assert found == {"A": "1", "B": None, "C": "3", "E": "5", "F": "6"}


def test_conda_packages() -> None:
    document = yaml(
        """
        channels: [pytorch, nvidia]
        dependencies:
          - python=3.10
          - nvidia::cuda-nvcc
          - pytorch=2.1=py3.10_cuda12.1
          - pip:
            - torch>=2  # newer
        """,
        Kind.CONDA,
    )
    assert [(item.name, item.group) for item in document.requirements] == [
        ("python", "conda"),
        ("cuda-nvcc", "conda"),
        ("pytorch", "conda"),
        ("torch", ""),
    ]


@given(TEXTS)
def test_no_input_breaks_it(data: bytes) -> None:
    try:
        _ = SourceFile("x", data).view
    except UnreadableSource:
        return
    for kind in (Kind.YAML, Kind.CONDA):
        document = yaml(data, kind)
        view = document.source.view
        for entry in document.entries:
            for start, end in (entry.span, entry.key_span):
                assert 0 <= start <= end <= len(view)
            raw = view[entry.span.start : entry.span.end]
            assert entry.value in raw.decode("utf-8", "replace")
            if entry.key_span != entry.span and entry.key:
                assert entry.key in view[entry.key_span.start : entry.key_span.end].decode("utf-8", "replace")
        for command in document.commands:
            for word in command.words:
                start, end = document.span(word)
                assert 0 <= start < end <= len(view)
                raw = view[start:end]
                if not set(b"'\"\\\r\n") & set(raw):
                    assert word.text in raw.decode("utf-8", "replace")
        for item in (*document.env_sets, *document.env_reads, *document.requirements):
            start, end = document.span(item)
            assert 0 <= start <= end <= len(view)


@pytest.mark.parametrize(
    "piece", ["- ", "a: ", " ", ":", "#", " #", '"', "'", "[", "a:\n  ", "a: |\n ", "\t", "- |\n", "a b "]
)
def test_long_runs_of_one_piece_are_read(piece: str) -> None:
    document = yaml((piece * 20_000).encode(), Kind.CONDA)
    assert document.entries is not None
    assert document.commands is not None
    assert document.requirements is not None
