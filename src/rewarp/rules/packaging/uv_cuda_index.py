"""PKG-009: uv takes torch from a CUDA index."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import Kind
from rewarp.lang.toml import TomlFile, TomlString
from rewarp.registry import Hit, Impact, rule
from rewarp.rules._files import by_side
from rewarp.rules.shapes.packaging import offered_for
from rewarp.targets import Context

_INDEX = re.compile(r"whl/(?:nightly/|test/)?cu\d{2,3}(?!\d)")
_TORCH = frozenset({"torch", "torchvision", "torchaudio", "triton", "pytorch-triton"})
"""Their CUDA builds are imported anywhere, and find no GPU; extensions that are built for CUDA do not load."""
_INDEX_NAME = re.compile(r"(?i)(.*[-_])?(cu\d{2,3}|cuda\d*)")


def _uv_strings(document: TomlFile) -> Iterator[TomlString]:
    for item in document.strings:
        if item.path[:2] == ("tool", "uv"):
            yield TomlString(item.path[2:], item.value, item.span)
        elif document.source.path.endswith("uv.toml"):
            yield item


@rule(
    id="PKG-009",
    title="uv takes torch from a CUDA index",
    kinds=Kind.PYPROJECT,
    anchors=["uv", "whl"],
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.CRASH,
        why="uv follows its index settings whatever the machine, so it resolves torch, and what else comes from there, to CUDA wheels.",
        fix="Add a second index with the ROCm wheels and let two extras that conflict choose between them.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="uv follows its index settings whatever the machine, so it resolves torch, and what else comes from there, to CUDA wheels.",
        fix="Take torch out of what uv resolves on Gaudi and use the build of the Gaudi software.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example='[[tool.uv.index]]\nname = "pytorch-cu124"\nurl = "https://download.pytorch.org/whl/cu124"',
    source="https://docs.astral.sh/uv/guides/integration/pytorch/",
)
def match(document: TomlFile, context: Context) -> Iterator[Hit]:
    """Looks for index addresses with whl/cuNNN in uv's settings, or, where none is defined, for sources that name
    such an index. Where only torch and its kin come from an index, the program runs on the CPU. A file that also has an index
    for the target only informs."""
    strings = list(_uv_strings(document))
    taken = {item.path[1].lower() for item in strings if item.path[:1] == ("sources",) and len(item.path) > 2}
    mild = Severity.ON_CPU if taken <= _TORCH else None
    severity = Severity.INFO if offered_for(document, context.target.name) else mild
    hits = [
        Hit(item.span, f"uv looks for packages in {item.value}", "uv index", severity)
        for item in strings
        if _INDEX.search(item.value)
    ]
    hits = hits or [
        Hit(item.span, f"uv takes {item.path[1]} from the index {item.value}", "uv source", severity)
        for item in strings
        if len(item.path) == 3 and item.path[0] == "sources" and item.path[2] == "index"
        if _INDEX_NAME.fullmatch(item.value)
    ]
    yield from by_side(document, hits)
