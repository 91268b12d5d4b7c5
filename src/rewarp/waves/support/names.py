"""What the portable header calls CUDA's warp functions, in its two ways of writing warp code."""

from __future__ import annotations

import re

WARP_SIZE = b"warpSize"
_BOTH = (
    b"__shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync __ballot_sync __any_sync __all_sync __activemask "
    b"__syncwarp"
).split()
_OF_32_ONLY = (
    b"__shfl __shfl_up __shfl_down __shfl_xor __ballot __any __all __match_any_sync __match_all_sync "
    b"__reduce_add_sync __reduce_min_sync __reduce_max_sync __reduce_and_sync __reduce_or_sync __reduce_xor_sync"
).split()

LOGICAL = {name: b"rewarp_warp32" + name[1:] for name in (*_BOTH, *_OF_32_ONLY)} | {WARP_SIZE: b"rewarp_warp32_lanes"}
"""For warps of 32 lanes, whatever the wave has."""
PROPERTY = b"rewarp_warp32_width"
"""Around a device's property ``warpSize``."""
WHOLE = {name: b"rewarp_wave" + name[1:] for name in _BOTH} | {
    b"__popc": b"rewarp_wave_popc",
    b"__ffs": b"rewarp_wave_ffs",
}
"""For the whole wave."""
GROUP = b"rewarp_warp32_group"
"""Around the threads that happen to be together."""
OF_TRANSLATION = {
    "rewarp_lane_id": "rewarp_warp32_lane_id",
    **{f"rewarp_lanemask_{which}": f"rewarp_warp32_lanemask_{which}" for which in ("eq", "lt", "le", "ge", "gt")},
    **{f"rewarp_{name}": f"rewarp_warp32_{name}" for name in ("activemask", "ballot", "any", "all")},
    **{f"rewarp_ptx::shfl_{way}": f"rewarp_warp32_ptx_shfl_{way}" for way in ("up", "down", "bfly", "idx")},
    **{f"rewarp_ptx::{name}": f"rewarp_waves::{name}" for name in ("as", "add", "fadd")},
}
"""What the header of translated files calls what inline PTX asks for, and what the portable header does."""
OURS = re.compile(rb"(?<!\w)(?:rewarp_warp32_|REWARP_WARP32_|rewarp_wave_|REWARP_WAVE_)\w+")
"""What only a fixed file names."""
