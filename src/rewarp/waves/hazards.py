"""The words of the wave pass: what kind of place counts on 32 lanes, and what comes of it on 64."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from rewarp.source import Span


class Kind(str, Enum):
    """What a place takes for granted about the width of a warp."""

    MASK_32 = "mask of 32 lanes"
    BALLOT_32 = "ballot in 32 bits"
    BIT_COUNT = "bits of a ballot counted in 32"
    LANE_BIT = "bit of a lane in 32"
    FULL_COMPARE = "ballot compared with 32 ones"
    LANE_ARITHMETIC = "lane or warp number from 32"
    WIDTH_CONSTANT = "warp size fixed at 32"
    SHIFT_CONSTANT = "log2 of the warp size fixed at 5"
    LOOP = "loop over 32 lanes"
    SHARED_SIZE = "shared array sized by warps"
    LAUNCH_GEOMETRY = "launch in warps of 32"
    LAUNCH_BOUNDS = "launch bounds in warps of 32"
    GROUPS = "group of threads as wide as a warp"
    IMPLICIT_SYNC = "warp taken to run in lockstep"
    VOLATILE_TAIL = "tail of a reduction without barriers"
    MATRIX = "matrix fragment of a warp"
    PTX_LANE = "lane read in PTX"


class Consequence(str, Enum):
    """What happens on a 64-wide wave."""

    WRONG_RESULT = "wrong result"
    HANG = "hang"
    OUT_OF_BOUNDS = "out of bounds"
    COMPILE_ERROR = "compile error"
    SLOW = "slow"


class Confidence(str, Enum):
    """How sure the pass is that the place means lanes, and that they reach past 32."""

    CERTAIN = "certain"
    LIKELY = "likely"
    POSSIBLE = "possible"


@dataclass(frozen=True)
class Hazard:
    """One place that changes its meaning where a wave has 64 lanes."""

    kind: Kind
    where: Span
    """In the document's ``code``."""
    message: str
    why: str
    """What happens on a 64-wide wave, in a few words."""
    consequence: Consequence
    confidence: Confidence
    symbol: str
    function: str | None
    """The function it stands in; None outside of functions."""
    partners: tuple[Span, ...] = ()
    """Places of the same file that must change together with it: a constant and its uses, a kernel and its launch."""
    on_any_width: bool = False
    """Trouble on 32-wide waves too: HIP's *_sync functions reject a mask that is not 64 bits wide."""


@dataclass(frozen=True)
class WaveFacts:
    """What the other files of a project say that decides here."""

    widths: frozenset[str] = frozenset()
    """Names for a warp's size that other files fix at 32."""
    supplied: frozenset[str] = frozenset()
    """Warp functions that a header of the project defines itself for the target."""
    masks: frozenset[str] = frozenset()
    """Names that other files give the value of 32 ones, in 32 bits."""


NO_FACTS = WaveFacts()
