#pragma once
__device__ const unsigned kWhite = 0xffffffff;
/// Every channel of a pixel.
inline constexpr auto kFullMask = 0xffffffffu;
__device__ const unsigned kWarpAllocated = 0xffffffff;
# output
