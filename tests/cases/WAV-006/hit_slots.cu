__device__ void a(float v, int lane) { __shared__ float temp[32]; temp[lane] = __shfl_xor(v, 1); }
__device__ float b(float v) { static __shared__ float s[32]; int laneId = threadIdx.x % warpSize; s[laneId] = v; return __shfl(s[0], 0); }
template <typename T> __device__ T c(T v, int lane) { __shared__ T s[32]; s[lane] = v; __syncwarp(); return s[31 - lane]; }
__device__ int d(int p, int lane_id) { __shared__ int votes[32u]; votes[lane_id] = __any(p); return votes[0]; }
#define WARP_SIZE 32
__device__ void e(float v, int lane) { __shared__ float temp[WARP_SIZE]; temp[lane] = __shfl_xor(v, 1); }
__device__ float f(float v, int lane) { __shared__ float rows[4][32]; rows[threadIdx.y][lane] = v; return __shfl(rows[0][0], 0); }
# output
1 crash: __shared__ float temp[32]
2 crash: __shared__ float s[32]
3 crash: __shared__ T s[32]
4 crash: __shared__ int votes[32u]
6 info: __shared__ float temp[WARP_SIZE]
7 crash: __shared__ float rows[4][32]
