template <typename T>
__device__ T WarpReduce(T val) {
  for (int lane_mask = 16; lane_mask > 0; lane_mask /= 2) {
    val += __shfl_down_sync(0xffffffffull, val, lane_mask);
  }
  return val;
}
__global__ void sum(const float* in, float* out) {
  __shared__ float parts[32];
  float mine = WarpReduce<float>(in[threadIdx.x]);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x / 32 == 0) out[0] = WarpReduce<float>(threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0.f);
}
# output
3 info: for (int lane_mask = 16; lane_mask > 0; lane_mask /= 2)
