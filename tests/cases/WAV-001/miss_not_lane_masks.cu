__device__ unsigned low(unsigned v) { unsigned mask = 0xffffffff; return v & mask; }
__device__ unsigned hash(unsigned v) { return (v * 0x9e3779b9u) & 0xffffffffu; }
__global__ void colours(unsigned *x) { const unsigned kColourMask = 0xffffffff; x[threadIdx.x] &= kColourMask; }
__device__ int invalid(int i) { return i == -1; }
__device__ unsigned bits(int n) { return (1u << n) - 1; }
__device__ bool everything(unsigned word) { return word == 0xffffffffu; }
__host__ __device__ unsigned crc(unsigned c, unsigned b) { return (c ^ b ^ 0xffffffff) >> 8; }
struct Rng { unsigned s; __device__ unsigned next() { s ^= s << 13; s ^= s >> 17; s ^= s << 5; return s & 0xffffffff; } };
__global__ void clear(unsigned *words) { words[blockIdx.x * blockDim.x + threadIdx.x] = ~0u; }
__device__ float saturate(float v) { const int mask = -1; return v * mask; }
__device__ unsigned channel(unsigned v) { return v & 0x0000ffff; }
__global__ void selected(const unsigned *warped_mask, int *y) { y[threadIdx.x] = warped_mask[threadIdx.x] == 0xffffffff; }
# output
