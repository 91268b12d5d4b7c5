"""Limits of the number formats."""

FP8_E4M3_MAX = 448.0
FP8_BLOCK = 128
# output
arch: gfx942
3 wrong-result: 448.0
