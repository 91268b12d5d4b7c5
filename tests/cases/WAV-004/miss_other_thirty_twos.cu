#define TILE_WIDTH 32
#define BLOCK_SIZE 32
#define NUM_WARPS 32
#define MAX_WARPS_PER_SM 32
constexpr int kBitsPerWord = 32, kWarpsPerBlock = 4, kAlignment = 32;
enum { kTableSize = 32, kUnroll = 5 };
template <int kTile = 32, int kWarps = 4> __global__ void tiled(float *x) { x[threadIdx.x % kTile] = kWarps; }
constexpr int kLogicalWarpSize = 32;
constexpr int kSubWarpSize = 16;
const int hash_shift = 5, warp_count = 32;
__device__ int words(int bits) { return (bits + kBitsPerWord - 1) / kBitsPerWord; }
int warmup() { int warp_iterations = 32; return warp_iterations; }
void image() { const int warp_grid = 32; warp_affine(warp_grid); }
# output
