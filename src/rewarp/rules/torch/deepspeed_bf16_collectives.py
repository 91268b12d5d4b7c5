"""PY-RT-017: DeepSpeed with bf16 and collectives in the same type."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.place import Mend, Outcome, Place
from rewarp.fixes.splices import after
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.targets import Context

_MARKS = {
    "zero_optimization",
    "train_batch_size",
    "train_micro_batch_size_per_gpu",
    "gradient_accumulation_steps",
    "gradient_clipping",
    "zero_allow_untested_optimizer",
    "steps_per_print",
}
_DTYPE = "communication_data_type"


def _in_fp32(place: Place) -> Outcome | None:
    section = place.node(ast.Dict)
    config = place.document.parent(section) if section is not None else None
    if not isinstance(config, ast.Dict) or section is None:
        return None
    key = config.keys[config.values.index(section)] or section
    own_line = not place.view.source.data[place.view.line_start(key) : place.view.span(key).start].strip()
    gap = place.view.newline + place.view.indent(key) if own_line else " "
    entry = f',{gap}**({{"communication_data_type": "fp32"}} if {place.gate.rocm} else {{}})'
    return Mend(after(place, section, entry), "Collectives in bf16 gave NaN weights on ROCm; they run in fp32 there.")


@rule(
    id="PY-RT-017",
    title="DeepSpeed runs in bf16 without a type for its collectives",
    kinds=PYTHON_KINDS,
    anchors=[
        "bf16 deepspeed",
        "bfloat16 deepspeed",
        'bf16 ~"bf16"',
        "bf16 ~'bf16'",
        'bfloat16 enabled ~"bfloat16"',
        "bfloat16 enabled ~'bfloat16'",
    ],
    phase=Phase.VERIFICATION,
    rocm=Impact(
        Severity.INFO,
        why="Weights turning to NaN were reported on ROCm when DeepSpeed reduces gradients in bf16; accelerate sets fp32 "
        "for the collectives there.",
        fix='Set "communication_data_type": "fp32" in the configuration used on ROCm.',
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example='config = {"bf16": {"enabled": True}, "zero_optimization": {"stage": 2}}',
    versions="reported in 2026",
    source="https://github.com/huggingface/accelerate/pull/4025",
    fix=PythonFix(_in_fp32, even_if_mild=True),
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for DeepSpeed configurations in Python that switch bf16 on, or code that does, and do not name
    communication_data_type."""
    if any(text.value == _DTYPE for text in document.strings):
        return
    for config in document.nodes(ast.Dict):
        entries = {document.string(key): value for key, value in zip(config.keys, config.values) if key is not None}
        if not _MARKS.intersection(name for name in entries if name):
            continue
        for name in ("bf16", "bfloat16"):
            section = entries.get(name)
            enabled = _enabled(document, section) if isinstance(section, ast.Dict) else None
            if enabled is True:
                yield Hit(section, f"DeepSpeed's {name} is on and {_DTYPE} is not set", _DTYPE)
            elif enabled == "auto":
                message = f"DeepSpeed's {name} may be on and {_DTYPE} is not set"
                yield Hit(section, message, _DTYPE, severity=Severity.INFO)
    if b"deepspeed" in document.source.data.lower():
        for assign in document.nodes(ast.Assign):
            target, section = assign.targets[0], assign.value
            if isinstance(target, ast.Subscript) and document.string(target.slice) in ("bf16", "bfloat16"):
                if isinstance(section, ast.Dict) and _enabled(document, section) is True:
                    yield Hit(assign, f"DeepSpeed's bf16 is switched on and {_DTYPE} is not set", _DTYPE)


def _enabled(document: PythonFile, section: ast.Dict) -> object:
    for key, value in zip(section.keys, section.values):
        if key is not None and document.string(key) == "enabled":
            return value.value if isinstance(value, ast.Constant) else None
    return None
