#if defined(__HIP_PLATFORM_AMD__)
#define WARP_SIZE warpSize
#else
#define WARP_SIZE 32
#endif
#ifdef USE_ROCM
constexpr int kWarpSize = __AMDGCN_WAVEFRONT_SIZE;
#else
constexpr int kWarpSize = 32;
#endif
#ifdef WAVE64
constexpr int kLanes = 64;
static const int warp_size = 64;
#else
constexpr int kLanes = 32;
static const int warp_size = 32;
#endif
__device__ int lane() { return threadIdx.x % WARP_SIZE; }
__device__ int other(int v) { return __shfl(v, threadIdx.x % kWarpSize); }
__device__ int third(int v) { return __shfl(v, threadIdx.x % kLanes); }
# output
