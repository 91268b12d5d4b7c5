// The mask behind a macro.
// kind: MASK_32
// run: first_of_warp<<<1, 64>>>(out: int[64])
// gives: out = [0] * 32 + [32] * 32
// at 64: compile error
// unchecked: wrong result
// ---- original
#define FULL_MASK 0xffffffffu
__global__ void first_of_warp(int* out) {
  out[threadIdx.x] = __shfl_sync(FULL_MASK, (int)threadIdx.x, 0);
}
// ---- fixed
#if defined(__HIP_PLATFORM_AMD__)
#define FULL_MASK 0xffffffffffffffffull
#else
#define FULL_MASK 0xffffffffu
#endif
__global__ void first_of_warp(int* out) {
  out[threadIdx.x] = __shfl_sync(FULL_MASK, (int)threadIdx.x, 0, 32);
}
