"""CU-017: names that HIP has had and no longer has."""

import re
from collections.abc import Iterator
from typing import Any

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.cmake import CMakeFile
from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.document import Document
from rewarp.lang.kinds import CPP_KINDS, Kind
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.cuda import reachable
from rewarp.source import Span
from rewarp.tables import rows
from rewarp.targets import Context

_VERSION = re.compile(r"\b(?:\w+_)?(?:HIP|ROCM|HIPRT)_?VERSION\w*")
_DEFINED = re.compile(r"(?:-D)?(__HIP_PLATFORM_(?:HCC|NVCC)__)(?:=.*)?")


@rule(
    id="CU-017",
    title="A name is used that HIP no longer has",
    kinds=(*CPP_KINDS, Kind.CMAKE, Kind.PYTHON),
    anchors=sorted(row["name"] if row["form"] == "field" else f"*{row['name']}" for row in rows("hip_dropped.csv")),
    phase=Phase.TRANSLATION,
    rocm=Impact(
        Severity.BUILD,
        why="HIP has dropped what its first compiler, HCC, brought, and renamed fields to match CUDA's: headers of ROCm 6 refuse "
        "to be compiled without __HIP_PLATFORM_AMD__, a test of the old macro is false, an old field is no member.",
        fix="Use the new name; HIP has had it since ROCm 4.2 or longer.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="#ifdef __HIP_PLATFORM_HCC__",
    versions="ROCm >= 6.0",
    source="https://github.com/ROCm/hip/blob/rocm-6.2.0/include/hip/hip_runtime_api.h",
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for macros, fields and headers that HIP dropped in ROCm 6, where the file does not know the new name as well."""
    for row in rows("hip_dropped.csv"):
        if row["form"] == "macro" and row["instead"].encode() in document.source.view:
            continue
        for where in _uses(document, context, row):
            message = f"{row['name']} is gone since ROCm {row['since']}: it is {row['instead']} now"
            yield Hit(where, message, row["name"])
            break  # the others are changed in the same way


def _uses(document: Document, context: Context, row: dict[str, str]) -> Iterator[Any]:
    name = row["name"].encode()
    if isinstance(document, CodeFile):
        if row["form"] == "header":
            yield from (include.where for include in document.includes if include.path.startswith(row["name"]))
        elif not row["needs"] or row["needs"].encode() in document.words:
            for at in reachable(document, context, document.words.get(name, ())):
                if _is_for_a_version(document, at):
                    continue
                if row["form"] == "macro" or document.code[:at].rstrip().endswith((b".", b"->")):
                    yield Span(at, at + len(name))
    elif isinstance(document, CMakeFile):
        calls = document.named("add_definitions", "add_compile_definitions", "target_compile_definitions", "set")
        yield from (call.where for call in calls if any(_is_defined(text, row["name"]) for text in call.texts))
    elif isinstance(document, PythonFile):
        yield from (node for node in document.strings if _is_defined(str(node.value), row["name"]))


def _is_for_a_version(document: CodeFile, at: int) -> bool:
    """Whether a test of HIP's version decides about a place: the other branch has the new name."""
    return any(_VERSION.search(arm.test.condition) for one, _ in document.around(at) for arm in one.arms)


def _is_defined(text: str, name: str) -> bool:
    return any((found := _DEFINED.fullmatch(word)) is not None and found[1] == name for word in text.split())
