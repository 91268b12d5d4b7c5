__device__ int a(int p, int lane) { return (__ballot(p) >> 0 & (1u << lane)) != 0; }
__device__ int b(int p) { const int lane = threadIdx.x % warpSize; return __popcll(__ballot(p) & ((1 << lane) - 1)); }
__device__ int c(int p, int lane_id) { return __popcll(__ballot(p) & ~(-1 << lane_id)); }
__device__ int d(int p, int lane) { return __popcll(__ballot(p) & (0xffffffffu >> (31 - lane))); }
__device__ int e(int p, int laneId) { return __popcll(__ballot(p) & ((unsigned)1 << laneId)); }
__device__ bool f(int p) { return __ballot(p) == 0xffffffff; }
__device__ bool g(int p) { auto v = __ballot(p); return v != ~0u; }
__device__ bool h(int p) { return __ballot_sync(~0ull, p) == 0xFFFFFFFFu; }
__device__ int i(int p, int lane) { auto v = __ballot(p); v &= ~(1U << lane); return v != 0; }
# output
1 wrong-result: 1u << lane
2 wrong-result: 1 << lane
3 wrong-result: -1 << lane_id
4 wrong-result: 0xffffffffu >> (
5 wrong-result: (unsigned)1 << laneId
6 wrong-result: __ballot(p) == 0xffffffff
7 wrong-result: v != ~0u
8 wrong-result: __ballot_sync(~0ull, p) == 0xFFFFFFFFu
9 wrong-result: 1U << lane
