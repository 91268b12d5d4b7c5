"""Architectures: what does a choice by the GPU's name come to on the one that was asked for?

On gfx94x FP8 is the fnuz formats; gfx95x, gfx11 and gfx12 have OCP's.
https://rocm.docs.amd.com/projects/HIP/en/latest/reference/low_fp_types.html"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from rewarp.project.gates import UNKNOWN, Evaluator, Value
from rewarp.targets.rocm import capability_of
from rewarp.verify.choices.view import Side, View, asks_for_fnuz, branches, walk

_GFX = re.compile(r"gfx[0-9a-f]{1,5}(?::.*)?")
_SPEAKS = re.compile(rb"(?i)gfx|fnuz|mi[23]\d\d|[cr]dna")
_FNUZ = re.compile(r"(?i)fnuz")
_OCP = re.compile(
    r"(?i)(?:torch\.|tl\.)?float8_?e(?:4m3(?:fn)?|5m2)|fp8_?(?:type_?)?e(?:4m3|5m2)(?:fn)?|.*ocp.*|-d\w*fp8\w*e4m3\w*"
)
_FAMILIES = (
    (re.compile(r"(?i)(mi3(00|08|25)[axz]?|cdna_?3|gfx_?94\w?)"), "gfx94"),
    (re.compile(r"(?i)(mi35[05][xp]?|cdna_?4|gfx_?95\w?)"), "gfx95"),
    (re.compile(r"(?i)(mi2(00|10|50)x?|cdna_?2|gfx_?90a)"), "gfx90a"),
    (re.compile(r"(?i)(rdna_?3|gfx_?11\w*)"), "gfx11"),
    (re.compile(r"(?i)(rdna_?4|gfx_?12\w*)"), "gfx12"),
    (re.compile(r"(?i)(navi\d*|rdna)"), "gfx1"),
)
"""What programs call GPUs, and how the names of their architectures begin."""
_OF_ONE_CAPABILITY = frozenset({"gfx90a", "gfx94", "gfx95"})
_ASKS = re.compile(r"(?i)_*(?:is|on|has|running_on)_*(\w+?)_*(?:gpu|platform|arch|device|series)?_*")


def formats(view: View, arch: str | None) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    data = view.document.source.data
    yield from _limits(view)
    if arch is None or not _SPEAKS.search(data):
        return
    there = OnArch(view, arch)
    yield from _unknown_to_its_name(view, there)
    yield from _capability_of_another(view, arch)
    if b"gcnArchName" in data:
        yield from _whole_name(view, arch)
    fnuz = arch.startswith("gfx94")
    if not fnuz and not arch.startswith(("gfx95", "gfx12")):
        return
    yield from _by_key(view, arch, fnuz)
    if _FNUZ.search(data.decode("utf-8", "replace")):
        yield from _by_test(view, there, fnuz)


def _limits(view: View) -> Iterator[tuple[ast.expr, str]]:
    """448 is no number of the fnuz formats, and Triton's names for them are fp8e4b8 and fp8e5b16: true on every GPU."""
    for node in (*view.document.nodes(ast.IfExp), *view.document.nodes(ast.If)):
        words = [_text(view, part) for part in ast.walk(node.test)]
        negated = any(isinstance(part, (ast.Not, ast.NotEq, ast.IsNot, ast.Or)) for part in ast.walk(node.test))
        if negated or not any(map(_FNUZ.search, words)):
            continue
        for part in walk([node.body] if isinstance(node, ast.IfExp) else node.body):
            if isinstance(part, ast.Constant) and part.value in (448, 57344) and not isinstance(part.value, bool):
                yield part, f"{part.value:g} is the largest number of OCP's format, and this is the fnuz format's side"
    for table in view.document.nodes(ast.Dict):
        for key, value in zip(table.keys, table.values):
            name, triton = (view.document.string(part) or _text(view, part) if part else "" for part in (key, value))
            if (
                key is not None
                and re.fullmatch(r"fp8e(4nv|5|4b8|5b16)", triton)
                and re.search(r"(?i)float8_?e[45]m[23]", name)
            ):
                if bool(_FNUZ.search(name)) is (triton in ("fp8e4nv", "fp8e5")):
                    yield key, f"{name} is taken for Triton's {triton}, which is the other format"


# --- names of GPUs ----------------------------------------------------------------


def _family(name: str) -> str | None:
    """How the architectures begin that a gate asks for by its name; None where it asks for none, or for several."""
    asked = _ASKS.fullmatch(name)
    return next((prefix for words, prefix in _FAMILIES if asked and words.fullmatch(asked[1])), None)


def _capability_of_another(view: View, arch: str) -> Iterator[tuple[ast.expr, str]]:
    """``is_mi300 = torch.cuda.get_device_capability() == (9, 5)``: that is gfx950."""
    gates: list[tuple[str, ast.AST]] = [(one.name, one) for one in view.document.nodes(ast.FunctionDef)]
    for assign in view.document.nodes(ast.Assign):
        if len(assign.targets) == 1 and isinstance(assign.targets[0], (ast.Name, ast.Attribute)):
            gates.append((view.document.raw(assign.targets[0]).rpartition(".")[2], assign.value))
    for name, gate in gates:
        family = _family(name)
        if family not in _OF_ONE_CAPABILITY or not arch.startswith(family):
            continue
        right = capability_of(arch)
        asked = [pair for node in ast.walk(gate) if (pair := _capability(view, node))]
        by_name = any(_gfx(node) for node in ast.walk(gate))
        if asked and not by_name and all(numbers != right for _, numbers in asked):
            yield asked[0][0], f"{name} asks for capability {asked[0][1]}, and that of {arch} is {right}"


def _capability(view: View, node: ast.AST) -> tuple[ast.Compare, tuple[object, ...]] | None:
    """``capability == (9, 4)``, with the numbers."""
    if not isinstance(node, ast.Compare) or len(node.ops) != 1 or not isinstance(node.ops[0], ast.Eq):
        return None
    left, right = node.left, node.comparators[0]
    asked = view.document.raw(left.func if isinstance(left, ast.Call) else left).rpartition(".")[2]
    if "capability" not in asked or not isinstance(right, ast.Tuple) or len(right.elts) != 2:
        return None
    numbers = tuple(view.document.number(item) for item in right.elts)
    return None if None in numbers else (node, numbers)


def _unknown_to_its_name(view: View, there: OnArch) -> Iterator[tuple[ast.stmt, str]]:
    """``def is_mi300(): return arch in ("gfx940", "gfx950")``: the name says more than the list."""
    arch = there.arch
    for function in view.document.nodes(ast.FunctionDef):
        family = _family(function.name)
        named = [text for node in ast.walk(function) if (text := _gfx(node))]
        if family and arch.startswith(family) and named and not any(_matches(arch, text) for text in named):
            yield function, f"{function.name} knows {', '.join(sorted(set(named))[:4])}, and not {arch}"
        if family and not arch.startswith(family) and _holds(there, function):
            yield function, f"{function.name} holds on {arch}"
        if _FNUZ.search(function.name) and not arch.startswith("gfx90"):
            returns = [n.value for n in ast.walk(function) if isinstance(n, ast.Return) and n.value is not None]
            truth = there.truth(returns[0]) if len(returns) == 1 and not _is_overridden(view, function) else None
            if truth is not None and truth is not arch.startswith("gfx94"):
                yield function, f"{function.name} is {truth} on {arch}, whose FP8 is {'fnuz' if not truth else 'OCP'}"


def _holds(there: OnArch, function: ast.FunctionDef) -> bool:
    returns = [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
    return len(returns) == 1 and returns[0] is not None and there.truth(returns[0]) is True


def _is_overridden(view: View, function: ast.FunctionDef) -> bool:
    """Whether a method is what a class has in general, and a file for AMD has another in its place."""
    return isinstance(view.document.parent(function), ast.ClassDef) and view.amd_defines(function.name)


def _whole_name(view: View, arch: str) -> Iterator[tuple[ast.expr, str]]:
    """``gcnArchName == "gfx942"``: the name goes on, ``gfx942:sramecc+:xnack-``."""
    for compare in view.document.nodes(ast.Compare):
        if len(compare.ops) != 1:
            continue
        left, operator, right = compare.left, compare.ops[0], compare.comparators[0]
        several = isinstance(operator, (ast.In, ast.NotIn))
        if not (several or isinstance(operator, (ast.Eq, ast.NotEq))) or not view.is_arch_name(left):
            continue
        texts = view.document.texts(right)
        if texts and all(_GFX.fullmatch(text) and ":" not in text for text in texts) and view.on_rocm(compare):
            if several and isinstance(right, ast.Constant):
                continue
            yield (
                compare,
                f"gcnArchName goes on after the architecture ({arch}:sramecc+:xnack-), so it is none of these",
            )


# --- formats ----------------------------------------------------------------------


def _by_key(view: View, arch: str, fnuz: bool) -> Iterator[tuple[ast.expr, str]]:
    """``{"gfx942": torch.float8_e4m3fn}``"""
    for table in view.document.nodes(ast.Dict):
        for key, value in zip(table.keys, table.values):
            text = _gfx(key) if key is not None else None
            if key is None or text is None or not _matches(arch, text):
                continue
            has_fnuz, has_ocp = _formats(view, [value])
            if has_ocp and not has_fnuz if fnuz else has_fnuz and not has_ocp:
                yield key, f"{text} gets {'an OCP' if fnuz else 'a fnuz'} format of FP8, which {arch} does not have"


def _by_test(view: View, there: OnArch, fnuz: bool) -> Iterator[tuple[ast.expr, str]]:
    """Branches by the architecture: the one taken has the other's format. What asks for fnuz by name is judged with the scales."""
    for node in (*view.document.nodes(ast.IfExp), *view.document.nodes(ast.If)):
        truth = there.truth(node.test)
        if truth is None or asks_for_fnuz(view.document, node.test) is not None or not view.on_rocm(node):
            continue
        sides = branches(view.document, node)
        taken, left = _formats(view, sides[truth]), _formats(view, sides[not truth])
        # A kernel for the other GPUs may know both: only a branch of the other's own tells something.
        if fnuz:
            wrong = left[0] and not left[1] and not taken[0]
        else:
            wrong = taken[0] and not taken[1] and not left[0] and left[1]
        if wrong and not (fnuz and _elsewhere(view, node, there)):
            word = "fnuz" if fnuz else "OCP"
            yield node.test, f"on {there.arch} this passes by the {word} formats of FP8, the ones it has"


def _elsewhere(view: View, node: ast.AST, there: OnArch) -> bool:
    """Whether another branch of the same function has the fnuz formats, and is not passed by."""
    scope = view.document.scope(node)
    for other in walk(getattr(scope, "body", [])):
        if _is_fnuz(view, other) and node not in view.document.ancestors(other) and other is not node:
            tests = [a for a in view.document.ancestors(other) if isinstance(a, (ast.If, ast.IfExp))]
            if all(there.truth(test.test) is not False for test in tests):
                return True
    return False


def _formats(view: View, side: Side) -> tuple[bool, bool]:
    """Whether a branch speaks of fnuz formats, and of OCP's."""
    fnuz = ocp = False
    for node in walk(side):
        if _is_fnuz(view, node):
            fnuz = True
        else:
            ocp = ocp or _OCP.fullmatch(_text(view, node)) is not None
    return fnuz, ocp


def _is_fnuz(view: View, node: ast.AST) -> bool:
    return _FNUZ.search(_text(view, node)) is not None


def _text(view: View, node: ast.AST) -> str:
    if isinstance(node, (ast.Name, ast.Attribute)):
        return view.document.raw(node)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 60 else ""


# --- conditions -------------------------------------------------------------------


class OnArch(Evaluator):
    """What expressions are on ROCm with a GPU of this architecture."""

    def __init__(self, view: View, arch: str) -> None:
        super().__init__(view.document, view.rocm_gpu.platform, view.modules)
        self.arch = arch

    def known(self, node: ast.AST) -> Value:
        truth: bool | None = None
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            truth = self._compared_names(node.left, node.ops[0], node.comparators[0])
        elif isinstance(node, ast.Call):
            truth = self._asked(node)
        return UNKNOWN if truth is None else Value.of(truth, of_platform=True)

    def _compared_names(self, left: ast.expr, operator: ast.cmpop, right: ast.expr) -> bool | None:
        text, texts = _gfx(left), self.document.texts(right)
        several = isinstance(operator, (ast.In, ast.NotIn))
        if text and several and not texts:
            return self.arch.startswith(text) is isinstance(operator, ast.In)
        if not texts or not all(map(_GFX.fullmatch, texts)):
            return None
        if several:
            return any(_matches(self.arch, t) for t in texts) is isinstance(operator, ast.In)
        if isinstance(operator, (ast.Eq, ast.NotEq)):
            return (self.arch == texts[0].partition(":")[0]) is isinstance(operator, ast.Eq)
        return None

    def _asked(self, call: ast.Call) -> bool | None:
        function = self.document.raw(call.func).rpartition(".")[2]
        if function == "startswith" and len(call.args) == 1:
            texts = self.document.texts(call.args[0])
            return any(map(self.arch.startswith, texts)) if texts and all(map(_GFX.fullmatch, texts)) else None
        if function == "any" and len(call.args) == 1:
            texts = [text for node in ast.walk(call.args[0]) if (text := _gfx(node))]
            return any(_matches(self.arch, text) for text in texts) if texts else None
        family = _family(function)
        return self.arch.startswith(family) if family and not call.args else None


def _matches(arch: str, text: str) -> bool:
    return arch.startswith(text.partition(":")[0].rstrip("x"))


def _gfx(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and _GFX.fullmatch(node.value):
        return node.value
    return None
