"""CUDA and the HIP it must become, one readable file per construct: ``tests/translation/*.cu``.

    // compile: no, it needs a header of the project        at the top, where a case needs it; see Case
    (CUDA)
    // ---- HIP ----
    (HIP)
    // ---- findings ----
    // 3 unsupported cudaFooBar

The findings are line of the input, kind and symbol. A file that must stay as it is has the line
``// ---- unchanged ----`` in place of the HIP. ``pytest --update-cases`` rewrites what follows the input; read the diff.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import pytest

from rewarp import toolchain
from rewarp.edits import apply
from rewarp.source import SourceFile
from rewarp.tables import cuda
from rewarp.translation.changes import SUPPORT_HEADER, Options, Translation
from rewarp.translation.lexing import lex
from rewarp.translation.support import support_for
from rewarp.translation.tree import translate_sources

FOLDER = Path(__file__).parent.parent / "translation"
STAND_INS = Path(__file__).parent.parent / "support" / "libraries"
"""A few declarations of libraries that are seldom installed; their own headers go first."""
HIP, UNCHANGED, FINDINGS = (f"// ---- {name} ----\n".encode() for name in ("HIP", "unchanged", "findings"))
_SETTING = re.compile(rb"// (options|compile|path|files): ([^\r\n]*)\n")
_END_OF_INPUT = re.compile(rb"^// ---- (?:HIP|unchanged) ----\n", re.MULTILINE)
_DEVICE_CODE = re.compile(rb"__(?:global|device)__")
_PREFIXES = {"rccl": "nccl", "hipblaslt": "hipblas"}
"""Of the names in a library that are not called like it."""
_ARCH = "gfx942"


@dataclass
class Case:
    """One file of the folder."""

    file: Path
    source: bytes
    expected: bytes = b""
    findings: list[str] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)
    """``options``: ``launch=ggl``, ``rtc``. ``compile``: another architecture, ``-D`` options, or ``no``; then a comma and
    why. ``path``: the name of the input. ``files``: other files of the project, by their names."""

    @classmethod
    def read(cls, file: Path) -> Case:
        data = file.read_bytes()
        settings, at = {}, 0
        while setting := _SETTING.match(data, at):
            settings[setting[1].decode()] = setting[2].decode()
            at = setting.end()
        end = _END_OF_INPUT.search(data, at)
        if end is None:
            return cls(file, data[at:], settings=settings)
        source = data[at : end.start()]
        result, _, findings = data[end.end() :].partition(FINDINGS)
        expected = source if end[0] == UNCHANGED else result
        return cls(file, source, expected, findings.decode().splitlines(), settings)

    def rewrite(self) -> None:
        translation = self.translate(self.source)
        settings = "".join(f"// {name}: {value}\n" for name, value in self.settings.items()).encode()
        result = HIP + translation.data if translation.data != self.source else UNCHANGED
        findings = "".join(line + "\n" for line in findings_of(translation)).encode()
        self.file.write_bytes(settings + self.source + result + (FINDINGS + findings if findings else b""))

    @property
    def path(self) -> str:
        return self.settings.get("path", self.file.name)

    @property
    def other_files(self) -> list[str]:
        return self.settings.get("files", "").split()

    @property
    def compiled_for(self) -> str:
        """``no``, or an architecture."""
        return next((word for word in self._compile_words if not word.startswith("-D")), _ARCH)

    @property
    def defines(self) -> list[str]:
        return [word for word in self._compile_words if word.startswith("-D")]

    @property
    def _compile_words(self) -> list[str]:
        return self.settings.get("compile", "").partition(",")[0].split()

    def translate(self, data: bytes) -> Translation:
        words = dict(word.partition("=")[::2] for word in self.settings.get("options", "").split())
        source = SourceFile(self.path, data)
        tree = translate_sources(
            Path("project"),
            [(source, lex(source.view))],
            Options(launch=words.get("launch", "chevron"), runtime_sources="rtc" in words),
            others=[(name, Path(name)) for name in self.other_files],
        )
        (translation,) = tree.translations
        return translation


def findings_of(translation: Translation) -> list[str]:
    both = zip(translation.findings, translation.problems)
    return [f"// {finding.line} {problem.kind} {problem.symbol}".rstrip() for finding, problem in both]


FILES = sorted(FOLDER.glob("*.cu"))
each_case = pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)


def test_there_are_cases() -> None:
    assert FILES


@each_case
def test_translation(file: Path, request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update-cases"):
        Case.read(file).rewrite()
    case = Case.read(file)
    translation = case.translate(case.source)
    assert translation.data == case.expected
    assert findings_of(translation) == case.findings


@each_case
def test_only_the_edits_change_bytes(file: Path) -> None:
    case = Case.read(file)
    translation = case.translate(case.source)
    assert apply(case.source, translation.edits) == translation.data


@each_case
def test_hip_is_left_alone(file: Path) -> None:
    case = Case.read(file)
    assert case.translate(case.expected).data == case.expected


hip = lru_cache(maxsize=1)(toolchain.find)


@each_case
def test_result_compiles(file: Path, tmp_path: Path) -> None:
    """Or does not, where the case says why: a reason that has gone must go from the case too."""
    case = Case.read(file)
    for name in case.other_files:
        tmp_path.joinpath(name).parent.mkdir(parents=True, exist_ok=True)
        tmp_path.joinpath(name).touch()
    source = tmp_path / Path(case.path).with_suffix(".hip")
    source.write_bytes(case.expected)
    # Only device code can hold assembly that the syntax check passes over; without any, half the time is saved.
    level: toolchain.Level = "assembly" if _DEVICE_CODE.search(case.expected) else "syntax"
    # With as much of the support header as such a project would get.
    support = tmp_path / "support"
    support.mkdir()
    support.joinpath(SUPPORT_HEADER).write_bytes(support_for([case.expected]))
    options = (f"-I{support}", "-idirafter", str(STAND_INS), *case.defines)
    arch = _ARCH if case.compiled_for == "no" else case.compiled_for
    absent = [name for name in libraries() if f"<{name}/".encode() in case.expected and not is_here(name)]
    if absent and case.compiled_for != "no":
        assert errors_apart_from(absent, source, arch, options) == []
        return
    done = hip().compile_device(source, arch, options=options, level=level)
    if case.compiled_for == "no":
        assert not done.ok, f"it compiles, and the case says {case.settings['compile']!r}"
    else:
        assert done.ok, "\n".join(map(str, done.errors))


def is_here(library: str) -> bool:
    return any((folder / library).is_dir() for folder in hip().includes)


def errors_apart_from(absent: Sequence[str], source: Path, arch: str, options: Sequence[str]) -> list[str]:
    """What is wrong with a source besides the names of libraries that are not here, whose headers are empty instead.
    A header missing from a library that is here, or from one that no table names, is a wrong translation."""
    empty = source.parent / "empty"
    while True:
        done = hip().check(source, arch, options=(*options, "-idirafter", str(empty), "-ferror-limit=0"))
        failure = done.failure
        if failure is None or failure.cause is not toolchain.Cause.MISSING_HEADER or not in_one_of(absent, failure):
            break
        empty.joinpath(failure.subject).parent.mkdir(parents=True, exist_ok=True)
        empty.joinpath(failure.subject).touch(exist_ok=False)
    theirs = re.compile("|".join(_PREFIXES.get(name, name) for name in absent), re.IGNORECASE)
    lines = {str(source): source.read_text().splitlines()}
    places = {error: lines[error.file][(error.line or 1) - 1] if error.file in lines else "" for error in done.errors}
    return [str(error) for error, line in places.items() if not theirs.search(f"{error.message} {line}")]


def in_one_of(absent: Sequence[str], failure: toolchain.Failure) -> bool:
    return failure.subject.partition("/")[0] in absent


@lru_cache(maxsize=1)
def libraries() -> frozenset[str]:
    """The folders that the headers of ROCm's libraries lie in."""
    twins = (cuda.header(name) for name in cuda.includes())
    return frozenset(header.partition("/")[0] for twin in twins if twin for header in twin.hip.split(";"))
