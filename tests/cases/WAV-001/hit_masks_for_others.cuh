#pragma once
/// All lanes of a warp.
inline constexpr auto kFullMask = 0xffffffffu;
__device__ const unsigned kGpuWarpAll = 0xffffffff;
# output
3 build-fail: auto kFullMask = 0xffffffffu
4 build-fail: unsigned kGpuWarpAll = 0xffffffff
