"""PY-CMP-002: Inductor tunes at full length."""

from collections.abc import Iterator

from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.document import Document
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.env import ENV_KINDS
from rewarp.rules.shapes.torch_backends import compile_modes, inductor_settings, is_true, written_for_target
from rewarp.targets import Context

_SETTINGS = ("max_autotune", "max_autotune_gemm", "max_autotune_pointwise")
_VARIABLES = tuple(f"TORCHINDUCTOR_{name.upper()}" for name in _SETTINGS)


@rule(
    id="PY-CMP-002",
    title="Inductor autotunes at full length",
    kinds=ENV_KINDS,
    anchors=["autotune", *_SETTINGS, *_VARIABLES],
    phase=Phase.COMPILE,
    rocm=Impact(
        Severity.INFO,
        why="It works on ROCm, and the first compilation takes long. Convolutions choose between ATen and Triton "
        "there, and some ROCm containers already set TORCHINDUCTOR_MAX_AUTOTUNE=1.",
        fix="Keep it where the tuning pays off, keep Inductor's cache between runs, and look at what the container "
        "sets before comparing times.",
        effort=Effort.NONE,
    ),
    example='model = torch.compile(model, mode="max-autotune")',
    source="https://github.com/pytorch/pytorch/blob/main/torch/_inductor/config.py",
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for a max-autotune mode of torch.compile, Inductor's max_autotune settings switched on, and the
    environment variables that do the same."""
    for env in document.env_sets:
        if env.name in _VARIABLES and env.value == "1":
            yield Hit(env, f"{env.name} is switched on", env.name)
    if not isinstance(document, PythonFile):
        return
    for mode, where in compile_modes(document):
        if mode.startswith("max-autotune") and not written_for_target(document, where, context):
            yield Hit(where, f'torch.compile is given mode="{mode}"', mode)
    for item in inductor_settings(document, *_SETTINGS):
        if is_true(document, item.value) and not written_for_target(document, item.where, context):
            yield Hit(item.where, f"Inductor's {item.path} is switched on", item.path)
