#define FULL_MASK 0xffffffff
#define FINAL_MASK (0xffffffffu)
static const unsigned Warp = 0xffffffff;
constexpr uint32_t kEveryLane = ~0u;
namespace lanes { constexpr unsigned kAll = UINT_MAX; }
__device__ float a(float v) { return __shfl_xor_sync(FULL_MASK, v, 1); }
__device__ float b(float v) { return __shfl_down_sync(FINAL_MASK, v, 1); }
__device__ int c(int p) { return __any_sync(Warp, p); }
__device__ float d(float v) { return __shfl_sync(kEveryLane, v, 0); }
__device__ float e(float v) { return __shfl_sync(lanes::kAll, v, 0); }
# output
1 build-fail: #define FULL_MASK 0xffffffff
2 build-fail: #define FINAL_MASK (0xffffffffu)
3 build-fail: unsigned Warp = 0xffffffff
4 build-fail: uint32_t kEveryLane = ~0u
5 build-fail: unsigned kAll = UINT_MAX
6 build-fail: __shfl_xor_sync(FULL_MASK
7 build-fail: __shfl_down_sync(FINAL_MASK
8 build-fail: __any_sync(Warp
9 build-fail: __shfl_sync(kEveryLane
10 build-fail: __shfl_sync(lanes::kAll
