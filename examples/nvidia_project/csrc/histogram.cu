#include "kernels.cuh"
#include "warp.cuh"

namespace warpnorm {
namespace {

__global__ void histogram_kernel(const float *__restrict__ x, int count, float low, float scale,
                                 int *__restrict__ bins, int *__restrict__ finite) {
  __shared__ int local[kHistogramBins];
  for (int i = threadIdx.x; i < kHistogramBins; i += blockDim.x) local[i] = 0;
  __syncthreads();

  const int stride = gridDim.x * blockDim.x;
  // Whole warps walk together, so that the ballot sees all 32 lanes.
  const int rounded = (count + kWarpSize - 1) / kWarpSize * kWarpSize;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rounded; i += stride) {
    const float value = i < count ? x[i] : NAN;
    const unsigned good = __ballot_sync(kFullMask, isfinite(value));
    if (lane_id() == 0) atomicAdd(finite, __popc(good));
    const float position = floorf((value - low) * scale);
    if (position >= 0.0f && position < kHistogramBins)
      warp_aggregated_add(local, static_cast<int>(position));
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kHistogramBins; i += blockDim.x)
    if (local[i] != 0) atomicAdd(&bins[i], local[i]);
}

}  // namespace

cudaError_t histogram(const float *x, int count, float low, float high, int *bins, int *finite,
                      cudaStream_t stream) {
  cudaError_t status = cudaMemsetAsync(bins, 0, kHistogramBins * sizeof(int), stream);
  if (status == cudaSuccess) status = cudaMemsetAsync(finite, 0, sizeof(int), stream);
  if (status != cudaSuccess || count == 0) return status;

  int device = 0, sms = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  histogram_kernel<<<sms * 4, 256, 0, stream>>>(x, count, low, kHistogramBins / (high - low), bins, finite);
  return cudaGetLastError();
}

}  // namespace warpnorm
