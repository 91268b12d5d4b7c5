// The first lane takes the lock for its warp, and all of its lanes work until it frees it.
// kind: IMPLICIT_SYNC
// run: totals<<<1, 128>>>(lock: int[1], out: int[32])
// gives: out = [4 * i + 48 for i in range(32)]
// at 64: hang
// ---- original
__global__ void totals(int* lock, int* out) {
  const int lane = threadIdx.x & 31;
  if (lane == 0) {
    while (atomicCAS(lock, 0, 1) != 0)
      ;
  }
#if defined(__HIP_PLATFORM_AMD__)
  out[lane] += lane + __shfl(threadIdx.x / 32 * 8, 0, 32);
#else
  __syncwarp();
  out[lane] += lane + __shfl_sync(0xffffffff, threadIdx.x / 32 * 8, 0);
  __syncwarp();
#endif
  if (lane == 0) atomicExch(lock, 0);
}
// ---- fixed
__global__ void totals(int* lock, int* out) {
  atomicAdd(&out[threadIdx.x % 32], threadIdx.x % 32 + threadIdx.x / 32 * 8);
}
