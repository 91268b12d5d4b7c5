#pragma once
#if defined(__CUDA_ARCH__) || defined(EDITOR_READS_THIS)
template <bool WIDE>
__device__ inline float light(float u) { return WIDE ? u * 2 : u; }
#endif

__global__ void lights(float *x) { x[threadIdx.x] = light<true>(x[threadIdx.x]); }
# output
2 build-fail: #if defined(__CUDA_ARCH__) || defined(EDITOR_READS_THIS)
