"""TRI-005: ``input_precision`` values the AMD backend refuses."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.triton._shapes import launches, triton_name, values
from rewarp.targets import Context


@rule(
    id="TRI-005",
    title="tl.dot asks for TF32",
    kinds=PYTHON_KINDS,
    anchors=["tf32", "tf32x3", "TF32", "TF32x3", "TF32X3"],
    phase=Phase.ARCHITECTURE,
    rocm=Impact(
        Severity.CRASH,
        why="Triton's AMD backend accepts ieee, bf16x3 and bf16x6, and tf32 on gfx942 alone; any other value is an "
        "assertion while the kernel compiles. (allow_tf32=True is harmless: it falls back to ieee.)",
        fix='Pass the precision as a constexpr argument and choose it at the launch: "ieee" if torch.version.hip else '
        '"tf32".',
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example='acc = tl.dot(a, b, acc, input_precision="tf32")',
    versions="triton >= 3.0",
    source="https://github.com/triton-lang/triton/blob/main/python/triton/language/semantic.py",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for tf32 or tf32x3 as input_precision of tl.dot, given there, as a default or at the launch."""
    for where, text in _precisions(document):
        refused = text.lower()
        # gfx942 is the one architecture with tf32.
        if refused == "tf32x3" or (refused == "tf32" and context.versions.arch != "gfx942"):
            known = "no AMD GPU has it" if refused == "tf32x3" else "of AMD's GPUs only gfx942 has it"
            yield Hit(where, f"input_precision is {text!r}; {known}", "tl.dot")


def _precisions(document: PythonFile) -> Iterator[tuple[ast.AST, str]]:
    parameters: set[str] = set()
    for call in document.nodes(ast.Call):
        if triton_name(document, call.func) not in ("tl.dot", "tl.dot_scaled"):
            continue
        given = document.argument(call, 3, "input_precision")
        if given is None:
            continue
        if isinstance(given, ast.Name):
            parameters.add(given.id)
        for value in (*values(document, given), *_defaults(document, given)):
            if text := document.string(value):
                yield value, text
    for call in launches(document):
        for keyword in call.keywords:
            if keyword.arg and ("precision" in keyword.arg.lower() or keyword.arg in parameters):
                for value in values(document, keyword.value):
                    if text := document.string(value):
                        yield value, text


def _defaults(document: PythonFile, name: ast.expr) -> Iterator[ast.expr]:
    """The default of the kernel parameter that a name is."""
    function = document.enclosing(name, ast.FunctionDef)
    if not isinstance(name, ast.Name) or function is None:
        return
    positional = [*function.args.posonlyargs, *function.args.args]
    pairs = list(zip(reversed(positional), reversed(function.args.defaults)))
    pairs += [(arg, value) for arg, value in zip(function.args.kwonlyargs, function.args.kw_defaults) if value]
    for argument, default in pairs:
        if argument.arg == name.id:
            yield from values(document, default)
