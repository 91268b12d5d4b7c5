#define TILE_SIZE 32
#define NUM_WARPS 32
constexpr int kBits = 32, kTileWidth = 32;

__global__ void transpose(const float *in, float *out) {
  __shared__ float tile[32][33];
  int column = threadIdx.x % 32, row = threadIdx.x / 32;
  unsigned mask = 0xffffffff;
  unsigned word = in == nullptr ? 0 : (1u << (column & 31)) & mask;
  for (int step = 16; step > 0; step >>= 1) tile[row][column] += step;
  out[column >> 5] = tile[column][row] + word + warpSize;
}
# output
