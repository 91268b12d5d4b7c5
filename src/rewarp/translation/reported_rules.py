"""The rules that the translator's problems are reported under: those that find the same in a scan.

Ids and no rules: a translation must not wait until all rules are loaded.
"""

from __future__ import annotations

RUNTIME_API = "CU-001"
DRIVER_API = "CU-002"
NO_TWIN = "CU-004"
"""Also what errors of HIP's compiler are told under: what has no HIP twin, whoever notices."""
INLINE_PTX = "CU-005"
TEXTURES = "CU-008"
SHARED_MEMORY = "CU-010"
ARCHITECTURE = "CU-011"
HEADERS = "CU-014"
LAUNCHES_IN_WARPS = "WAV-007"
OF_HAZARDS = {
    "MASK_32": "WAV-001",
    "BALLOT_32": "WAV-002",
    "BIT_COUNT": "WAV-002",
    "FULL_COMPARE": "WAV-002",
    "LANE_BIT": "WAV-002",
    "LANE_ARITHMETIC": "WAV-003",
    "WIDTH_CONSTANT": "WAV-004",
    "SHIFT_CONSTANT": "WAV-004",
    "LOOP": "WAV-005",
    "SHARED_SIZE": "WAV-006",
    "LAUNCH_GEOMETRY": "WAV-007",
    "LAUNCH_BOUNDS": "WAV-007",
    "IMPLICIT_SYNC": "WAV-008",
    "VOLATILE_TAIL": "WAV-008",
    "GROUPS": "WAV-009",
    "MATRIX": "WAV-009",
}
"""By the kind of hazard for waves of 64 lanes. PTX is not among them: its own translation speaks of every piece left."""
