__device__ float total(float v) { for (int o = warpSize / 2; o; o >>= 1) v += __shfl_down(v, o); return v; }
__device__ float a(float v) {
  __shared__ float parts[32];
  const int warp = threadIdx.x / warpSize;
  v = total(v);
  if (threadIdx.x % warpSize == 0) parts[warp] = v;
  __syncthreads();
  return threadIdx.x < blockDim.x / warpSize ? parts[threadIdx.x] : 0;
}
template <int THREADS> __device__ float b(float v) { __shared__ float parts[THREADS / 32 + 1]; parts[threadIdx.x / warpSize] = total(v); return parts[0]; }
# output
3 info: __shared__ float parts[32]
10 info: __shared__ float parts[THREADS / 32 + 1]
