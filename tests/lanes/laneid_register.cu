// The lane's number from PTX.
// kind: PTX_LANE
// run: numbers<<<1, 64>>>(out: int[64])
// gives: out = [i % 32 for i in range(64)]
// at 64: compile error
// ---- original
__global__ void numbers(int* out) {
  unsigned lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  out[threadIdx.x] = lane;
}
// ---- fixed
__global__ void numbers(int* out) {
  unsigned lane;
#if defined(__HIP_PLATFORM_AMD__)
  lane = __lane_id() % 32;
#else
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
#endif
  out[threadIdx.x] = lane;
}
