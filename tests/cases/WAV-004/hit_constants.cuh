#define WARPSIZE 32
#define WARP_WIDTH (32)
#define THREADS_PER_WARP 32u
#define HALF_WARP 16
#define LOG2_WARP_SIZE 5
const int warp_size = 32;
static constexpr unsigned kNumLanes = 32;
enum { kWarpThreads = 32, kOther = 7 };
template <int kWarpSize = 32> __device__ int in_template() { return threadIdx.x % kWarpSize; }
template <typename T, int THREADS_IN_WARP = 32> struct Row { __device__ T *of(T *x) { return x + THREADS_IN_WARP; } };
struct Traits { static const int kThreadsPerWarp = 32; enum : int { kWarpSize = 1 << 5 }; };
__device__ int inside(int v) { constexpr int warp_size = 32; return __shfl(v, threadIdx.x % warp_size); }
constexpr int warpThreads() { return 32; }
__device__ constexpr unsigned warp_width() { return 32u; }
__host__ __device__ inline int lanes_per_warp() { return 32; }
void host(int n) { const int warpsize = 32; rows<<<n, warpsize>>>(); }
void one_of(int n, int &warp_size) { warp_size = n < 32 ? n : 32; }
static_assert(WARP_THREADS == 32, "a warp of 32");
bool usable(const cudaDeviceProp &p) { return p.warpSize == 32; }
bool stop(const cudaDeviceProp &p) { if (p.warpSize != 32) return true; return false; }
# output
1 wrong-result: #define WARPSIZE 32
2 wrong-result: #define WARP_WIDTH (32)
3 wrong-result: #define THREADS_PER_WARP 32u
4 wrong-result: #define HALF_WARP 16
5 wrong-result: #define LOG2_WARP_SIZE 5
6 wrong-result: warp_size = 32
7 wrong-result: kNumLanes = 32
8 wrong-result: kWarpThreads = 32
9 info: kWarpSize = 32
10 info: THREADS_IN_WARP = 32
11 wrong-result: kThreadsPerWarp = 32
12 wrong-result: warp_size = 32
13 wrong-result: warpThreads() { return 32; }
14 wrong-result: warp_width() { return 32u; }
15 wrong-result: lanes_per_warp() { return 32; }
16 wrong-result: warpsize = 32
17 wrong-result: warp_size = n < 32 ? n : 32;
18 info: WARP_THREADS == 32
19 wrong-result: p.warpSize == 32
20 wrong-result: p.warpSize != 32
