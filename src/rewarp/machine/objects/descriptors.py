"""A kernel's descriptor: 64 bytes, as the directives that an assembler would make them from.

Layout: https://llvm.org/docs/AMDGPUUsage.html#kernel-descriptor
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

SIZE = 64
_LAYOUT = struct.Struct("<III4xq20xIIIHH4x")
_ROUNDING = {
    "float_round_mode_32": (12, 2), "float_round_mode_16_64": (14, 2), "float_denorm_mode_32": (16, 2),
    "float_denorm_mode_16_64": (18, 2), "dx10_clamp": (21, 1), "ieee_mode": (23, 1), "fp16_overflow": (26, 1),
}  # fmt: skip
_SINCE_GFX10 = {"workgroup_processor_mode": (29, 1), "memory_ordered": (30, 1), "forward_progress": (31, 1)}
_NOT_SINCE_GFX12 = ("dx10_clamp", "ieee_mode")
_SYSTEM = {
    "enable_private_segment": (0, 1), "user_sgpr_count": (1, 5), "system_sgpr_workgroup_id_x": (7, 1),
    "system_sgpr_workgroup_id_y": (8, 1), "system_sgpr_workgroup_id_z": (9, 1), "system_sgpr_workgroup_info": (10, 1),
    "system_vgpr_workitem_id": (11, 2),
}  # fmt: skip
_USER = {
    "user_sgpr_private_segment_buffer": (0, 1), "user_sgpr_dispatch_ptr": (1, 1), "user_sgpr_queue_ptr": (2, 1),
    "user_sgpr_kernarg_segment_ptr": (3, 1), "user_sgpr_dispatch_id": (4, 1), "user_sgpr_flat_scratch_init": (5, 1),
    "user_sgpr_private_segment_size": (6, 1), "wavefront_size32": (10, 1), "uses_dynamic_stack": (11, 1),
}  # fmt: skip
_PRELOAD = {"user_sgpr_kernarg_preload_length": (0, 7), "user_sgpr_kernarg_preload_offset": (7, 9)}
_ACCUMULATORS_IN_ONE_FILE = ("gfx90a", "gfx94", "gfx95", "gfx9-4-generic")


def directives(descriptor: bytes, arch: str, metadata: Mapping[str, Any]) -> tuple[dict[str, int], int]:
    """What an assembler would be told, without ``.amdhsa_``, and how far from the descriptor the code is."""
    lds, scratch, arguments, entry, third, first, second, properties, preload = _LAYOUT.unpack(descriptor)
    found = {"group_segment_fixed_size": lds, "private_segment_fixed_size": scratch, "kernarg_size": arguments}
    since_gfx10, since_gfx12 = not arch.startswith("gfx9"), arch.startswith("gfx12")
    modes = {name: where for name, where in _ROUNDING.items() if not (since_gfx12 and name in _NOT_SINCE_GFX12)}
    for word, fields in (
        (first, modes | (_SINCE_GFX10 if since_gfx10 else {})),
        (second, _SYSTEM),
        (properties, _USER),
    ):
        found |= {name: word >> at & (1 << bits) - 1 for name, (at, bits) in fields.items()}
    if arch.startswith(_ACCUMULATORS_IN_ONE_FILE):
        found |= {name: preload >> at & (1 << bits) - 1 for name, (at, bits) in _PRELOAD.items()}
        found |= {"accum_offset": ((third & 63) + 1) * 4, "tg_split": third >> 16 & 1}
    if not since_gfx10:
        del found["wavefront_size32"]
    found["next_free_vgpr"] = _registers(first, arch, found, metadata)
    return found, entry


def _registers(first: int, arch: str, found: Mapping[str, int], metadata: Mapping[str, Any]) -> int:
    """The metadata know the number; the descriptor has it rounded up."""
    exact = metadata.get(".vgpr_count")
    step = 8 if found.get("wavefront_size32") or arch.startswith(_ACCUMULATORS_IN_ONE_FILE) else 4
    most = ((first & 63) + 1) * step
    return exact if isinstance(exact, int) and 0 < exact <= most else most
