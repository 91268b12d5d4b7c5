"""Names that do not say whose they are: the settings pair them, and while the analysers look they bear names that do.

``pairs = [["GpuBuffer", "AccelBuffer"]]`` lets an analyser see `CudaGpuBuffer` and `RocmGpuBuffer`, which pair by
themselves; in what it says the real names stand again. Lines stay where they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from rewarp.errors import UsageError
from rewarp.parity.units import Analysis, Place, Side


@dataclass(frozen=True)
class Pairs:
    """The names of both sides, and those that stand for them meanwhile."""

    masks: Mapping[str, str]

    @classmethod
    def of(cls, pairs: tuple[tuple[str, str], ...], a: str, b: str) -> Pairs:
        masks: dict[str, str] = {}
        for own, other in pairs:
            for name, backend in ((own, a), (other, b)):
                masks[name] = f"{backend.capitalize()}{own}" if own[:1].isupper() else f"{backend}_{own}"
        if len(set(masks.values())) < len(masks) or len(masks) < 2 * len(pairs):
            raise UsageError("pairs: each name can be in one pair only")
        return cls(masks)

    def masked(self, files: Mapping[str, bytes]) -> Mapping[str, bytes]:
        if not self.masks:
            return files
        words = {name.encode(): mask.encode() for name, mask in self.masks.items()}
        for path, data in files.items():
            if taken := next((mask for mask in words.values() if mask in data), None):
                raise UsageError(f"pairs: {taken.decode()} is a name in {path}, and says itself whose it is")
        pattern = re.compile(rb"\b(?:" + b"|".join(map(re.escape, words)) + rb")\b")
        return {path: pattern.sub(lambda found: words[found[0]], data) for path, data in files.items()}

    def unmasked(self, found: Analysis) -> Analysis:
        if not self.masks:
            return found
        names = {mask: name for name, mask in self.masks.items()}
        pattern = re.compile("|".join(map(re.escape, sorted(names, key=len, reverse=True))))

        def real(text: str) -> str:
            return pattern.sub(lambda found: names[found[0]], text)

        return rewritten(found, real)


def rewritten(found: Analysis, real: Callable[[str], str]) -> Analysis:
    """What an analyser said, with other names in it."""
    return Analysis(
        [
            replace(
                unit,
                owner=real(unit.owner),
                name=real(unit.name),
                a=_side(unit.a, real),
                b=_side(unit.b, real),
            )
            for unit in found.units
        ],
        [replace(problem, path=real(problem.path), what=real(problem.what)) for problem in found.problems],
        [real(line) for line in found.found_by],
        [replace(one, unseen=tuple(map(real, one.unseen))) for one in found.coverage],
    )


def _side(side: Side, real: Callable[[str], str]) -> Side:
    return replace(
        side,
        why=real(side.why),
        evidence=tuple(Place(real(place.path), place.line, real(place.text)) for place in side.evidence),
        kernels=tuple(map(real, side.kernels)),
        missing_kernels=tuple(map(real, side.missing_kernels)),
    )
