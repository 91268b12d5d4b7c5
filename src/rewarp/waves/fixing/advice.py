"""What to do by hand, in a sentence, where no edit can be trusted."""

from __future__ import annotations

from rewarp.waves.hazards import Consequence, Hazard, Kind

_BY_HAND = {
    Kind.GROUPS: "Divide the block with tiled_partition<32>: a tile of 32 has the same lanes on either width.",
    Kind.IMPLICIT_SYNC: "Put __syncwarp() between the steps, and write to shared memory through volatile or atomics until then.",
    Kind.VOLATILE_TAIL: "Put __syncwarp() between the steps; a 64-wide wave runs all of them in lock step, a later compiler may not keep their order.",
    Kind.MATRIX: "Write it with rocWMMA, or give AMD a kernel of its own: its fragments are held by 64 lanes on CDNA.",
    Kind.PTX_LANE: "Make the warp code around it right first: its form for AMD must count the same lanes.",
}
_WAITS = {
    "__syncthreads": "Take __syncthreads() out of the branches, so that every thread comes to the same one.",
    "while": "Hand over at a __syncthreads() that both warps come to, or give the two jobs to waves of their own.",
}
_LOCK = (
    "Free the lock in the same turn of the loop that takes it: "
    "while (!done) if ({} took it) {{ …; free it; done = true; }}"
)
_WHOLE_WAVES = (
    "Decide which lanes are meant. All of the wave: a 64-bit mask, the platform's width in every number. "
    "Always 32: the rewarp_warp32_… functions of rewarp_waves.h, and 32 in every number."
)


def advice(hazard: Hazard) -> str:
    if "no mask argument" in hazard.message:
        return f"Drop the mask, or call {hazard.symbol}_sync."
    if hazard.kind is Kind.GROUPS and "::Warp" in hazard.symbol:
        return (
            f"Tell {hazard.symbol} its width, behind its other arguments: 32, or the wave's where all counts with that."
        )
    if hazard.kind is Kind.IMPLICIT_SYNC and hazard.consequence is Consequence.HANG:
        return _WAITS.get(hazard.symbol) or _LOCK.format(hazard.symbol)
    return _BY_HAND.get(hazard.kind, _WHOLE_WAVES)
