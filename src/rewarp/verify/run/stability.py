"""Does memory grow from step to step? A robust line through the samples, so that one jump does not decide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

FEWEST = 12
"""With fewer samples a line says nothing."""
_WARM_UP = 4
"""One part in so many is left out at the start: caches fill, allocators take their first blocks."""


@dataclass(frozen=True)
class Growth:
    """How memory went over the samples that count."""

    samples: int
    first_bytes: float
    """Where the line begins."""
    bytes_per_step: float
    steps: int

    @property
    def share(self) -> float:
        """How much more there was at the end than at the start, as a part of the start."""
        if self.bytes_per_step <= 0:
            return 0.0
        return self.bytes_per_step * self.steps / max(self.first_bytes, 1.0)


def growth(samples: Sequence[tuple[int, float]]) -> Growth | None:
    """Theil and Sen's line through (step, bytes); None where there are too few samples."""
    settled = list(samples[len(samples) // _WARM_UP :])
    if len(settled) < FEWEST:
        return None
    thinned = settled[:: max(1, len(settled) // 200)]
    slope = median(
        (later[1] - earlier[1]) / (later[0] - earlier[0])
        for index, earlier in enumerate(thinned)
        for later in thinned[index + 1 :]
        if later[0] != earlier[0]
    )
    offset = median(value - slope * step for step, value in thinned)
    first = settled[0][0]
    return Growth(len(settled), offset + slope * first, slope, settled[-1][0] - first)


def drift(seconds: Sequence[float]) -> float | None:
    """How much longer the later half takes than the earlier one (0.1 is a tenth), the first one left out."""
    settled = list(seconds[1:])
    if len(settled) < 4:
        return None
    half = len(settled) // 2
    earlier, later = median(settled[:half]), median(settled[-half:])
    return later / earlier - 1 if earlier > 0 else None
