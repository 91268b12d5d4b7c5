"""Findings that are set aside: what another file keeps off ROCm, or a name keeps for another GPU. A rule sees one file."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Sequence

from rewarp.errors import RewarpError
from rewarp.findings import Finding
from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.kinds import Kind, kind_of_path
from rewarp.lang.python import PythonFile
from rewarp.project.gates import Reach, platform_for
from rewarp.project.modules import PythonModules
from rewarp.project.sides import is_for_amd
from rewarp.registry import Trait, all_rules, is_about
from rewarp.source import SourceFile
from rewarp.targets import ROCM
from rewarp.translation.tree import TranslatedTree
from rewarp.verify.choices import methods_for_amd
from rewarp.waves.reading.functions import definitions
from rewarp.workspace import Folder

_COMPUTES = re.compile(rb"scaled_mm|triton|torch\.ops\b|(?i:gemm|kernel)|\b_C\b|aiter")
"""What computes in FP8: where a type is only stored and converted, every GPU knows all of them."""
_ARCH = re.compile(r"(?<![a-z])gfx(\d{1,2}[0-9a-f]{2})(?![0-9a-z])")
_RDNA = re.compile(r"(?i)(?:^|_)(?:navi\d*|rdna\d?|gfx1[012]\w*|wave32|w32)(?:_|$)")
_NVIDIAS = re.compile(r"(?i)nvidia|nvml|(?<![a-z])nv(?![a-z])")


def not_gated_elsewhere(tree: Folder, findings: list[Finding]) -> list[Finding]:
    """Without what a gate that another module of the project holds keeps off ROCm; a rule sees one file."""
    modules = PythonModules(tree)
    reaches: dict[str, Reach] = {}

    def gated(finding: Finding) -> bool:
        document = modules.document(finding.path) if finding.path.endswith(".py") else None
        if document is None:
            return False
        if is_about(finding.rule, Trait.WHERE_COMPUTED) and not _COMPUTES.search(document.source.data):
            return True
        reach = reaches.setdefault(finding.path, Reach(document, platform_for(ROCM), modules))
        nodes = [node for node in ast.walk(document.tree) if getattr(node, "lineno", None) == finding.line]
        return bool(nodes) and all(
            reach.unreachable(node) or _is_nvidias(document, node) or _is_overridden(tree, document, node)
            for node in nodes
        )

    return [finding for finding in findings if not gated(finding)]


def is_for_another_gpu(path: str, arches: Sequence[str]) -> bool:
    """Whether a file's name keeps it for GPUs of another generation: test_gluon_gfx1250.py, where gfx942 is asked for."""
    named = _ARCH.findall(posixpath.basename(path).lower())
    return bool(named) and bool(arches) and {arch[3:-2] for arch in arches}.isdisjoint(name[:-2] for name in named)


def is_for_rdna(finding: Finding, tree: TranslatedTree, arches: Sequence[str]) -> bool:
    """Whether 32 lanes are taken for granted in a function that its name keeps for GPUs with waves of 32, and none of these is asked for."""
    if all_rules()[finding.rule].family != "waves" or not arches or any(arch[:4] != "gfx9" for arch in arches):
        return False
    try:
        source = SourceFile(finding.path, tree.place(finding.path).read_bytes())
        code = CodeFile(source, kind_of_path(finding.path) or Kind.CPP).code
    except (OSError, RewarpError):
        return False
    around = (one for one in definitions(code) if one.body.start <= finding.start < one.body.end)
    return any(_RDNA.search(one.name) for one in around)


def _is_nvidias(document: PythonFile, node: ast.AST) -> bool:
    """Whether a function or class that is NVIDIA's by its name holds it: who calls it asks first."""
    around = (
        a.name for a in document.ancestors(node) if isinstance(a, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
    )
    return any(map(_NVIDIAS.search, around))


def _is_overridden(tree: Folder, document: PythonFile, node: ast.AST) -> bool:
    """Whether it stands in a method that a file for AMD has another of: what a class does in general. AMD's own is no other."""
    if is_for_amd(posixpath.basename(document.source.path)):
        return False
    method = next((a for a in document.ancestors(node) if isinstance(a, (ast.FunctionDef, ast.AsyncFunctionDef))), None)
    own = method is not None and isinstance(document.parent(method), ast.ClassDef)
    return own and method is not None and method.name[:2] != "__" and method.name in methods_for_amd(tree)
