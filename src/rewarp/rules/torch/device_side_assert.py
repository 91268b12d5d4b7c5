"""PY-RT-002: code that counts on asserts inside GPU kernels."""

import ast
import re
from collections.abc import Iterator

from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.torch_runtime import text_tests
from rewarp.targets import Context

_TEXT = re.compile(r"(?i)device[- ]side assert")


@rule(
    id="PY-RT-002",
    title="Code counts on an assert inside a GPU kernel",
    kinds=PYTHON_KINDS,
    anchors=["_assert_async", "side assert ~evice-side assert", "side assert ~evice side assert", "TORCH_USE_CUDA_DSA"],
    phase=Phase.VERIFICATION,
    rocm=Impact(
        Severity.WRONG,
        why="The usual ROCm builds of torch leave kernel asserts out: a bad index raises nothing and the kernel works "
        "on garbage.",
        fix="Check the bounds on the host (or with torch operations whose result you read) before the kernel runs.",
        effort=Effort.HOURS,
    ),
    gaudi=Impact(
        Severity.WRONG,
        why="In lazy mode an error comes up later than the operation that caused it, and with another text.",
        fix="Check the bounds on the host before the operation.",
        effort=Effort.HOURS,
    ),
    example='with pytest.raises(RuntimeError, match="device-side assert"):',
    versions="unless torch was built with kernel asserts for ROCm",
    source="https://docs.pytorch.org/docs/main/notes/hip.html#enabling-kernel-asserts",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for tests for the text "device-side assert", torch._assert_async and TORCH_USE_CUDA_DSA being set."""
    for test in text_tests(document):
        if _TEXT.search(test.text):
            expected = _is_expected(document, test.where)
            yield Hit(
                test.where,
                "an error about a device-side assert is expected, and none comes"
                if expected
                else "the text of a device-side assert is looked for, and ROCm builds never raise one",
                "device-side assert",
                None if expected else Severity.INFO,
            )
    for path, call in document.calls("torch._assert_async", "torch.ops.aten._assert_async"):
        if not (call.args and isinstance(call.args[0], ast.Constant)):
            gaudi = context.target.name == "gaudi"
            outcome = "and in lazy mode it reports late" if gaudi else "where ROCm builds check nothing"
            yield Hit(
                call, f"{path} checks inside a kernel, {outcome}", path, severity=Severity.INFO if gaudi else None
            )
    for item in document.env_sets:
        if item.name == "TORCH_USE_CUDA_DSA" and item.value not in ("0", ""):
            yield Hit(item, "TORCH_USE_CUDA_DSA asks for kernel asserts", item.name, severity=Severity.INFO)


def _is_expected(document: PythonFile, where: ast.AST) -> bool:
    """Whether code counts on the error: a test that asserts it, rather than a handler that would deal with it."""
    around = [where, *document.ancestors(where)]
    if any(isinstance(node, ast.Assert) for node in around):
        return True
    calls = (node for node in around if isinstance(node, ast.Call))
    return any(re.search(r"(?i)raises|assert", document.raw(call.func)) for call in calls)
