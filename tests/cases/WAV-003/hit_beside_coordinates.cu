__global__ void multiply(const float* a, float* out) {
  const int tid = threadIdx.x;
  const int warp_id = tid / 32;
  int load_row = tid / 32;
  int load_column = (tid % 32) * 8;
  float v = a[load_row * 256 + load_column];
  v += __shfl_xor_sync(0xffffffffffffffffull, v, 1);
  out[warp_id] = v;
}
# output
3 info: tid / 32
4 info: tid / 32
5 info: tid % 32
