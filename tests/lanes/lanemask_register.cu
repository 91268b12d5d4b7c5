// The lanes below from PTX, in 32 bits.
// kind: PTX_LANE
// run: ranks<<<1, 64>>>(in: int[64] = i % 2, out: int[64])
// gives: out = [i % 32 // 2 for i in range(64)]
// at 64: compile error
// ---- original
__global__ void ranks(const int* in, int* out) {
  unsigned below;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
  out[threadIdx.x] = __popc(__ballot_sync(0xffffffff, in[threadIdx.x]) & below);
}
// ---- fixed
__global__ void ranks(const int* in, int* out) {
#if defined(__HIP_PLATFORM_AMD__)
  unsigned lane = __lane_id();
  unsigned own = __ballot(in[threadIdx.x]) >> (lane & 32);
  out[threadIdx.x] = __popc(own & ((1u << (lane & 31)) - 1));
#else
  unsigned below;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
  out[threadIdx.x] = __popc(__ballot_sync(0xffffffff, in[threadIdx.x]) & below);
#endif
}
