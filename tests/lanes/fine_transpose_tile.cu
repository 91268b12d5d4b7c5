// 32 is the edge of a tile.
// kind: none
// run: transpose<<<1, (32, 8)>>>(in: int[1024] = i, out: int[1024])
// gives: out = [i % 32 * 32 + i // 32 for i in range(1024)]
// at 64: same
// ---- original
__global__ void transpose(const int* in, int* out) {
  __shared__ int tile[32][33];
  for (int y = threadIdx.y; y < 32; y += 8) tile[y][threadIdx.x] = in[y * 32 + threadIdx.x];
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += 8) out[y * 32 + threadIdx.x] = tile[threadIdx.x][y];
}
