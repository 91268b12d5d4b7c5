"""Names that nobody knows, close to one that somebody does: variables that nobody reads, values that their reader refuses,
architectures that no GPU has, names that torch lacks.

A name is judged only against what is known: the tables of variables, GPUs and torch's functions, and what the project's own programs read.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from rewarp.errors import RewarpError
from rewarp.lang.document import Document, EnvSet
from rewarp.lang.kinds import Kind, kind_of_path
from rewarp.lang.parsing import parse
from rewarp.lang.python import PythonFile
from rewarp.source import SourceFile
from rewarp.tables import amd_arches, rows
from rewarp.workspace import Tree

_KINDS = (
    *(Kind.PYTHON, Kind.NOTEBOOK, Kind.SHELL, Kind.DOTENV, Kind.DOCKERFILE, Kind.COMPOSE),
    *(Kind.ACTIONS, Kind.YAML, Kind.CONDA, Kind.MAKE, Kind.SETUP_CFG),
)
"""Every kind of file that can set a variable."""
_AMDS = ("HIP", "ROCM", "ROCR", "AMD", "AMDGPU", "HSA", "RCCL", "MIOPEN", "HIPBLASLT", "ROCBLAS", "TUNABLEOP", "HIPCC")
_VENDORS = frozenset({"HIP", "ROCM", "ROCR", "AMD", "HSA", "HCC"})
_NUMBERED = ("NCCL_",)
"""Families in which real names differ by a letter or two."""
_ARCHES = ("PYTORCH_ROCM_ARCH", "GPU_ARCHS", "AMDGPU_TARGETS", "HIP_ARCHITECTURES", "CMAKE_HIP_ARCHITECTURES")
_GFX = re.compile(r"\bgfx[0-9a-z]+\b", re.I)
_ARCH_LIST = re.compile(
    r"(?:gfx[0-9a-z-]+(?::\w+[+-])*|native|all)(?:[;, ]+(?:gfx[0-9a-z-]+(?::\w+[+-])*|native))*[;, ]*"
)
_FLOAT8 = frozenset("float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu".split())
_VERSION = frozenset("hip cuda xpu rocm debug git_version __version__ __dict__ __file__ __name__ hip_version".split())
_WORTH = re.compile(
    rb"\b(?:[A-Z0-9]+_)*(?:HIP|ROCM|ROCR|AMD|AMDGPU|HSA|MIOPEN|RCCL|TUNABLEOP)(?:_[A-Z0-9]+)+\b|gfx\d\w\w"
)
_OF_TORCH = re.compile(rb"\btorch\.(?:cuda\.(\w+)|version\.(\w+)|(float8_\w+))")


class Misspelt(NamedTuple):
    """A name or value that its reader does not know."""

    path: str
    line: int
    why: str


def misspelt(tree: Tree, paths: Iterable[str]) -> Iterator[Misspelt]:
    documents = [one for path in paths if (one := _document(tree, path)) is not None]
    reads = Counter(name for document in documents for name in {item.name for item in document.env_reads})
    named = _named_by_programs(tree, documents)
    for document in documents:
        found = [*_variables(document, reads, named), *_arches(document), *_of_torch(document)]
        for at, why in sorted(set(found)):
            yield Misspelt(document.source.path, document.source.line_at(at), why)


def _document(tree: Tree, path: str) -> Document | None:
    kind = kind_of_path(path)
    data = tree.read(path) if kind in _KINDS else None
    if kind is None or data is None or not (_WORTH.search(data) or _names_unknown(data)):
        return None  # most files are not worth to be parsed
    try:
        document = parse(SourceFile(path, data), kind)
    except RewarpError:
        return None
    return document if isinstance(document, Document) else None


def _names_unknown(data: bytes) -> bool:
    """Whether a name of torch stands there that the tables lack."""
    known = _torch_cuda() | _VERSION | _FLOAT8
    return any((match[1] or match[2] or match[3]).decode() not in known for match in _OF_TORCH.finditer(data))


def _named_by_programs(tree: Tree, documents: list[Document]) -> Callable[[str], bool]:
    """Whether a file that is not seen to set or read a variable has its name: it may do so in a way that is not seen."""
    setting: dict[str, set[str]] = {}
    for document in documents:
        for name in {item.name for item in document.env_sets} | {item.name for item in document.env_reads}:
            setting.setdefault(name, set()).add(document.source.path)

    @cache
    def named(name: str) -> bool:
        word = re.compile(rb"(?<!\w)" + re.escape(name.encode()) + rb"(?!\w)")
        return any(
            path not in setting.get(name, ()) and word.search(tree.read(path) or b"")
            for path in tree.entries
            if not path.endswith((".md", ".rst", ".txt"))
        )

    return named


def _variables(document: Document, reads: Counter[str], named: Callable[[str], bool]) -> Iterator[tuple[int, str]]:
    known = _known()
    for item in document.env_sets:
        at = document.span(item).start
        if item.name in known:
            if why := _refused(item, known[item.name]):
                yield at, why
        elif item.name not in reads and (meant := _near(item.name, [*known, *reads])) and not named(item.name):
            yield at, f"nobody reads {item.name}; what is read is {meant}"
    for read in document.env_reads:
        if (
            read.name not in known
            and reads[read.name] == 1
            and (meant := _near(read.name, known))
            and not named(read.name)
        ):
            yield document.span(read).start, f"nobody sets {read.name}; what is set is {meant}"


@lru_cache(maxsize=1)
def _known() -> dict[str, str]:
    """Variables of AMD's libraries, each with what its reader takes."""
    return {row["name"]: row["value"] for row in rows("amd_env.csv")}


def _refused(item: EnvSet, takes: str) -> str | None:
    value = (item.value or "").strip().strip("\"'")
    if not value or re.search(r"[${}<>`]", value):
        return None
    if item.name in _ARCHES:
        return (
            None if _ARCH_LIST.fullmatch(value) else f"{item.name} holds architectures such as gfx942, and not {value}"
        )
    return None if not takes or re.fullmatch(takes, value) else f"who reads {item.name} does not know the value {value}"


def _near(name: str, known: Iterable[str]) -> str | None:
    """The known name that another one is most likely meant to be."""
    words = name.split("_")
    if not name.isupper() or name.startswith(_NUMBERED) or not any(word in _AMDS for word in words):
        return None
    rest = sorted(word for word in words if word not in _VENDORS)
    for other in known:
        if other == name:
            return None
        others = other.split("_")
        if not any(word in _AMDS for word in others):
            continue
        same = len(rest) > 1 and rest == sorted(word for word in others if word not in _VENDORS)
        if same or distance(name, other) <= (2 if len(name) >= 14 else 1):
            return other
    return None


def distance(one: str, other: str) -> int:
    """Letters that are lacking, too many, others, or two that changed places; more than 2 counts as 3."""
    if abs(len(one) - len(other)) > 2:
        return 3
    before, last = list[int](), list(range(len(other) + 1))
    for number, letter in enumerate(one, 1):
        row = [number]
        for place, against in enumerate(other, 1):
            best = min(last[place] + 1, row[place - 1] + 1, last[place - 1] + (letter != against))
            if number > 1 and place > 1 and letter == other[place - 2] and one[number - 2] == against:
                best = min(best, before[place - 2] + 1)
            row.append(best)
        before, last = last, row
    return min(last[-1], 3)


def _arches(document: Document) -> Iterator[tuple[int, str]]:
    """Architectures in what is set and in texts, that no GPU has and that are close to one that some has."""
    places = [(document.span(item).start, item.value or "") for item in document.env_sets]
    if isinstance(document, PythonFile):
        texts = (node for node in document.nodes(ast.Constant) if isinstance(node.value, str) and len(node.value) < 200)
        places += [(document.span(node).start, str(node.value)) for node in texts]
    for at, text in places:
        for found in _GFX.findall(text):
            if why := _no_such(found):
                yield at, why


def _no_such(arch: str) -> str | None:
    name = arch.lower()
    known = amd_arches()
    if name in known or len(name) < 6:
        return None
    close = next((one for one in known if sorted(one) == sorted(name) and distance(one, name) == 1), None)
    return f"no GPU is {arch}; {close} is one, with two letters in the other order" if close else None


@lru_cache(maxsize=1)
def _torch_cuda() -> frozenset[str]:
    return frozenset(row["name"].partition(".")[0].partition("(")[0] for row in rows("torch_cuda.csv"))


def _of_torch(document: Document) -> Iterator[tuple[int, str]]:
    if not isinstance(document, PythonFile):
        return
    for node in document.nodes(ast.Attribute):
        path = _dotted(node)
        if path is None or not path.startswith("torch.") or document.caught(node, "AttributeError"):
            continue
        owner, _, name = path.rpartition(".")
        lacks = owner == "torch" and name.startswith("float8_") and name not in _FLOAT8
        lacks = lacks or (owner == "torch.version" and name not in _VERSION)
        if owner == "torch.cuda" and name not in _torch_cuda() and len(name) > 5 and not name.startswith("_"):
            lacks = any(distance(name, other) <= 2 for other in _torch_cuda() if len(other) > 5)
        if lacks and isinstance(node.ctx, ast.Load) and not _is_asked_for(document, name):
            yield document.span(node).start, f"torch has no {path}"


def _is_asked_for(document: PythonFile, name: str) -> bool:
    """Whether the file asks first: ``hasattr(torch.version, "x")``."""
    return any(node.value == name for node in document.nodes(ast.Constant) if isinstance(node.value, str))


def _dotted(node: ast.expr) -> str | None:
    if isinstance(node, ast.Attribute):
        base = _dotted(node.value)
        return f"{base}.{node.attr}" if base else None
    return node.id if isinstance(node, ast.Name) else None
