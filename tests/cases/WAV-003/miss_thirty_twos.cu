#define TILE_DIM 32
__global__ void transpose(const float *in, float *out, int n) {
  __shared__ float tile[TILE_DIM][TILE_DIM + 1];
  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  tile[threadIdx.y][threadIdx.x] = in[x];
  __syncthreads();
  out[x] = tile[threadIdx.x][threadIdx.y];
}
__global__ void columns(const float *in, float *out) { int c = threadIdx.x % 32, r = threadIdx.x / 32; out[c * 8 + r] = in[r * 32 + c]; }
__global__ void bitset(const int *x, unsigned *set) { int i = blockIdx.x * blockDim.x + threadIdx.x; atomicOr(set + (i >> 5), 1u << (i & 31)); }
__global__ void copy_rows(const float *x, float *y, int n) { int lane = threadIdx.x & 31; for (int i = lane; i < n; i += 32) y[i] = x[i]; }
__device__ unsigned xorshift(unsigned s) { s ^= s >> 5; return s * 32; }
__device__ int vectors(int n) { return n / (32 / sizeof(float)); }
__global__ void histogram(int *h) { __shared__ int bins[32]; if (threadIdx.x < 32) bins[threadIdx.x] = 0; __syncthreads(); h[threadIdx.x & 31] = bins[threadIdx.x & 31]; }
__device__ float table(int i) { const float t[32] = {0}; return t[i & 31]; }
__global__ void align(int *x) { int start = (blockIdx.x + 31) / 32 * 32; x[start + threadIdx.x] = 0; }
__global__ void tree(float *s) {
  for (int i = blockDim.x / 2; i > 0; i >>= 1) { if (threadIdx.x < i) s[threadIdx.x] += s[threadIdx.x + i]; __syncthreads(); }
  if (threadIdx.x < 32) s[threadIdx.x] *= 2;
}
__global__ void col32(const int *x, int *y) { int c = threadIdx.x; y[(c & 0x1f) + (blockIdx.x << 5)] = x[c]; }
__global__ void unpack(const unsigned *w, float *y) { int i = threadIdx.x; y[i] = (w[i / 32] >> (i % 32)) & 1; }
__global__ void banks(float *x) { __shared__ float s[32 * 33]; s[threadIdx.x * 33 % 32] = x[threadIdx.x]; __syncthreads(); x[0] = s[0]; }
__device__ double page(long i) { return double(i >> 5); }
__global__ void packed(int4 *x) { if (threadIdx.x < 32) x[threadIdx.x] = make_int4(0, 1, 2, 3); }
# output
11 info: threadIdx.x & 31
